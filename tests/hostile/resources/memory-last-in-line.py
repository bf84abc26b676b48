"""Many small processes that take the supervisor's place behind the others in the memory killer's list, and then grow."""

import os
import time

from attacker import look_around, over

look_around()
try:
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("0")
except OSError as error:
    print("held:", error, flush=True)
for _ in range(60):
    if os.fork() == 0:
        held = []
        while True:
            held.append(b"x" * 16384)
            time.sleep(0.001)
os.wait()
over(5)
