"""Random trees of a hostile program, and what the kernel says of the names in them.

The candidate runs `BUILDER`: it makes, moves, exchanges and removes all kinds of names, and prints which links it could
open. The grader then asks for every path that begins with such a name. Whatever it can open is opened by the
candidate, too, by the path that the kernel gives it: `CHECKER` prints what it cannot open. No rule of names.c is here.
"""

from __future__ import annotations

BUILDER = r"""
import json, os, random, socket, stat, sys, time

seed, steps = int(sys.argv[1]), int(sys.argv[2])
chance = random.Random(seed)
ROOTS = sys.argv[3:] or ["/workspace", os.environ["TMPDIR"], os.environ["HOME"], "/dev/shm"]
NAMES = ["a", "b", "c", "grading", "secret", "x y", "\udcff"]
FAR = ["/workspace/grading", "/workspace/grading/secret", "/proc/self/environ", "/proc/self/cwd/grading/secret",
       "/dev/stdin", "/tmp/grader", "/tmp/grader-tmp/expected", "/dev/null", "/dev/zero", "/", "/tmp", "/workspace",
       "/etc/passwd", "/workspace/closed", "/workspace/mine", "/.candidate/socket", "/etc/shadow", "/sys", "/nowhere",
       "/dev/shm", "/root", "/usr"]

def is_mine(path):
    try: return os.lstat(path).st_uid == os.getuid()
    except OSError: return False

def listed(place):
    try: return os.listdir(place)
    except OSError: return []

def directories():
    return [*ROOTS, *(place for root in ROOTS for place, _, _ in os.walk(root) if place != root and is_mine(place))]

def entries():
    return [os.path.join(place, name) for place in directories() for name in listed(place)]

def anywhere(places):
    return os.path.join(chance.choice(places), chance.choice(NAMES))

def target(places):
    kind = chance.random()
    if kind < 0.4: return chance.choice(FAR) + chance.choice(["", "", "/", "/.", "/..", "/grading/secret"])
    if kind < 0.6: return "/".join(chance.choice([*NAMES, "..", ".."]) for _ in range(chance.randrange(1, 6)))
    if kind < 0.8: return anywhere(places)
    return os.path.relpath(chance.choice([*FAR, anywhere(places)]), chance.choice(places))

for _ in range(steps):
    places = directories()
    path = anywhere(places)
    try:
        act = chance.choice(["mkdir", "file", "link", "link", "link", "link", "move", "move", "swap", "hard", "fifo",
                             "socket", "remove", "chmod", "wait"])
        if act == "mkdir": os.mkdir(path, chance.choice([0o777, 0o700, 0o755]))
        elif act == "file": os.write(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK, 0o666), b"mine")
        elif act == "link": os.symlink(target(places), path)
        elif act == "move": os.rename(chance.choice(entries()), path)
        elif act == "swap":
            one, other = chance.choice(entries()), chance.choice(entries())
            os.rename(one, path), os.rename(other, one), os.rename(path, other)
        elif act == "hard": os.link(chance.choice([*entries(), *FAR]), path, follow_symlinks=False)
        elif act == "fifo": os.mkfifo(path)
        elif act == "socket": socket.socket(socket.AF_UNIX).bind(path)
        elif act == "remove":
            old = chance.choice(entries())
            os.rmdir(old) if stat.S_ISDIR(os.lstat(old).st_mode) else os.remove(old)
        elif act == "chmod":
            path = chance.choice(entries())
            os.path.islink(path) or os.chmod(path, chance.choice([0o777, 0o700, 0o000, 0o755]))
        else: time.sleep(0.01)
    except (OSError, IndexError):
        pass

# What an honest program may expect to stay: links to files that it can read, outside of the kernel's own.
stay = []
for path in entries():
    if os.path.islink(path) and os.path.isfile(path) and len(os.path.realpath(path)) < 4000:
        real = os.path.realpath(path)
        if not real.startswith(("/proc/", "/sys/", "/dev/")) or real.startswith("/dev/shm/"):
            try: open(path).close()
            except OSError: continue
            stay.append(os.fsencode(path).hex())
print(json.dumps(stay))
"""

