"""The content of a test report in any format, and the lookup of the tests that a case lists by name. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import StrEnum

from gradebox.sandbox.records import dataclass

# Nobody reads about more tests, and counting more would take long.
MAX_TESTS = 50_000
MAX_DEPTH = 64
# The separator between the names of a test and of the groups that contain it.
NESTED = " > "


class Unreadable(Exception):
    """A file is not a report of its format; the message is a clause that says why."""


class CutOff(Unreadable):
    """A file begins as a report but is cut off, for example because its program was killed."""


class State(StrEnum):
    """The result of a test."""

    PASSED = "passed"
    FAILED = "failed"
    # It did not run, or its result does not count: skipped, pending, to be done.
    SKIPPED = "skipped"
    # A file or suite that failed before its tests were known.
    NOT_LOADED = "not_loaded"
    # A test that the case lists and no report names.
    ABSENT = "absent"


_FAILURES = (State.FAILED, State.NOT_LOADED)
# Several tests of one name count as the first of these states that one of them has.
_WORST_FIRST = (State.FAILED, State.PASSED, State.SKIPPED)
_BETWEEN = re.compile(r"::|\.| > ")
# A test's node id in pytest: file, classes, name, and parameters in brackets.
_NODE_ID = re.compile(r"(?P<file>[^\[:*]+)\.py(?P<names>(?:::[^\[:]+)+)(?P<parameters>\[.*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reported:
    """One test of a report."""

    name: str  # Its own name, without its groups.
    state: State  # Its result.
    group: str = ""  # The name of its class, file or nested suites; empty for none.
    why: str = ""  # Why a file could not be loaded, if the report says so.

    @property
    def full_name(self) -> str:
        return f"{self.group}::{self.name}" if self.group else self.name


@dataclass(frozen=True, slots=True)
class Report:
    """A runner's report."""

    tests: tuple[Reported, ...]  # In the report's order; a name may occur more than once.
    lost: int = 0  # How many announced tests are missing.
    cut_off: str = ""  # A clause that says why it is incomplete; empty if it is complete.

    def count(self, state: State) -> int:
        return sum(test.state is state for test in self.tests)

    @property
    def shows_failure(self) -> bool:
        """Whether the report contradicts exit status 0."""
        return bool(self.lost or self.cut_off) or any(test.state in _FAILURES for test in self.tests)


def nested(groups: Iterable[str]) -> str:
    """Join the names of groups, the outermost first, to one name."""
    return NESTED.join(group for group in groups if group)


def _reported_name(listed: str) -> str:
    """Return the full name that a JUnit report of pytest has for a node id; any other text unchanged."""
    found = _NODE_ID.fullmatch(listed)
    if found is None:
        return listed
    *classes, name = found["names"].split("::")[1:]
    group = ".".join((found["file"].removeprefix("./").replace("/", "."), *classes))
    return f"{group}::{name}{found['parameters'] or ''}"


class Index:
    """The tests of a report by their names.

    A listed name matches every test with this full name (``group::name``), own name or pytest node id. ``*`` stands for
    any text. No other character is special, because names of tests often contain brackets and question marks.
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
        """Return the joint state of all tests that a listed name matches: failed if one failed, skipped if none ran."""
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
    """Yield a full name, and the names of all groups that may contain the test."""
    yield name
    yield from (name[: found.start()] for found in _BETWEEN.finditer(name))


def _matches(name: str, parts: list[str]) -> bool:
    """Return whether a name consists of these parts with any text between them, in linear time."""
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
