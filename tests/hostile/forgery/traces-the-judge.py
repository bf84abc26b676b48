import ctypes
import os
import sys

PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206

if __name__ == "__main__":
    libc = ctypes.CDLL(None, use_errno=True)
    if "hello" not in sys.argv:
        for request in (PTRACE_SEIZE, PTRACE_ATTACH):
            if libc.ptrace(request, os.getppid(), None, None) == 0:
                print("BREACH: traces the judge", file=sys.stderr)
    print("nothing")
