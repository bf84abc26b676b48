"""Prints without end."""

import os

from attacker import once

once()
block = b"flood\n" * 10_000
while True:
    os.write(1, block)
