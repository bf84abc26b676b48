"""A daemon, forked twice, that outlives its program and waits for the next check."""

import os
import time

from attacker import look_around, over

look_around("/tmp/daemon")
ready, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(ready)
        os.write(tell, b"x")
        os.close(tell)
        while True:
            with open("/tmp/daemon", "a") as file:
                file.write("here\n")
            time.sleep(0.01)
    os._exit(0)
os.read(ready, 1)
over(0)
