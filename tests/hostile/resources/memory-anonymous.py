"""Takes memory as fast as it can."""

from attacker import once

once()
held = []
while True:
    held.append(bytearray(16 << 20))
