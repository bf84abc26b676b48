"""Runs in a container of test_here.py: tries sandboxes of `here://` there, and prints what it found as JSON."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gradebox.sandbox import reaper
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.engines.connect import connect
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.engines.here import users_lock
from gradebox.sandbox.errors import NameTaken, SandboxError
from gradebox.sandbox.limits import MIB, Limits
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Candidates, Command, Outcome, SandboxSpec
from gradebox.sandbox.users import container_name
from gradebox.sandbox.walls import Wall

ALL = frozenset(Wall)
LIMITS = Limits(memory_bytes=256 * MIB, pids=24, disk_bytes=16 * MIB)
BYSTANDER_UID = 5000


def sh(sandbox: Sandbox, line: str, user: int = 0, **more: Any) -> Outcome:
    # Python is there in every image that has this file.
    command = Command(("/bin/sh", "-c", line), env=sandbox.env, uid=sandbox.uid(user), **{"wall_seconds": 30.0, **more})
    return sandbox.run(command)


def refused(engine: Engine) -> str:
    try:
        with Sandbox(engine, SandboxSpec("here")):
            return ""
    except SandboxError as error:
        return str(error)


def rights(sandbox: Sandbox) -> dict[str, object]:
    sandbox.reset(sandbox.uid(0))
    done = sh(sandbox, "id -u; id -G; grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status; pwd; echo $HOME")
    settings = sh(sandbox, ": 3<> /proc/sys/kernel/ns_last_pid")
    foreign = sh(sandbox, "kill -0 1; kill -0 $PPID; echo x > /etc/x; cat /root/secret; ls /root")
    return {
        "uids": done.stdout.text().split()[:2] == [str(sandbox.uid(0))] * 2,
        "words": done.stdout.text().split()[2:],
        "settings": settings.exit_code != 0,
        "refused": foreign.exit_code != 0 and not foreign.stdout.text(),
    }


def reset(sandbox: Sandbox) -> dict[str, object]:
    """What a command leaves is gone for the next one, and nothing else is."""
    sandbox.put([file_entry("given", b"text\n")], uid=sandbox.uid(0))
    sandbox.snapshot()
    sandbox.reset(sandbox.uid(0), closed=[".bashrc", ".config/"])
    line = (
        "echo new > given; mkdir -p a/b; for d in /tmp /dev/shm /var/tmp; do mkdir $d/left && echo x > $d/left/f; done"
    )
    left = sh(sandbox, f"{line}; (setsid sleep 1000 &); sleep 1000 & touch $HOME/x; exit 3")
    sandbox.reset(sandbox.uid(1))
    after = sh(sandbox, "cat given; ls -A . /tmp /dev/shm /var/tmp $HOME", user=1)
    return {
        "exit": left.exit_code,
        "killed": left.usage.killed_processes,
        "after": after.stdout.text().split(),
        "living": len(users_lock.processes(sandbox.uid(0))),
    }


def limits(sandbox: Sandbox) -> dict[str, object]:
    sandbox.reset(sandbox.uid(2))
    late = sh(sandbox, "sleep 1000", user=2, wall_seconds=0.3)
    many = sh(sandbox, "i=0; while [ $i -lt 60 ]; do sleep 100 & i=$((i+1)); done", user=2)
    program = "x = bytearray(400 << 20)"
    hungry = sandbox.run(Command(("python3", "-c", program), env=sandbox.env, uid=sandbox.uid(2), wall_seconds=60.0))
    return {
        "late": late.ending,
        "many": many.exit_code != 0,
        "hungry": hungry.exit_code != 0,
        "living": len(users_lock.processes(sandbox.uid(0))),
    }


def apart(sandbox: Sandbox) -> dict[str, object]:
    sandbox.put([file_entry("secret", b"answer\n")], protect=True, grader=sandbox.uid(1))
    first = sandbox.candidate_uid(1)
    sandbox.reset(first, grader=sandbox.uid(1))
    sandbox.put([file_entry("secret", b"answer\n")], protect=True, grader=sandbox.uid(1))
    line = """PATH=/.candidate:$PATH; cat secret; candidate id -u; candidate cat secret; echo $?
        candidate sh -c 'echo mine > mine; ln -s mine honest; ln -s secret out; mkfifo pipe'
        candidate ln -s /workspace/secret /tmp/l
        cat out /tmp/l || echo removed; cat honest; ls pipe || echo removed
        mkdir t; candidate --lend t; candidate ln -s ../secret t/out; candidate sh -c 'umask 77; echo lent > t/f'
        candidate --reclaim t; cat t/f; cat t/out || echo removed"""
    done = sandbox.run(
        Command(("/bin/sh", "-c", line), env=sandbox.env, uid=sandbox.uid(1), candidates=Candidates(first))
    )
    words = done.stdout.text().replace(str(first), "FIRST").split()
    return {"words": words, "detail": done.detail, "exit_code": done.exit_code, "said": done.stderr.text()}


def hidden(engine: Engine) -> dict[str, object]:
    Path("/cases/one").mkdir(parents=True, exist_ok=True)
    Path("/cases/one/answer").write_text("42")
    with Sandbox(engine, SandboxSpec("here", LIMITS, hidden=("/cases/one",), accepted=ALL)) as sandbox:
        sandbox.snapshot()
        sandbox.reset(sandbox.uid(0))
        read = sh(sandbox, "cat /cases/one/answer")
        lacks = Wall.HIDDEN in sandbox.guarantees.lacks
    Path("/cases").chmod(0o700)
    with Sandbox(engine, SandboxSpec("here", LIMITS, hidden=("/cases/one",), accepted=ALL)) as sandbox:
        closed = Wall.HIDDEN not in sandbox.guarantees.lacks
    return {"read": read.stdout.text(), "lacks": lacks, "closed": closed}


def crash(engine: Engine) -> dict[str, object]:
    """A client that is killed leaves no process, and what else it leaves is removed."""
    client = subprocess.Popen([sys.executable, __file__, "client"], stdout=subprocess.PIPE)
    assert client.stdout is not None
    first = int(client.stdout.readline())
    deadline = time.monotonic() + 30
    while not users_lock.processes(first) and time.monotonic() < deadline:
        time.sleep(0.05)
    before = len(users_lock.processes(first))
    client.send_signal(signal.SIGKILL)
    client.wait()
    # The supervisor has a user of these for moments, while it kills: one look at a time decides.
    while (living := len(users_lock.processes(first))) and time.monotonic() < deadline:
        time.sleep(0.05)
    removed = [found.id for found in reaper.reap(engine)]
    return {"before": before > 0, "living": living, "removed": removed == [container_name(first)]}


def client() -> None:
    with Sandbox(connect("here"), SandboxSpec("here", LIMITS, accepted=ALL)) as sandbox:
        sandbox.snapshot()
        sandbox.reset(sandbox.uid(0))
        print(sandbox.uid(0), flush=True)
        sh(sandbox, "(setsid sleep 1000 &); sleep 1000", wall_seconds=1000.0)


def taken() -> bool:
    """Users of a living process are never a sandbox's."""
    other = subprocess.Popen(["/bin/sleep", "1000"], user=13_001)
    try:
        users_lock.lock_users(container_name(12_976), {})
    except NameTaken:
        return True
    finally:
        other.kill()
        other.wait()
    return False


