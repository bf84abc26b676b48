"""One line that never ends, of bytes that are not text, on both streams."""

import os

from attacker import once

once()
block = bytes(range(128, 256)) * 512
while True:
    os.write(1, block)
    os.write(2, block)
