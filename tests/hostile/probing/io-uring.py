"""A second way into the kernel, past every filter of system calls."""

import ctypes

from attacker import attempt, over, syscall

parameters = ctypes.create_string_buffer(120)
attempt("a ring", syscall, "io_uring_setup", 8, parameters)
over()
