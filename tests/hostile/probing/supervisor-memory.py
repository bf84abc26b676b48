"""The memory of the supervisor as a file, and everything that it has open: the next command's input, the clean workspace."""

import os
import stat

from attacker import breach, libc, over

OWN = {os.fstat(number).st_ino for number in range(3)}
for pid in (1, os.getppid()):
    for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
        try:
            descriptor = os.open(f"/proc/{pid}/mem", flags)
            libc.lseek(descriptor, 0x400000, 0)
            breach(f"its memory: {os.read(descriptor, 64)!r}")
        except OSError as error:
            print("held: its memory -", error)
    for number in range(64):
        for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
            path = f"/proc/{pid}/fd/{number}"
            try:
                descriptor = os.open(path, flags | os.O_NONBLOCK)
            except OSError as error:
                print("held:", path, "-", error)
                continue
            found = os.fstat(descriptor)
            # The workspace is everybody's, and the other ends of its own three pipes tell it nothing new.
            if not stat.S_ISDIR(found.st_mode) and found.st_ino not in OWN:
                breach(f"opened {path}: {os.readlink(path)}")
            os.close(descriptor)
over()
