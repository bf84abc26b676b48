"""More rights to the machine than it was given: priorities, limits, and a place at the end of the killer's list."""

import os
import resource

from attacker import attempt, libc, over, writable

IOPRIO_SET = {"x86_64": 251, "aarch64": 30}[os.uname().machine]

attempt("a better priority", os.setpriority, os.PRIO_PROCESS, 0, -20)
attempt("a better priority for all of the user", os.setpriority, os.PRIO_USER, os.getuid(), -20)
attempt("real-time scheduling", os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(50))
attempt("real-time disk access", libc.syscall, IOPRIO_SET, 1, 0, 1 << 13)
for name in ("NOFILE", "CORE", "FSIZE", "NICE", "RTPRIO"):
    number = getattr(resource, f"RLIMIT_{name}")
    _, hard = resource.getrlimit(number)
    if hard != resource.RLIM_INFINITY:

        def higher(number=number, hard=hard):
            try:
                resource.setrlimit(number, (hard + 1, hard + 1))
            except ValueError as error:
                raise OSError(str(error)) from None

        attempt(f"a higher limit of {name}", higher)
attempt("limits of the supervisor", resource.prlimit, 1, resource.RLIMIT_NOFILE, (1, 1))
# Down to the supervisor's own score it may go: memory-last-in-line shows that nothing is gained.
writable("/proc/self/oom_score_adj", b"-1000")
writable("/proc/self/oom_score_adj", b"-1")
writable("/proc/1/oom_score_adj", b"1000")
writable("/proc/self/autogroup", b"-20")
over()
