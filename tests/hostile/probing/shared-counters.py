"""Files of the kernel that one sandbox can write by what it does, and another can read: locks, counts, loads."""

import fcntl
import struct

from attacker import breach, over

SET_LOCK_OF_OPEN_FILE = 37
# A message to a neighbour: any range of a lock is 63 bits of free text for each of its two numbers.
MESSAGE = 0x6772616465626F78
with open("message", "w") as own:
    fcntl.fcntl(own, SET_LOCK_OF_OPEN_FILE, struct.pack("=hhqqi4x", fcntl.F_WRLCK, 0, MESSAGE, 1, 0))
    try:
        if str(MESSAGE) in open("/proc/locks").read():
            breach("a lock of any sandbox is read here")
    except OSError as error:
        print("held:", error)
for path in (
    "/proc/key-users",
    "/proc/loadavg",
    "/proc/locks",
    "/proc/pressure/cpu",
    "/proc/pressure/io",
    "/proc/pressure/memory",
    "/proc/sys/fs/aio-nr",
    "/proc/sys/fs/dentry-negative",
    "/proc/sys/fs/dentry-state",
    "/proc/sys/fs/file-nr",
    "/proc/sys/fs/inode-nr",
    "/proc/sys/fs/inode-state",
    "/proc/sys/kernel/pty/nr",
):
    try:
        if open(path).read():
            breach(f"{path} has counts of the whole machine")
    except OSError as error:
        print("held:", error)
over()
