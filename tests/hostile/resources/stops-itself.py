"""A stopped process handles no signal: whoever waits for it politely waits for ever."""

import os
import signal

from attacker import once

once()
os.kill(os.getpid(), signal.SIGSTOP)
