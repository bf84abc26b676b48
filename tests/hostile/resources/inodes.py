"""Empty files until there is no room for another: they have no size, but each takes memory of the kernel."""

import os

from attacker import look_around, over

look_around("/tmp/planted", "/workspace/planted", "/dev/shm/planted")
for place in ("/workspace", "/tmp", "/dev/shm"):
    os.mkdir(f"{place}/planted")
    try:
        for number in range(200_000):
            os.close(os.open(f"{place}/planted/{number}", os.O_CREAT | os.O_EXCL, 0))
    except OSError as error:
        print("held:", place, number, "-", error, flush=True)
over()
