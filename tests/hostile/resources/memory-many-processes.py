"""Forty processes of which none takes much, and a parent that outlives them."""

import os
import time

from attacker import look_around, over

look_around()
for _ in range(40):
    if os.fork() == 0:
        held = bytearray(16 << 20)
        held[::4096] = b"x" * len(held[::4096])
        time.sleep(1000)
while True:
    pid, status = os.waitpid(-1, os.WNOHANG)
    if pid:
        # More than there is room for was wanted, and somebody has noticed.
        over(5)
    time.sleep(0.01)
