"""Many processes on one processor wait for each other, so that a busy machine seems to keep the command from running."""

import os
import time

from attacker import look_around

look_around()
os.sched_setaffinity(0, {0})
for _ in range(30):
    if os.fork() == 0:
        try:
            os.nice(19)
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        except OSError:
            pass
        while True:
            pass
time.sleep(86400)
