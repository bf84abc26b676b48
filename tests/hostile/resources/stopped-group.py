"""Stopped processes in groups of their own; one of them is traced as well, and their parent waits for them."""

import os
import signal

from attacker import libc, look_around

look_around()
PTRACE_TRACEME = 0
for number in range(8):
    if os.fork() == 0:
        os.setpgid(0, 0)
        if number == 0:
            libc.ptrace(PTRACE_TRACEME, 0, None, None)
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
while True:
    os.wait()
