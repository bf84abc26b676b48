"""Pages of a pool that the whole machine has: who takes them has more than its memory, and leaves none to others."""

import mmap

from attacker import attempt, over, syscall

HUGE_MAP, HUGE_FILE, HUGE_SEGMENT, SIZE = 0x40000, 4, 0o5600, 2 << 20
attempt("a file of huge pages", syscall, "memfd_create", b"huge", HUGE_FILE)
attempt("memory of huge pages", mmap.mmap, -1, SIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | HUGE_MAP)
attempt("a segment of huge pages", syscall, "shmget", 0, SIZE, HUGE_SEGMENT)
over()
