"""Turns off what makes memory hard to guess, for itself and everything that it starts."""

from attacker import attempt, over, syscall

ADDR_NO_RANDOMIZE, READ_IMPLIES_EXEC, MMAP_PAGE_ZERO = 0x0040000, 0x0400000, 0x0100000
for name, flag in (("no random addresses", ADDR_NO_RANDOMIZE), ("all memory executable", READ_IMPLIES_EXEC), ("memory at address 0", MMAP_PAGE_ZERO)):
    attempt(name, syscall, "personality", flag)
over()
