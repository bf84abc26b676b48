"""The volume that holds the supervisor's program, and the program that is running: every other sandbox has the same."""

import os

from attacker import attempt, libc, over

VOLUME = "/.gradebox/volume"
PROGRAM = f"{VOLUME}/supervisor"
watcher = libc.inotify_init1(0)
for path in (VOLUME, PROGRAM):
    # A lock, or an event, is seen in every other sandbox.
    attempt(f"opened {path} to read", os.open, path, os.O_RDONLY)
    attempt(f"watched {path}", libc.inotify_add_watch, watcher, path.encode(), 0xFFF)
for path in (PROGRAM, "/proc/1/exe", "/proc/self/exe"):
    attempt(f"opened {path} to write", os.open, path, os.O_WRONLY)
    attempt(f"opened {path} to read and write", os.open, path, os.O_RDWR)
    attempt(f"emptied {path}", os.truncate, path, 0)
attempt("made a file beside it", os.open, f"{VOLUME}/planted", os.O_CREAT | os.O_WRONLY)
attempt("removed it", os.unlink, PROGRAM)
attempt("put another in its place", os.rename, "/workspace/attack.py", PROGRAM)
attempt("changed its mode", os.chmod, PROGRAM, 0o777)
attempt("changed its owner", os.chown, PROGRAM, os.getuid(), os.getgid())
attempt("changed the directory's mode", os.chmod, VOLUME, 0o777)
attempt("linked it", os.link, PROGRAM, "/workspace/supervisor")
attempt("marked it", os.setxattr, PROGRAM, "user.mark", b"x")
attempt("changed its times", os.utime, PROGRAM)
# Run as a candidate it must refuse: it would kill everything that it may.
child = os.fork()
if child == 0:
    try:
        os.execv(PROGRAM, ["supervisor", "/workspace", "60"])
    finally:
        os._exit(126)
_, status = os.waitpid(child, 0)
print("it ended with", os.waitstatus_to_exitcode(status))
over()
