"""Reserves room in files without writing a byte, and punches holes to reserve it again."""

import os

from attacker import attempt, look_around, over

look_around("/workspace/planted", "/dev/shm/planted")
for place, bound in (("/workspace", 16 << 20), ("/dev/shm", 64 << 20)):
    descriptor = os.open(f"{place}/planted", os.O_CREAT | os.O_RDWR)
    attempt(f"more room in {place} than there is", os.posix_fallocate, descriptor, 0, bound + 4096)
    attempt(f"room without an end in {place}", os.posix_fallocate, descriptor, 0, 1 << 60)
    os.posix_fallocate(descriptor, 0, bound // 2)
over()
