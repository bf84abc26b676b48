"""Comes first in the grader's program: keeps it from loading modules from directories of the submission."""

from __future__ import annotations

import sys

from gradebox.graders.languages.python.inside.trusted_places import close_places

if __name__ == "__main__":
    close_places()
INSTALLED = tuple(place for place in sys.path if place)
"""The search path for modules that belong to the image."""
STARTED = frozenset(sys.modules)
"""The modules that Python loads at its start."""
