"""Signals for the supervisor, by every way that there is to name it, and other groups, memory and schedules."""

import fcntl
import os
import signal

from attacker import attempt, libc, over, syscall

for number in (signal.SIGSTOP, signal.SIGKILL, signal.SIGCHLD, signal.SIGALRM, signal.SIGPIPE, 34):
    attempt(f"sent it {number}", os.kill, 1, number)
    attempt(f"sent its group {number}", libc.killpg, 1, number)
    attempt(f"queued {number}", libc.sigqueue, 1, number, None)
    attempt(f"sent its thread {number}", libc.tgkill, 1, 1, number)
try:
    handle = syscall("pidfd_open", 1, 0)
except OSError as error:
    print("held: a handle -", error)
else:
    attempt("sent it a signal by its handle", syscall, "pidfd_send_signal", handle, signal.SIGKILL, 0, 0)
attempt("joined its group", os.setpgid, 0, 1)
attempt("moved it to another group", os.setpgid, 1, os.getpid())
attempt("changed how it is scheduled", os.sched_setscheduler, 1, os.SCHED_IDLE, os.sched_param(0))
attempt("moved its memory", syscall, "move_pages", 1, 0, 0, 0, 0, 0)
attempt("moved all its memory", syscall, "migrate_pages", 1, 8, b"\1" + bytes(7), b"\1" + bytes(7))
# The kernel sends this one when something can be read, to whomever it was told.
out, into = os.pipe()
try:
    fcntl.fcntl(out, fcntl.F_SETOWN, 1)
    fcntl.fcntl(out, 10, signal.SIGKILL)
    fcntl.fcntl(out, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(into, b"x")
except OSError as error:
    print("held: a signal from the kernel -", error)
over()
