"""What a report says, whatever its format, and the tests that a case lists by name. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from enum import StrEnum

from sandbox.records import dataclass

# Nobody looks at more, and counting more would take long.
MAX_TESTS = 50_000
MAX_DEPTH = 64
# What stands between the names of a test and of the groups that it is in.
NESTED = " > "


class Unreadable(Exception):
    """A file is no report of its format; the message is a clause that says why."""


class CutOff(Unreadable):
    """A file begins as a report and is cut off, as when the program that wrote it was ended."""


class State(StrEnum):
    """What became of a test."""

    PASSED = "passed"
    FAILED = "failed"
    # It did not run, or nobody wanted to know: skipped, pending, to be done.
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Reported:
    """One test of a report.

    Attributes:
        name: Its own.
        group: What it is in: a class, a file, or suites one in another; empty for none.
        state: What became of it.
    """

    name: str
    state: State
    group: str = ""

    @property
    def full_name(self) -> str:
        return f"{self.group}::{self.name}" if self.group else self.name


@dataclass(frozen=True, slots=True)
class Report:
    """What a runner wrote down.

    Attributes:
        tests: In its order; a name may come more than once.
        lost: How many more tests it had announced.
        cut_off: Why it is not complete, a clause; empty when it is.
    """

    tests: tuple[Reported, ...]
    lost: int = 0
    cut_off: str = ""

    def count(self, state: State) -> int:
        return sum(test.state is state for test in self.tests)

    @property
    def shows_failure(self) -> bool:
        """Whether a runner that wrote this must not have ended with exit status 0."""
        return bool(self.lost or self.cut_off) or any(test.state is State.FAILED for test in self.tests)


def nested(groups: Iterable[str]) -> str:
    """Return the names of groups, the outermost first, as one."""
    return NESTED.join(group for group in groups if group)


class Index:
    """The tests of a report by their names.

    A name that a case lists means every test whose full name (``group::name``) or own name it is. ``*`` stands for any
    text, and nothing else is special: names of tests are full of brackets and question marks.

    Args:
        tests: In any order.
    """

    def __init__(self, tests: Iterable[Reported]) -> None:
        self._states: defaultdict[str, set[State]] = defaultdict(set)
        for test in tests:
            for name in (test.full_name, test.name):
                self._states[name].add(test.state)

    def state(self, listed: str) -> State:
        """Return the state of all the tests that a listed name means: failed if one did, skipped if none ran."""
        listed = listed.strip()
        if "*" in listed:
            parts = listed.split("*")
            states = {state for name, found in self._states.items() if _matches(name, parts) for state in found}
        else:
            states = self._states.get(listed, set())
        return next((state for state in (State.FAILED, State.PASSED) if state in states), State.SKIPPED)


def _matches(name: str, parts: list[str]) -> bool:
    """Say whether a name is made of these parts with any text between them; in time that grows with its length."""
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
