"""Stops and kills everything that it may, the supervisor before all, and itself in the end."""

import os
import signal

from attacker import breach, look_around

look_around()
for _ in range(4):
    if os.fork() == 0:
        signal.pause()
for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGABRT, signal.SIGKILL):
    for pid in (1, -1):
        try:
            os.kill(pid, number)
        except OSError:
            continue
        if pid == 1:
            breach(f"sent {number} to the supervisor")
os.kill(0, signal.SIGKILL)