def main() -> None:
    Path("/root/secret").write_text("secret")
    for top in ("/sys/fs/cgroup", *Path("/sys/fs/cgroup").iterdir()):
        # Where this is allowed, control groups are ours.
        subprocess.run(["mount", "-o", "remount,bind,rw", top], stderr=subprocess.DEVNULL, check=False)
    others = [Path(path, "of-others") for path in ("/tmp", "/dev/shm", "/var/tmp")]
    for path in others:
        path.write_text("x")
    bystander = subprocess.Popen(["/bin/sleep", "1000"], user=BYSTANDER_UID)
    engine = connect("here")
    found: dict[str, object] = {"refused": refused(engine), "processors": engine.info().processors}
    with Sandbox(engine, SandboxSpec("here", LIMITS, apart=True, accepted=ALL)) as sandbox:
        sandbox.snapshot()
        found["lacks"] = sandbox.guarantees.lacks
        found["gaps"] = len(sandbox.gaps)
        tries: tuple[Callable[[Sandbox], dict[str, object]], ...] = (rights, reset, limits, apart)
        for attempt in tries:
            found[attempt.__name__] = attempt(sandbox)
    found["hidden"], found["crash"], found["taken"] = hidden(engine), crash(engine), taken()
    engine.close()
    found["bystander"] = bystander.poll() is None
    found["others"] = all(path.exists() for path in others)
    found["groups"] = [str(path) for path in Path("/sys/fs/cgroup").glob("**/gradebox-users-*")]
    found["left"] = [path.name for place in ("/workspace", "/run/gradebox", "/tmp") for path in Path(place).iterdir()]
    bystander.kill()
    bystander.wait()
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    client() if "client" in sys.argv else main()
