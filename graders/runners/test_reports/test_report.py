"""What a report says, whatever its format, and the tests that a case lists by name. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import StrEnum

from gradebox.sandbox.records import dataclass

# Nobody looks at more, and counting more would take long.
MAX_TESTS = 50_000
MAX_DEPTH = 64
# What stands between the names of a test and of the groups that it is in.
NESTED = " > "


class Unreadable(Exception):
    """A file is not a report of its format; the message is a clause that says why."""


class CutOff(Unreadable):
    """A file begins as a report and is cut off, as when the program that wrote it was ended."""


class State(StrEnum):
    """What became of a test."""

    PASSED = "passed"
    FAILED = "failed"
    # It did not run, or nobody wanted to know: skipped, pending, to be done.
    SKIPPED = "skipped"
    # A file, or a suite of tests, that did not come so far that its tests are known.
    NOT_LOADED = "not_loaded"
    # A test that the case lists and no report names.
    ABSENT = "absent"


_FAILURES = (State.FAILED, State.NOT_LOADED)
# What several tests of one name come to together: the first of these that one of them has.
_WORST_FIRST = (State.FAILED, State.PASSED, State.SKIPPED)
_BETWEEN = re.compile(r"::|\.| > ")
# A test as pytest prints it: its file, classes, its name, and the parameters in brackets.
_NODE_ID = re.compile(r"(?P<file>[^\[:*]+)\.py(?P<names>(?:::[^\[:]+)+)(?P<parameters>\[.*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reported:
    """One test of a report."""

    name: str  # Its own.
    state: State  # What became of it.
    group: str = ""  # What it is in: a class, a file, or suites one in another; empty for none.
    why: str = ""  # What a file could not be loaded for, if the report says so.

    @property
    def full_name(self) -> str:
        return f"{self.group}::{self.name}" if self.group else self.name


@dataclass(frozen=True, slots=True)
class Report:
    """What a runner wrote down."""

    tests: tuple[Reported, ...]  # In its order; a name may come more than once.
    lost: int = 0  # How many more tests it had announced.
    cut_off: str = ""  # Why it is not complete, a clause; empty when it is.

    def count(self, state: State) -> int:
        return sum(test.state is state for test in self.tests)

    @property
    def shows_failure(self) -> bool:
        """Whether a runner that wrote this must not have ended with exit status 0."""
        return bool(self.lost or self.cut_off) or any(test.state in _FAILURES for test in self.tests)


def nested(groups: Iterable[str]) -> str:
    """Return the names of groups, the outermost first, as one."""
    return NESTED.join(group for group in groups if group)


def _reported_name(listed: str) -> str:
    """Return the full name that a JUnit report of pytest has for a node id, any other text as it is."""
    found = _NODE_ID.fullmatch(listed)
    if found is None:
        return listed
    *classes, name = found["names"].split("::")[1:]
    group = ".".join((found["file"].removeprefix("./").replace("/", "."), *classes))
    return f"{group}::{name}{found['parameters'] or ''}"


class Index:
    """The tests of a report by their names.

    A name that a case lists means every test whose full name (``group::name``), own name or pytest node id it is. ``*``
    stands for any text, and nothing else is special: names of tests are full of brackets and question marks.
    """

    def __init__(self, tests: Iterable[Reported]) -> None:
        self._states: defaultdict[str, set[State]] = defaultdict(set)
        self._not_loaded: set[str] = set()
        for test in tests:
            if test.state is State.NOT_LOADED:
                self._not_loaded.add(test.full_name)
                continue
            for name in (test.full_name, test.name):
                self._states[name].add(test.state)

    def state(self, listed: str) -> State:
        """Return the state of all the tests that a listed name means: failed if one did, skipped if none ran."""
        listed = listed.strip()
        name = listed if listed in self._states else _reported_name(listed)
        if "*" in name:
            parts = name.split("*")
            states = {state for each, found in self._states.items() if _matches(each, parts) for state in found}
        else:
            states = self._states.get(name, set())
        absent = State.ABSENT if self._not_loaded.isdisjoint(_around(name)) else State.NOT_LOADED
        return next((state for state in _WORST_FIRST if state in states), absent)


def _around(name: str) -> Iterator[str]:
    """Yield a full name, and those of all that the test may be in."""
    yield name
    yield from (name[: found.start()] for found in _BETWEEN.finditer(name))


def _matches(name: str, parts: list[str]) -> bool:
    """Return whether a name is made of these parts with any text between them; in time that grows with its length."""
    first, *middle, last = parts
    if len(name) < len(first) + len(last) or not name.startswith(first) or not name.endswith(last):
        return False
    at, end = len(first), len(name) - len(last)
    for part in middle:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
