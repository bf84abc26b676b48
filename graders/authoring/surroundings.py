"""Surroundings on which a reference should not depend: Python's hash seed, the time zone, the locale, and others.

`grade check` grades the reference once with all of them changed. If the verdict differs, it grades the reference with
one changed at a time, to find the cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gradebox.graders.model.case import Case
from gradebox.sandbox.engines.engine import EngineInfo

_VARIABLES: Mapping[str, Mapping[str, str]] = {
    "hash seed": {"PYTHONHASHSEED": "4242"},
    # A day ahead of most zones. The POSIX form works even if an image has no time zone database.
    "time zone": {"TZ": "XYZ-14"},
    "locale": {"LANG": "C", "LC_ALL": "C"},
}
"""The environment variables to set, by the property that they change."""
_FILE_ORDER, _PROCESSORS = "order of files", "number of processors"
OTHER = (*_VARIABLES, _FILE_ORDER, _PROCESSORS)


def possible(names: Iterable[str], engine: EngineInfo) -> tuple[str, ...]:
    """Return those of `names` that an engine can change."""
    counts = engine.pins_processors and engine.processors > 1
    return tuple(name for name in names if name != _PROCESSORS or counts)


def named(names: Iterable[str]) -> str:
    """Return names of `OTHER` as a part of a sentence."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def elsewhere(case: Case, names: Iterable[str]) -> Case:
    """Return a case with some of `OTHER` changed; the variables in its own `env` take precedence."""
    chosen = frozenset(names)
    changed = {variable: value for name in chosen for variable, value in _VARIABLES.get(name, {}).items()}
    limits = replace(case.limits, processors=1) if _PROCESSORS in chosen else case.limits
    return replace(
        case, env={**changed, **case.env}, limits=limits, reversed_files=case.reversed_files or _FILE_ORDER in chosen
    )
