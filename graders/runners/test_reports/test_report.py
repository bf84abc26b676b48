"""What a report says, whatever its format. Data only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

# Nobody looks at more, and whoever writes more wants to be counted slowly.
MAX_TESTS = 50_000
MAX_DEPTH = 64
# What stands between the names of a test and of the groups that it is in.
NESTED = " > "


class Unreadable(Exception):
    """A file is no report of its format; the message is a clause that says how."""


class CutOff(Unreadable):
    """A file begins as a report and ends before its end: whoever wrote it was ended too."""


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
