"""Memory that no limit counts: pages of another size, pages that cannot be swapped."""

import ctypes
import mmap

from attacker import attempt, libc, over, syscall, writable

MAP_HUGETLB, MAP_LOCKED, MAP_POPULATE, SHM_HUGETLB = 0x40000, 0x2000, 0x8000, 0o4000
for size in (2 << 20, 1 << 30):

    def large(size=size):
        held = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE)
        held[0] = 1

    attempt(f"a page of {size} bytes", large)
    attempt(f"a file of pages of {size} bytes", lambda size=size: syscall("memfd_create", b"huge", 4 | (21 if size < 1 << 30 else 30) << 26) and large())
    attempt(f"a segment of pages of {size} bytes", libc.shmget, 4712, size, 0o1666 | SHM_HUGETLB)
writable("/proc/sys/vm/nr_hugepages", b"100")
writable("/proc/sys/vm/nr_overcommit_hugepages", b"100")
writable("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", b"100")
block = ctypes.create_string_buffer(64 << 20)
attempt("locked 64 MiB in memory", libc.mlock, block, len(block))
over()
