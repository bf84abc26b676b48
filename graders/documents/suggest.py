"""What a path that leads nowhere may have been meant to be."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import islice
from pathlib import Path

# Of a directory with more entries than these, not all are compared.
_ENTRIES_MAX = 5000


def did_you_mean(path: Path) -> str | None:
    """Return a question with the path beside a missing one whose name is nearest to it, None if none is near."""
    try:
        names = [entry.name for entry in islice(path.parent.iterdir(), _ENTRIES_MAX)]
    except (OSError, ValueError):
        return None
    close = get_close_matches(path.name, sorted(names), n=1)
    return f"Did you mean {path.with_name(close[0])}?" if close and close[0] != path.name else None
