"""What is hard to tidy up: directories that nobody may enter, links in circles, pipes, sockets, names that are not text."""

import os
import socket

from attacker import look_around, over

PLACES = ("/workspace", "/tmp", "/tmp/home", "/dev/shm")
look_around(*(f"{place}/planted" for place in PLACES))
for place in PLACES:
    trap = f"{place}/planted"
    os.makedirs(f"{trap}/closed/closed")
    os.symlink(trap, f"{trap}/circle")
    os.symlink("/", f"{trap}/root")
    os.symlink("/.gradebox", f"{trap}/supervisor")
    os.mkfifo(f"{trap}/pipe")
    for name in (b"-rf", b"\xff\xfe", b"a\nb", b"*", b" ", b"x" * 255, "\u202e".encode()):
        os.close(os.open(trap.encode() + b"/" + name, os.O_CREAT, 0))
    socket.socket(socket.AF_UNIX).bind(f"{trap}/socket")
    os.mkdir(f"{trap}/busy")
    os.chmod(f"{trap}/closed/closed", 0)
    os.chmod(f"{trap}/closed", 0)
    os.chmod(trap, 0)
over(0)
