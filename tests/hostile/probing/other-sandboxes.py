"""Work of others that is being graded now: in shared directories, objects of IPC, file systems of the engine."""

import os

from attacker import breach, over

with open("/proc/self/mountinfo") as file:
    mounts = [line.split() for line in file]
for fields in mounts:
    print(fields[3], fields[4], fields[-3])
for path in ("/var/lib/docker", "/var/lib/containerd", "/host", "/mnt", "/media", "/run/user", "/home", "/srv"):
    try:
        found = os.listdir(path)
    except OSError as error:
        print("held:", path, "-", error)
        continue
    if found:
        breach(f"{path} has {found}")
for kind in ("shm", "sem", "msg"):
    try:
        with open(f"/proc/sysvipc/{kind}") as file:
            if len(file.readlines()) > 1:
                breach(f"objects of kind {kind}")
    except OSError as error:
        print("held:", kind, "-", error)
for place in ("/tmp", "/dev/shm", "/dev/mqueue", "/workspace", "/var/tmp", "/run/lock"):
    for directory, _, files in os.walk(place):
        for name in files:
            if (path := f"{directory}/{name}") in ("/workspace/attack.py", "/workspace/attacker.py") or "__pycache__" in path:
                continue
            kept = os.lstat(path)
            if directory.startswith("/tmp/home") and (kept.st_uid, kept.st_size) == (0, 0):
                # A start-up file that nobody may write.
                continue
            try:
                with open(path, errors="replace") as file:
                    breach(f"found {path}: {file.read(200)!r}")
            except OSError:
                breach(f"found {path}")
over()
