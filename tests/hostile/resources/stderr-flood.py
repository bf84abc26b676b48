"""Prints errors without end from several processes, while nobody reads its standard input."""

import os

from attacker import once

once()
os.fork()
os.fork()
block = b"flood\n" * 10_000
while True:
    os.write(2, block)
