"""Files by their number: with a handle for the root of the file system underneath, no directory is in the way."""

import ctypes
import os
import struct

from attacker import attempt, forbidden, over, syscall

AT_FDCWD, MAX = -100, 128
for path in (b"/", b"/etc/hosts", b"/etc/hostname", b"/.gradebox", b"/workspace"):
    handle = ctypes.create_string_buffer(struct.pack("=Ii", MAX, 0), 8 + MAX)
    mount = ctypes.c_int()
    try:
        syscall("name_to_handle_at", AT_FDCWD, path, handle, ctypes.byref(mount), 0)
    except OSError as error:
        print("held: a handle for", path, "-", error)
        continue
    attempt(f"opened {path} by its handle", syscall, "open_by_handle_at", os.open(path, os.O_RDONLY), handle, os.O_RDONLY)
guess = ctypes.create_string_buffer(struct.pack("=IiQ", 8, 1, 2), 8 + MAX)
for path in (b"/etc/hosts", b"/", b"/.gradebox"):
    try:
        place = os.open(path, os.O_RDONLY)
    except OSError as error:
        print("held:", error)
        continue
    forbidden(f"open number 2 of what {path} is on", syscall, "open_by_handle_at", place, guess, os.O_RDONLY)
over()
