"""Events of a run, and a clock, for the tests of whatever listens to a run."""

from __future__ import annotations

from datetime import UTC, datetime

from gradebox.graders.model.events import CaseGraded, CaseStarted, Event, StepStarted
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status, Verdict

PASSED = Verdict(Status.PASSED, 1.0, 1.0, None, 0.8, ())
GRADED = Result("0123", "case", "work", PASSED, datetime(2026, 1, 31, tzinfo=UTC))
CASE_GRADED = CaseGraded(GRADED)
EVENTS: tuple[Event, ...] = (CaseStarted("case", "work"), StepStarted("case", "work", "login", 2, 7), CASE_GRADED)


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now
