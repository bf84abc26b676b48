"""System calls of another kind: by the numbers of 32-bit programs, which a filter of numbers may not know."""

import ctypes
import mmap
import os
import platform

from attacker import breach, libc, over

# 32-bit numbers of what the 64-bit ones are refused for.
CALLS = {"mount": (21, 0, 0), "ptrace": (26, 16, 1), "swapon": (87, 0, 0), "reboot": (88, 1, 2), "personality": (136, 0x0040000, 0), "add_key": (286, 0, 0), "keyctl": (288, 0, 0), "unshare": (310, 1 << 28, 0), "perf_event_open": (336, 0, 0), "setns": (346, 0, 0), "bpf": (357, 0, 0), "userfaultfd": (374, 1, 0), "io_uring_setup": (425, 1, 0)}
X32 = 0x40000000
NUMBERS_64 = {"mount": 165, "unshare": 272, "keyctl": 250, "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425, "setns": 308}
REFUSED = (1, 13, 38)
if platform.machine() == "x86_64":
    child = os.fork()
    if child == 0:
        # push rbx; mov eax, edi; mov ebx, esi; mov ecx, edx; edx, esi, edi = 0; int 0x80; pop rbx; ret
        code = bytes.fromhex("5389f889f389d131d231f631ffcd805bc3")
        room = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        room.write(code)
        call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(room)))
        for name, (number, first, second) in CALLS.items():
            result = call(number, first, second)
            print("32-bit", name, result, flush=True)
            if -result not in REFUSED:
                breach(f"was not refused the 32-bit {name}: {result}")
        over()
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) == 0:
        breach("some 32-bit calls")
    print("the 32-bit one ended with", os.waitstatus_to_exitcode(status))
    for name, number in NUMBERS_64.items():
        try:
            libc.syscall(ctypes.c_long(X32 | number), ctypes.c_long(1 << 28), ctypes.c_long(0), ctypes.c_long(0))
        except OSError as error:
            print("x32", name, error, flush=True)
            if error.errno in REFUSED:
                continue
        breach(f"was not refused the x32 {name}")
over()
