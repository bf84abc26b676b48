"""How the cases of a run are judged: settled before its first grading, and recorded in its directory.

All submissions of a run are judged in the same way. A run that is continued, and verdicts that are scored again, take
over what the record says. With a limit of disk, a case is settled by its first grading: only then is its image there.
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

# Under which the record of a run has them.
CROSSINGS = "crossings"

Name = tuple[str, str | None]
"""A case's id and target."""


class Settler(Protocol):
    """What a run needs to settle a case."""

    def settle(self, case: Case, known: Crossing | None = None) -> Case:
        """Return a case with its crossing; `known` is an earlier one, which holds if the case is the same."""


def name_of(case: Case) -> Name:
    return case.id, case.target


def settle_all(grader: Settler, cases: Iterable[Case], known: Mapping[Name, Crossing], jobs: int) -> dict[Name, Case]:
    """Settle cases, several at a time; what cannot be settled has a `problem`."""
    named = {name_of(case): case for case in cases}
    wanted = [name for name, case in named.items() if case.has_reference and can_be_apart(case)]
    if not wanted:
        return named
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda name: grader.settle(named[name], known.get(name)), wanted)
        return named | dict(zip(wanted, found, strict=True))


class LateCrossings:
    """The crossings that become known while a run grades. May be used from several threads.

    Args:
        record: Of the run that is continued, empty for a new one.
        keep: Writes the part of the record that says how cases are judged.
    """

    def __init__(self, record: Mapping[str, Any], keep: Callable[[Mapping[str, Any]], None]) -> None:
        self._found, self._keep = recorded(record), keep
        self._lock = Lock()

    def note(self, case: Case, crossing: Crossing | None) -> None:
        """Write how a case is judged that no one has settled, before a verdict of it is. Raises what `keep` raises."""
        if case.crossing is not None or crossing is None or self._found.get(name_of(case)) == crossing:
            return
        with self._lock:
            self._found[name_of(case)] = crossing
            self._keep(listed(self._found))

    def summary(self, cases: Iterable[Case]) -> CasesSettled | None:
        """Return how many of the cases are judged in which way, as `summary`."""
        return summary(replace(case, crossing=self._found.get(name_of(case))) for case in cases)


def record_of(cases: Iterable[Case]) -> dict[str, Any]:
    """Return what a run directory records of settled cases."""
    return listed({name_of(one): one.crossing for one in cases if one.crossing and not one.crossing.problem})


def listed(crossings: Mapping[Name, Crossing]) -> dict[str, Any]:
    """Return the part of a record that says how cases are judged; nothing if there are none."""
    found = [{"case": case, "target": target, **as_document(one)} for (case, target), one in crossings.items()]
    return {CROSSINGS: found} if found else {}


def recorded(record: Mapping[str, Any]) -> dict[Name, Crossing]:
    """Return what the record of a run says, as far as it can be read."""
    return dict(_each(record.get(CROSSINGS)))


def _each(listed: Any) -> Iterator[tuple[Name, Crossing]]:
    for one in listed if isinstance(listed, list) else ():
        with suppress(ValueError, TypeError, KeyError):
            yield (str(one["case"]), one["target"]), of_document(one)


def with_recorded(cases: Iterable[Case], record: Mapping[str, Any]) -> tuple[Case, ...]:
    """Return cases as a run has judged them."""
    known = recorded(record)
    return tuple(replace(case, crossing=known.get(name_of(case))) for case in cases)


def summary(cases: Iterable[Case]) -> CasesSettled | None:
    """Return how many cases that leave it open are judged in which way, None if there is none."""
    apart = in_process = without = 0
    for case in {name_of(one): one for one in cases if one.is_open and can_be_apart(one)}.values():
        if case.crossing is None:
            without += 1
        elif not case.crossing.problem:
            apart += case.crossing.isolation is Isolation.APART
            in_process += case.crossing.isolation is Isolation.IN_PROCESS
    return CasesSettled(apart, in_process, without) if apart or in_process or without else None
