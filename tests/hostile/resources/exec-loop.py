"""Becomes itself again and again: there is never a moment in which it is done with starting."""

import os
import sys

from attacker import once

once()
os.execv(sys.executable, [sys.executable, "-S", "-E", *sys.argv])
