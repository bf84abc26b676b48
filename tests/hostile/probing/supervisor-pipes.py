"""The pipes between the supervisor and the host: answers could be forged there, requests read."""

import os
import stat
import struct

from attacker import breach, over

OWN = {os.fstat(number).st_ino for number in range(3)}
# A frame as the supervisor would send it: length, type, number of the request, fields.
frame = struct.pack(">IBI", 9, 0x82, 1) + b"\1\0\0\0\0"
for pid in (1, os.getppid()):
    for number in range(24):
        for flags in (os.O_RDONLY | os.O_NONBLOCK, os.O_WRONLY | os.O_NONBLOCK, os.O_RDWR | os.O_NONBLOCK):
            try:
                descriptor = os.open(f"/proc/{pid}/fd/{number}", flags)
            except OSError as error:
                last = error
                continue
            # The other ends of its own three are no gain, and the workspace is everybody's.
            if os.fstat(descriptor).st_ino in OWN or not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                os.close(descriptor)
                continue
            breach(f"opened descriptor {number} of {pid}")
            os.write(descriptor, frame) if flags & (os.O_WRONLY | os.O_RDWR) else print(os.read(descriptor, 4096))
print("held:", last)
# Its own ends are its own, and no more than these three lead anywhere.
own = {name: os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{name}")}
print(own)
for name, target in own.items():
    if int(name) > 2 and target.startswith(("pipe:", "socket:", "/.gradebox")):
        breach(f"descriptor {name} is {target}")
over()
