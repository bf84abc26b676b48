"""A worse priority and a single processor for the supervisor: whatever it starts from then on inherits both."""

import os

from attacker import AGAIN, breach, look_around, over

if AGAIN:
    if os.getpriority(os.PRIO_PROCESS, 0):
        breach(f"what is started now has the priority {os.getpriority(os.PRIO_PROCESS, 0)}")
    if len(os.sched_getaffinity(0)) != os.cpu_count():
        breach(f"what is started now has the processors {os.sched_getaffinity(0)} of {os.cpu_count()}")
look_around()
for pid in (1, 0):
    for action, arguments in (
        (os.setpriority, (os.PRIO_PROCESS, pid, 19)),
        (os.setpriority, (os.PRIO_USER, 0, 19)),
        (os.sched_setaffinity, (pid, {0})),
    ):
        try:
            action(*arguments)
        except OSError as error:
            print("held:", action.__name__, pid, "-", error)
over()
