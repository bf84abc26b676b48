import ctypes
import os
import sys

PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
SYS_PIDFD_OPEN, SYS_PIDFD_GETFD = 434, 438
libc = ctypes.CDLL(None, use_errno=True)


def tried(what, act):
    try:
        act()
        print(f"BREACH: {what}", file=sys.stderr)
    except OSError as error:
        print(what, error, file=sys.stderr)


def call(number, *words):
    if libc.syscall(number, *words) < 0:
        raise OSError(ctypes.get_errno(), "refused")


def trace(request, pid):
    if libc.ptrace(request, pid, None, None) != 0:
        raise OSError(ctypes.get_errno(), "refused")


def look_into(pid):
    place = f"/proc/{pid}"
    tried("memory", lambda: open(f"{place}/mem", "rb").close())
    tried("stdin", lambda: open(f"{place}/fd/0", "rb").close())
    tried("stdout", lambda: open(f"{place}/fd/1", "wb").close())
    tried("seize", lambda: trace(PTRACE_SEIZE, pid))
    tried("attach", lambda: trace(PTRACE_ATTACH, pid))
    pidfd = libc.syscall(SYS_PIDFD_OPEN, pid, 0)
    if pidfd >= 0:
        tried("descriptor", lambda: call(SYS_PIDFD_GETFD, pidfd, 0, 0))


if __name__ == "__main__":
    print("nothing", flush=True)
    for name in sorted(os.listdir("/proc")):
        if name.isdigit() and int(name) != os.getpid():
            look_into(int(name))
