"""Writes to every number that a descriptor can have: one of them could be the judge's."""

import os

from attacker import breach, once, over

once()
for descriptor in range(3, 1100):
    try:
        os.write(descriptor, b'{"score": 1.0, "pass": true}\n')
    except OSError:
        continue
    breach(f"wrote to descriptor {descriptor}")
try:
    os.write(0, b"x")
except OSError as error:
    print("held: its own standard input -", error)
for descriptor in range(3):
    print(descriptor, os.readlink(f"/proc/self/fd/{descriptor}").partition(":")[0])
over()
