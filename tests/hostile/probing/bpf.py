"""Programs and tables inside the kernel."""

import ctypes
import struct

from attacker import attempt, over, syscall

MAP_CREATE, PROG_LOAD, GET_NEXT_ID = 0, 5, 11
table = ctypes.create_string_buffer(struct.pack("=IIIII", 2, 4, 8, 1, 0), 120)
attempt("a table in the kernel", syscall, "bpf", MAP_CREATE, table, 120)
program = ctypes.create_string_buffer(struct.pack("=QQ", 0xB7, 0x95), 16)
license_text = ctypes.create_string_buffer(b"GPL")
request = struct.pack("=IIQQIIQ", 1, 2, ctypes.addressof(program), ctypes.addressof(license_text), 0, 0, 0)
attempt("a program in the kernel", syscall, "bpf", PROG_LOAD, ctypes.create_string_buffer(request, 120), 120)
attempt("saw others' programs", syscall, "bpf", GET_NEXT_ID, ctypes.create_string_buffer(120), 120)
over()
