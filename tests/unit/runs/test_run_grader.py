"""Who listens to a grader, and what it takes over."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_engine import FakeEngine
from grading_bench import write

from gradebox.graders import Task, load_case
from gradebox.graders.errors import RunRefused
from gradebox.graders.model.events import CaseGraded, Event
from gradebox.graders.model.submission import UNTOUCHED
from gradebox.graders.runs.run_grader import RunGrader

CASE = 'image: image\nassertions: [{type: code-grader, command: ["check"]}]\n'


@pytest.fixture
def case(tmp_path: Path) -> Path:
    write(tmp_path / "case", {"case.yaml": CASE, "workspace/a": "stub"})
    return tmp_path / "case"


def test_what_a_listener_raises_is_raised_to_whoever_grades(case: Path) -> None:
    class Enough(Exception):
        pass

    def hear(event: Event) -> None:
        raise Enough(type(event).__name__)

    engine = FakeEngine()
    with RunGrader(engine=engine).wired(emit=hear) as grader, pytest.raises(Enough, match="CaseStarted"):
        grader.grade(case)
    assert engine.open_containers == ()


def test_what_was_known_before_and_cannot_be_read_is_no_bug(case: Path) -> None:
    def known(*_: object) -> None:
        raise RunRefused("It is gone.")

    with RunGrader(engine=FakeEngine()).wired(known=known) as grader:
        graded = grader.grade(case)
    assert graded.verdict.reasons == ("It is gone.",)


def test_events_reach_the_listener(case: Path) -> None:
    events: list[Event] = []
    with RunGrader(engine=FakeEngine()).wired(emit=events.append) as grader:
        graded = grader.grade(case)
    assert events[-1] == CaseGraded(graded)


def test_events_tell_repeats_apart(case: Path) -> None:
    events: list[Event] = []
    with RunGrader(engine=FakeEngine()).wired(emit=events.append) as grader:
        list(grader.grade_many(Task(load_case(case), UNTOUCHED, repeat) for repeat in (1, 2)))
    assert [event.result.repeat if isinstance(event, CaseGraded) else event.repeat for event in events] == [
        1, 1, 1, 2, 2, 2,
    ]  # fmt: skip
