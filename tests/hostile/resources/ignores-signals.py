"""Deaf to every signal that a process can be deaf to, and blocks them as well."""

import signal
import time

from attacker import once

once()
for number in signal.valid_signals():
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
while True:
    time.sleep(1)
