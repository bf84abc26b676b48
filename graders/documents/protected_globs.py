"""Globs of `protect`, `allow` and `testpaths`: which files of a workspace they mean. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache

_ANYWHERE = re.compile(r"\A(?:\*\*/)+")


def matches(path: str, globs: Iterable[str]) -> bool:
    """Say whether one of these globs matches a relative path, or a directory that leads to it.

    ``*`` does not stop at slashes; a glob without a slash matches the last component alone, at any depth, and so does
    what follows a leading ``**/``.
    """
    # Said more than once, it says no more.
    patterns = [_ANYWHERE.sub("**/", glob.removeprefix("./").rstrip("/")) for glob in globs]
    if not patterns:
        return False
    parts = path.split("/")
    places = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    return any(_matches(place, pattern) for place in places for pattern in patterns)


def _matches(place: str, pattern: str) -> bool:
    if pattern.startswith("**/") and _matches(place, pattern[3:]):
        return True
    return _glob(pattern).match(place if "/" in pattern else place.rpartition("/")[2]) is not None


@lru_cache(maxsize=1024)
def _glob(pattern: str) -> re.Pattern[str]:
    # Not fnmatchcase, which remembers thirty times as many: some are a candidate's, who can make each a long one.
    return re.compile(translate(pattern))
