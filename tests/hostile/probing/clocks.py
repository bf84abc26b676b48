"""Another time: deadlines, certificates and tests that look at the clock would all be wrong."""

import ctypes
import os
import time

from attacker import attempt, forbidden, over, syscall

# The time that it is: if this is granted, nobody is harmed.
now = (ctypes.c_long * 2)(int(time.time()), 0)
for clock in (time.CLOCK_REALTIME, time.CLOCK_MONOTONIC, 7, 11):
    forbidden(f"set clock {clock}", syscall, "clock_settime", clock, now) if clock != time.CLOCK_MONOTONIC else None
forbidden("set the time of day", syscall, "settimeofday", now, 0)
ADJ_OFFSET = 1
request = (ctypes.c_long * 26)(ADJ_OFFSET, 0)
forbidden("slew the clock", syscall, "clock_adjtime", time.CLOCK_REALTIME, request)
attempt("opened the machine's clock", os.open, "/dev/rtc0", os.O_RDONLY)
attempt("shifted its clocks", lambda: os.write(os.open("/proc/self/timens_offsets", os.O_WRONLY), b"monotonic 100000 0"))
over()
