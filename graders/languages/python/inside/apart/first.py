"""Comes first in the grader's program: keeps it from loading modules from directories of the submission.

`python3 -c` searches the working directory, which is the workspace, first for modules.
"""

from __future__ import annotations

import sys

sys.path[:] = [place for place in sys.path if place]
INSTALLED = tuple(sys.path)
"""The search path for modules that belong to the image."""
STARTED = frozenset(sys.modules)
"""The modules that Python loads at its start."""
