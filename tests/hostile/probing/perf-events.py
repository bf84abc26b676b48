"""Counters of the processor, which see what other processes do."""

import ctypes
import struct

from attacker import attempt, over, syscall

for kind, config in ((0, 0), (1, 0), (1, 9), (2, 1)):
    for flags in (0, 1 << 5 | 1 << 6):
        event = ctypes.create_string_buffer(struct.pack("=IIQQQQQ", kind, 112, config, 0, 0, 0, flags), 112)
        for pid, processor in ((0, -1), (-1, 0), (1, -1)):
            attempt(f"counts {kind}.{config} of {pid} on {processor}", syscall, "perf_event_open", event, pid, processor, -1, 0)
over()
