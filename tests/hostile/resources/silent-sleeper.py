"""Closes everything that could be read from it or written to it, and lives on."""

import os
import time

from attacker import once

once()
os.closerange(0, 1024)
while True:
    time.sleep(1)
