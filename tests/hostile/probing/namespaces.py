"""A world of its own, in which it is root, or somebody else's."""

import ctypes
import os
import signal

from attacker import attempt, over, syscall

FLAGS = {"mount": 1 << 17, "cgroup": 1 << 25, "uts": 1 << 26, "ipc": 1 << 27, "user": 1 << 28, "pid": 1 << 29, "net": 1 << 30, "time": 1 << 7}
for name, flag in FLAGS.items():
    for more in (0, FLAGS["user"]):
        attempt(f"left the {name} namespace for one of its own ({more:#x})", syscall, "unshare", flag | more)


def born(number):
    """Tell parent and child apart after a raw clone."""
    if number == 0:
        os._exit(0)
    os.waitpid(number, 0x40000000)


for name, flag in FLAGS.items():
    if name != "time":
        attempt(f"had a child in a {name} namespace", lambda flag=flag: born(syscall("clone", flag | FLAGS["user"] | signal.SIGCHLD, 0, 0, 0, 0)))
    arguments = (ctypes.c_uint64 * 11)(flag | FLAGS["user"], 0, 0, 0, signal.SIGCHLD)
    attempt(f"had a child by clone3 in a {name} namespace", lambda arguments=arguments: born(syscall("clone3", arguments, 88)))
for name in ("mnt", "cgroup", "uts", "ipc", "user", "pid", "net", "time", "pid_for_children"):
    for pid in ("1", "self"):
        try:
            descriptor = os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY)
        except OSError as error:
            print("held:", pid, name, "-", error)
            continue
        attempt(f"entered the {name} namespace of {pid}", syscall, "setns", descriptor, 0)
try:
    handle = syscall("pidfd_open", 1, 0)
    attempt("entered all namespaces of the supervisor", syscall, "setns", handle, FLAGS["mount"] | FLAGS["pid"] | FLAGS["net"])
except OSError as error:
    print("held:", error)
if os.path.exists("/proc/self/uid_map"):
    attempt("wrote the map of users", lambda: os.write(os.open("/proc/self/uid_map", os.O_WRONLY), b"0 0 1"))
over()
