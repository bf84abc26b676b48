"""Whoever asks to be traced is traced by its parent, here the supervisor, which is then told of stops where it waits for ends.

First of all threads and children do, one after the other, then the program itself.
"""

import os
import signal
import threading

from attacker import libc, once

PTRACE_TRACEME = 0


def asks() -> None:
    libc.ptrace(PTRACE_TRACEME, 0, None, None)
    libc.syscall(SYS_TKILL, threading.get_native_id(), signal.SIGCHLD)


once()
SYS_TKILL = 200 if os.uname().machine == "x86_64" else 130
for _ in range(20):
    thread = threading.Thread(target=asks)
    thread.start()
    thread.join()
    if os.fork() == 0:
        if os.fork() == 0:
            asks()
        os._exit(0)
libc.ptrace(PTRACE_TRACEME, 0, None, None)
os.kill(os.getpid(), signal.SIGTRAP)
print("went on")
