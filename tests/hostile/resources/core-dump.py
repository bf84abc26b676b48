"""Ends with all of its memory written to a file, in the workspace or wherever the machine collects them."""

import os
import resource

from attacker import libc, look_around

look_around("/workspace/core", "/tmp/core", *(f"/workspace/core.{pid}" for pid in range(1, 200)))
for wanted in (resource.RLIM_INFINITY, 1 << 30):
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (wanted, wanted))
    except (OSError, ValueError) as error:
        print("held: core files of", wanted, "-", error, flush=True)
libc.prctl(4, 1, 0, 0, 0)
held = bytearray(b"core" * (4 << 20))
os.abort()
