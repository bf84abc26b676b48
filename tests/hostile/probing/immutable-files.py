"""Files that cannot be removed, and file systems that stand still: nobody could tidy up any more."""

import fcntl
import os
import struct

from attacker import attempt, over

SET_FLAGS, FREEZE, THAW, SET_XFLAGS = 0x40086602, 0xC0045877, 0xC0045878, 0x401C5820
IMMUTABLE, APPEND = 0x10, 0x20
for place in ("/workspace", "/tmp", "/dev/shm"):
    path = f"{place}/planted"
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR)
    directory = os.open(place, os.O_RDONLY)
    for flag in (IMMUTABLE, APPEND):
        attempt(f"made {path} permanent", fcntl.ioctl, descriptor, SET_FLAGS, struct.pack("=l", flag))
        attempt(f"made {place} permanent", fcntl.ioctl, directory, SET_FLAGS, struct.pack("=l", flag))
        attempt(f"made {path} permanent otherwise", fcntl.ioctl, descriptor, SET_XFLAGS, struct.pack("=IIIII8x", 8, 0, 0, 0, 0))
    attempt(f"froze {place}", fcntl.ioctl, directory, FREEZE, 0)
over()
