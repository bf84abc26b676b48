"""Comes first in the grader's program: keeps it from loading modules from directories of the submission.

`python3 -c` searches the working directory, which is the workspace, first for modules.
"""

from __future__ import annotations

import sys

sys.path[:] = [place for place in sys.path if place]
INSTALLED = tuple(sys.path)
"""Where modules are looked for that are nobody's but the image's."""
STARTED = frozenset(sys.modules)
"""The modules that Python itself has loaded."""
