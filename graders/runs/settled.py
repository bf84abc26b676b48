"""Decides whether cases of a run are judged apart or in-process, before the first grading, and records the decision.

A run judges all submissions to a case in the same way. A continued run, and scoring verdicts again, take over
the recorded decision (the crossing). With a disk limit, the first grading of a case decides: only then is its image
there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from threading import Lock
from typing import Any, Protocol

from gradebox.graders.grading.apart.settling import can_be_apart
from gradebox.graders.model.case import Case
from gradebox.graders.model.crossing import Crossing, Isolation, as_document, of_document
from gradebox.graders.model.events import CasesSettled

# The key of the crossings in the record of a run.
CROSSINGS = "crossings"

Name = tuple[str, str | None]
"""A case's id and target."""


class Settler(Protocol):
    """What a run needs to settle a case."""

    def settle(self, case: Case, known: Crossing | None = None) -> Case:
        """Return a case with its crossing; `known` is an earlier one, which is valid if the case is unchanged."""


def name_of(case: Case) -> Name:
    return case.id, case.target


def settle_all(grader: Settler, cases: Iterable[Case], known: Mapping[Name, Crossing], jobs: int) -> dict[Name, Case]:
    """Settle cases, several at a time. The crossing of a case that cannot be settled has a `problem`."""
    named = {name_of(case): case for case in cases}
    wanted = [name for name, case in named.items() if case.has_reference and can_be_apart(case)]
    if not wanted:
        return named
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda name: grader.settle(named[name], known.get(name)), wanted)
        return named | dict(zip(wanted, found, strict=True))


class LateCrossings:
    """The crossings that become known while a run grades. Several threads may use it.

    Args:
        record: The record of the continued run; empty for a new run.
        keep: Writes the crossings to the record.
    """

    def __init__(self, record: Mapping[str, Any], keep: Callable[[Mapping[str, Any]], None]) -> None:
        self._found, self._keep = recorded(record), keep
        self._lock = Lock()

    def note(self, case: Case, crossing: Crossing | None) -> None:
        """Record the crossing of a case that was not settled yet, before its verdict. Raises what `keep` raises."""
        if case.crossing is not None or crossing is None or self._found.get(name_of(case)) == crossing:
            return
        with self._lock:
            self._found[name_of(case)] = crossing
            self._keep(listed(self._found))

    def summary(self, cases: Iterable[Case]) -> CasesSettled | None:
        """Return how many of the cases are judged in each way, like the function `summary`."""
        return summary(replace(case, crossing=self._found.get(name_of(case))) for case in cases)


def record_of(cases: Iterable[Case]) -> dict[str, Any]:
    """Return the part of a run's record about settled cases."""
    return listed({name_of(one): one.crossing for one in cases if one.crossing and not one.crossing.problem})


def listed(crossings: Mapping[Name, Crossing]) -> dict[str, Any]:
    """Return the part of a run's record for these crossings; empty if there are none."""
    found = [{"case": case, "target": target, **as_document(one)} for (case, target), one in crossings.items()]
    return {CROSSINGS: found} if found else {}


def recorded(record: Mapping[str, Any]) -> dict[Name, Crossing]:
    """Return the crossings in the record of a run, without those that cannot be read."""
    return dict(_each(record.get(CROSSINGS)))


def _each(listed: Any) -> Iterator[tuple[Name, Crossing]]:
    for one in listed if isinstance(listed, list) else ():
        with suppress(ValueError, TypeError, KeyError):
            yield (str(one["case"]), one["target"]), of_document(one)


def with_recorded(cases: Iterable[Case], record: Mapping[str, Any]) -> tuple[Case, ...]:
    """Return cases with the crossings that a run recorded."""
    known = recorded(record)
    return tuple(replace(case, crossing=known.get(name_of(case))) for case in cases)


def summary(cases: Iterable[Case]) -> CasesSettled | None:
    """Return how many of the cases with open isolation are judged in each way, None if there are none."""
    apart = in_process = without = 0
    for case in {name_of(one): one for one in cases if one.is_open and can_be_apart(one)}.values():
        if case.crossing is None:
            without += 1
        elif not case.crossing.problem:
            apart += case.crossing.isolation is Isolation.APART
            in_process += case.crossing.isolation is Isolation.IN_PROCESS
    return CasesSettled(apart, in_process, without) if apart or in_process or without else None
