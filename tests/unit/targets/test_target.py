"""What every target does with what goes wrong: it is in the submission, and nothing is raised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fake_engine import FakeEngine

from gradebox.graders.errors import GraderError
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case, Message, Place, Turn
from gradebox.graders.model.events import Event, StepStarted
from gradebox.graders.model.submission import Submission
from gradebox.graders.submissions.answer import read_answer
from gradebox.graders.targets.target import Target
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.errors import EngineUnavailable


class Made(Target):
    outcome: Any

    def make(self, engine: Engine, case: Case, settings: Settings) -> Submission:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def produce(outcome: Submission | Exception, settings: Settings | None = None) -> Submission:
    root = Path("/case")
    case = Case("fix", Place(root / "case.yaml"), root, (), language="python")
    target = Made(name="agent", place=Place(root), outcome=outcome)
    return target.produce(FakeEngine(), case, settings or Settings(image_of=lambda _: "image"))


def test_the_code_of_an_answer_is_the_work() -> None:
    made = produce(read_answer("agent", "```python\nx = 1\n```\n"))
    assert list(made.tree.entries) == ["solution.py"]


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (GraderError("The hook failed."), "The hook failed."),
        (EngineUnavailable("It is away."), "It is away."),
        (OSError("gone"), "A file for the target agent cannot be read: gone."),
    ],
)
def test_what_goes_wrong_is_a_fault_and_not_the_candidates(error: Exception, fault: str) -> None:
    made = produce(error)
    assert (made.name, made.fault.partition(" `")[0], made.problem) == ("agent", fault, "")


def test_a_run_that_was_stopped_makes_nothing() -> None:
    events: list[Event] = []
    settings = Settings(image_of=lambda _: "image", emit=events.append)
    settings.stop.set()
    assert produce(Submission("agent"), settings).fault == "The run was interrupted."
    assert events == []


def test_a_target_that_starts_is_an_event() -> None:
    events: list[Event] = []
    produce(Submission("agent"), Settings(image_of=lambda _: "image", emit=events.append))
    assert events == [StepStarted("fix", "agent", "the target agent", 1, 1)]


def test_a_conversation_is_no_zero_of_a_target_that_answers_once() -> None:
    root = Path("/case")
    case = Case("fix", Place(root / "case.yaml"), root, (), turns=(Turn((Message("user", "Hello."),)),))
    target = Made(name="agent", place=Place(root), outcome=Submission("agent"))
    made = target.produce(FakeEngine(), case, Settings(image_of=lambda _: "image"))
    assert made.fault == "the target agent answers once and cannot hold a conversation"
