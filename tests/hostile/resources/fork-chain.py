"""Each process forks and ends, so that no number lives for long: whoever kills by number comes too late."""

import os

from attacker import look_around, over

look_around("/tmp/chain")
ready, tell = os.pipe()
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        links = 0
        while True:
            links += 1
            if links == 50:
                open("/tmp/chain", "w").close()
                os.write(tell, b"x")
            try:
                if os.fork():
                    os._exit(0)
            except OSError:
                pass
os.read(ready, 1)
over(0)
