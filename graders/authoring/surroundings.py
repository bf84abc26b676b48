"""What a reference should not depend on: the seed of Python's hashes, the time zone, the locale.

`grade check` grades the reference once with another value of each. Where its verdict differs, it is graded with one of
them at a time, which names the one that made it differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gradebox.graders.model.case import Case

OTHER: Mapping[str, Mapping[str, str]] = {
    "hash seed": {"PYTHONHASHSEED": "4242"},
    # A day ahead of others, and by a rule of POSIX: an image may have no table of time zones.
    "time zone": {"TZ": "XYZ-14"},
    "locale": {"LANG": "C", "LC_ALL": "C"},
}
"""Environment variables by what they change."""
NAMES = "hash seed, time zone and locale"


def elsewhere(case: Case, names: Iterable[str]) -> Case:
    """Return a case with other values of some of `OTHER`, of which its own `env` wins."""
    changed = {variable: value for name in names for variable, value in OTHER[name].items()}
    return replace(case, env={**changed, **case.env})
