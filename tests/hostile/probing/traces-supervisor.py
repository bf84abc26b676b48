"""Attach to the supervisor as a debugger would: registers, memory, descriptors."""

import ctypes
import os

from attacker import attempt, breach, libc, over, syscall

ATTACH, SEIZE = 16, 0x4206
for pid in {1, os.getppid()}:
    attempt(f"attached to process {pid}", syscall, "ptrace", ATTACH, pid, 0, 0)
    attempt(f"seized process {pid}", syscall, "ptrace", SEIZE, pid, 0, 0)
    held = ctypes.create_string_buffer(4096)
    local = (ctypes.c_void_p * 2)(ctypes.addressof(held), len(held))
    for address in (0x400000, 0x1000000, 0x200000):
        remote = (ctypes.c_void_p * 2)(address, len(held))
        attempt(f"read memory of {pid} at {address:#x}", syscall, "process_vm_readv", pid, local, 1, remote, 1, 0)
        attempt(f"wrote memory of {pid} at {address:#x}", syscall, "process_vm_writev", pid, local, 1, remote, 1, 0)
    attempt(f"compared itself with {pid}", syscall, "kcmp", os.getpid(), pid, 1, 0, 0)
    try:
        handle = syscall("pidfd_open", pid, 0)
    except OSError as error:
        print("held: a handle -", error)
        continue
    for number in range(24):
        attempt(f"took descriptor {number} of {pid}", syscall, "pidfd_getfd", handle, number, 0)
    attempt(f"gave away memory of {pid}", syscall, "process_madvise", handle, (ctypes.c_void_p * 2)(0x400000, 4096), 1, 21, 0)
# Whoever may be traced by all shows nothing of others.
libc.prctl(0x59616D61, -1, 0, 0, 0) if os.path.exists("/proc/sys/kernel/yama") else None
if os.path.exists("/proc/1/status"):
    with open("/proc/1/status") as file:
        if "TracerPid:\t0\n" not in file.read():
            breach("the supervisor is being traced")
over()
