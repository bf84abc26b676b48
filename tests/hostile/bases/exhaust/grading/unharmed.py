"""The judge's look at what a submission left behind: nothing may be there, and everything must be there to be used."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

MIB = 1 << 20
SECRET = "@canary@"


def numbers_of_processes():
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}


def main():
    problems = []

    def expect(what, found, wanted):
        if found != wanted:
            problems.append(f"{what}: {found!r} instead of {wanted!r}")

    # Nobody else is alive: the supervisor and this program. Where /proc hides others, not even the first.
    expect("processes", numbers_of_processes() - {1}, {os.getpid()})
    expect("files in /tmp", sorted(os.listdir("/tmp")), ["home"])
    for path in ("/dev/shm", "/dev/mqueue"):
        expect(f"files in {path}", os.listdir(path) if os.path.isdir(path) else [], [])
    # Start-up files are there, empty and root's, so that nobody brings them.
    there = [path for path in Path("/tmp/home").rglob("*") if path.is_file() or path.is_symlink()]
    expect("files in /tmp/home", [path for path in there if path.lstat().st_uid or path.lstat().st_size], [])
    for kind in ("shm", "sem", "msg"):
        table = Path("/proc/sysvipc", kind)
        expect(f"IPC objects ({kind})", table.read_text().splitlines()[1:] if table.exists() else [], [])
    expect("planted", [path for path in os.listdir("/workspace") if path.startswith("planted")], [])
    names = [line.split()[-1] for line in Path("/proc/net/unix").read_text().splitlines()[1:] if "@" in line]
    expect("abstract sockets", names, [])

    # This process starts as it should.
    expect("host name", socket.gethostname(), "sandbox")
    expect("priority", os.getpriority(os.PRIO_PROCESS, 0), 0)
    expect("open files", resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1024)
    expect("core files", resource.getrlimit(resource.RLIMIT_CORE), (1, 1))
    expect("descriptors", sorted(int(name) for name in os.listdir("/proc/self/fd"))[:3], [0, 1, 2])
    expect("SIGTERM", signal.getsignal(signal.SIGTERM), signal.SIG_DFL)
    expect("blocked signals", signal.pthread_sigmask(signal.SIG_BLOCK, ()), set())
    expect("umask", os.umask(0o022), 0o022)
    expect("what is asked", json.load(sys.stdin)["workspace_path"], "/workspace")

    # There is room for everything that an honest program needs.
    block = bytearray(64 * MIB)
    block[:: 4096] = b"x" * len(block[:: 4096])
    del block
    for directory in ("/workspace", "/tmp", "/dev/shm"):
        with tempfile.TemporaryFile(dir=directory) as file:
            file.write(bytes(4 * MIB))
    held = threading.Event()
    threads = [threading.Thread(target=held.wait) for _ in range(16)]
    for thread in threads:
        thread.start()
    held.set()
    for thread in threads:
        thread.join()
    children = [subprocess.Popen(["true"]) for _ in range(8)]
    expect("children", [child.wait() for child in children], [0] * 8)
    pairs = [socket.socketpair() for _ in range(64)]
    del pairs

    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
