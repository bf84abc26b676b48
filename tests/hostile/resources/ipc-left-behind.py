"""Objects that belong to no process and to no file: System V segments, semaphores and messages, and POSIX queues."""

import os

from attacker import AGAIN, breach, libc, look_around, over

KEY, CREATE = 4711, 0o1000 | 0o666
if AGAIN:
    for name, arguments in (("shmget", (KEY, 0, 0)), ("semget", (KEY, 0, 0)), ("msgget", (KEY, 0))):
        try:
            getattr(libc, name)(*arguments)
        except OSError:
            continue
        breach(f"{name} finds what was left")
    try:
        libc.mq_open(b"/planted", os.O_RDONLY)
        breach("the queue is still there")
    except OSError:
        pass
look_around("/dev/mqueue/planted")
for number in range(16):
    for name, arguments in (
        ("shmget", (KEY + number, 1 << 20, CREATE)),
        ("semget", (KEY + number, 8, CREATE)),
        ("msgget", (KEY + number, CREATE)),
        ("mq_open", (b"/planted", os.O_CREAT | os.O_RDWR, 0o666, None)),
    ):
        try:
            getattr(libc, name)(*arguments)
        except OSError as error:
            print("held:", name, "-", error, flush=True)
        else:
            print("left:", name, flush=True)
over(0)
