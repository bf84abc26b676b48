"""Stops the kernel in the middle of a copy, for as long as it likes: what every race wants."""

import os

from attacker import attempt, over, syscall

for flags in (0, 1, os.O_CLOEXEC | os.O_NONBLOCK | 1):
    attempt(f"faults of pages handed to itself ({flags})", syscall, "userfaultfd", flags)
attempt("the same from its device", os.open, "/dev/userfaultfd", os.O_RDWR)
over()