CHECKER = r"""
import json, os, sys

def open_own(place):
    # What belongs to the candidate it can make readable, as it was for the grader.
    for entry in os.scandir(place):
        if entry.is_dir(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_uid == os.getuid():
            os.chmod(entry.path, 0o700)
            open_own(entry.path)

for root in ["/workspace", os.environ["TMPDIR"], os.environ["HOME"], "/dev/shm"]: open_own(root)
stay, opened = json.load(sys.stdin)
for path in map(bytes.fromhex, stay):
    if not os.path.islink(path): print("gone", path)
for path in map(bytes.fromhex, opened):
    real = os.path.realpath(path)
    try:
        os.listdir(real) if os.path.isdir(real) else open(real, "rb").close()
    except OSError as error:
        # What belongs to the candidate it can make readable.
        try:
            if os.lstat(real).st_uid == os.getuid(): continue
        except OSError: pass
        print(os.fsdecode(path).encode("utf-8", "backslashreplace").decode(), error)
"""

GRADER = r"""
import itertools, json, os, stat, subprocess, sys

builder, checker, seed, rounds, steps = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
ROOTS = ["/workspace", "/tmp/candidate", "/tmp/home", "/dev/shm"]
MOST, DEEPEST = 2000, 7

os.umask(0o022)
open("/workspace/mine", "w").write("readable")
os.umask(0o077)
os.mkdir("/workspace/closed")
open("/workspace/closed/secret", "w").write("4711")
open("/tmp/grader-tmp/expected", "w").write("4711")

def reached(path, depth=0):
    yield path
    if depth < DEEPEST:
        try: names = os.listdir(path)
        except OSError: return
        for name in names: yield from reached(path + "/" + name, depth + 1)

for turn in range(rounds):
    words = ["candidate", "python3", "-c", builder, str(seed * 1000 + turn), str(steps)]
    done = subprocess.run(words, stdout=-1, check=True)
    opened = []
    for root in ROOTS:
        try: names = os.listdir(root)
        except OSError: continue
        for name in names:
            top = root + "/" + name
            if os.lstat(top).st_uid in (0, os.getuid()): continue
            for path in itertools.islice(reached(top), MOST):
                try: found = os.stat(path)
                except OSError: continue
                if stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode):
                    try: os.listdir(path) if stat.S_ISDIR(found.st_mode) else open(path, "rb").close()
                    except OSError: continue
                elif os.path.realpath(path) != "/dev/null":
                    print("special", path.encode("utf-8", "backslashreplace"))
                opened.append(os.fsencode(path).hex())
    both = json.dumps([json.loads(done.stdout), opened]).encode()
    checked = subprocess.run(["candidate", "python3", "-c", checker], stdout=-1, check=True, input=both)
    if checked.stdout: print("closed", checked.stdout.decode())
    print("looked", len(opened), file=sys.stderr)
"""

LENDER = r"""
import os, stat

lend(T)
for turn in range(ROUNDS):
    # It lives on, with its directories and files open, and makes names whenever it may.
    lives = BUILDER.replace("print(json", "time.sleep(0.3); print(json")
    words = ["candidate", "python3", "-c", lives, str(SEED + turn), "80", T]
    builder = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    while builder.poll() is None:
        ending, removed = reclaim(T)
        if ending != 16: print("reclaim", ending, removed)
        for place, directories, names in os.walk(T):
            for name in directories + names:
                path = place + "/" + name
                found = os.lstat(path)
                shown = path.encode("utf-8", "backslashreplace")
                if found.st_uid != os.getuid(): print("not mine", shown)
                if stat.S_ISLNK(found.st_mode):
                    if not (os.path.realpath(path) + "/").startswith(T + "/"): print("leads out", shown)
                elif stat.S_ISREG(found.st_mode):
                    if found.st_nlink != 1: print("several names", shown)
                elif not stat.S_ISDIR(found.st_mode): print("special", shown)
        lend(T)
        time.sleep(0.02)
print("done")
"""
