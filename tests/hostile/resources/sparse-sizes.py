"""Files that say that they are enormous: whoever copies, packs or hashes them is busy for ever."""

import os

from attacker import attempt, look_around, over

PLACES = ("/workspace", "/tmp", "/dev/shm")
look_around(*(f"{place}/planted" for place in PLACES))
for place in PLACES:
    descriptor = os.open(f"{place}/planted", os.O_CREAT | os.O_RDWR)
    for bits in (62, 50, 40, 33):
        attempt(f"a file of 2^{bits} bytes in {place}", os.ftruncate, descriptor, 1 << bits)
        attempt(f"a byte at 2^{bits} in {place}", os.pwrite, descriptor, b"x", 1 << bits)
    # What is allowed is made all the same: the next check must not find it.
    os.ftruncate(descriptor, 200 << 20)
over()
