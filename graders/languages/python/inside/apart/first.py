"""Comes first in what the grader runs: no module is loaded from a directory of the submission's.

`python3 -c` looks for modules in the working directory first, which is the workspace.
"""

from __future__ import annotations

import sys

sys.path[:] = [place for place in sys.path if place]
INSTALLED = tuple(sys.path)
"""Where modules are looked for that are nobody's but the image's."""
STARTED = frozenset(sys.modules)
"""The modules that Python itself has loaded."""
