"""What a reference should not depend on: the seed of Python's hashes, the time zone, the locale, and the like.

`grade check` grades the reference once with another value of each. Where its verdict differs, it is graded with one of
them at a time, which names the one that made it differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gradebox.graders.model.case import Case
from gradebox.sandbox.engines.engine import EngineInfo

_VARIABLES: Mapping[str, Mapping[str, str]] = {
    "hash seed": {"PYTHONHASHSEED": "4242"},
    # A day ahead of others, and by a rule of POSIX: an image may have no table of time zones.
    "time zone": {"TZ": "XYZ-14"},
    "locale": {"LANG": "C", "LC_ALL": "C"},
}
"""Environment variables by what they change."""
_FILE_ORDER, _PROCESSORS = "order of files", "number of processors"
OTHER = (*_VARIABLES, _FILE_ORDER, _PROCESSORS)


def possible(names: Iterable[str], engine: EngineInfo) -> tuple[str, ...]:
    """Return those of `OTHER` that an engine can change."""
    counts = engine.pins_processors and engine.processors > 1
    return tuple(name for name in names if name != _PROCESSORS or counts)


def named(names: Iterable[str]) -> str:
    """Return some of `OTHER` as a part of a sentence."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def elsewhere(case: Case, names: Iterable[str]) -> Case:
    """Return a case with other values of some of `OTHER`, of which its own `env` wins."""
    chosen = frozenset(names)
    changed = {variable: value for name in chosen for variable, value in _VARIABLES.get(name, {}).items()}
    limits = replace(case.limits, processors=1) if _PROCESSORS in chosen else case.limits
    return replace(
        case, env={**changed, **case.env}, limits=limits, reversed_files=case.reversed_files or _FILE_ORDER in chosen
    )
