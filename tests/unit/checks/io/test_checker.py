"""How a checker is called, and what its exit status means."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.checks.io.checker import Protocol, checked, checker_stage
from gradebox.graders.checks.io.io import IoCheck
from gradebox.graders.checks.io.verdicts import RunVerdict
from gradebox.graders.grading.planner import Planner
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.model.evidence import Artifact, StepOutcome
from gradebox.graders.model.expectation import Content
from gradebox.graders.model.plan import Files, Role, Step, User
from gradebox.graders.model.tree import Tree
from gradebox.sandbox.types import Ending, Outcome

PLACE = Place(Path("case.yaml"))
STEP = Step(Role.CHECKER, "#1", ("check",), "/workspace", 1.0)


@pytest.mark.parametrize(
    ("words", "argv"),
    [
        (("check",), ("check", "{0}/.gradebox-io/input", "{0}/.gradebox-io/answer", "{0}/.gradebox-feedback")),
        (("check", "{output}", "{answer}"), ("check", "{0}/.gradebox-io/output", "{0}/.gradebox-io/answer")),
    ],
)
def test_a_checker_gets_files(words: tuple[str, ...], argv: tuple[str, ...]) -> None:
    check = IoCheck(name="io", place=PLACE, tests=())
    planner = Planner(Case(id="case", place=PLACE, directory=Path("/case"), checks=(check,)), Files(Tree(), Tree()))
    contents = (Content.of(b"in"), Content.of(b"answer", Path("1.ans")))
    stage = checker_stage(check, planner, CommandSpec(words), "#1", contents, "kattis")
    assert stage.steps[0].argv == tuple(word.format("/workspace") for word in argv)
    assert stage.steps[0].user is User.SHARED
    assert [(entry.path, entry.data, entry.source) for entry in stage.delivered[1:]] == [
        (".gradebox-io/input", b"in", None), (".gradebox-io/answer", None, Path("1.ans")),
    ]  # fmt: skip
    assert (stage.output_path, stage.accepts) == (".gradebox-io/output", 42)


@pytest.mark.parametrize(
    ("protocol", "status", "verdict"),
    [("kattis", 42, "AC"), ("kattis", 43, "WA"), ("exit", 0, "AC"), ("exit", 1, "WA")],
)
def test_two_statuses_are_an_answer(protocol: Protocol, status: int, verdict: str) -> None:
    ran = StepOutcome(STEP, Outcome(Ending.EXITED, status), artifact=Artifact(b"no path\n"))
    found = checked(ran, protocol)
    assert found.verdict == verdict
    assert found.reason == ("no path" if verdict == "WA" else "")
    assert not found.fault


@pytest.mark.parametrize(
    ("protocol", "outcome"),
    [
        ("kattis", Outcome(Ending.EXITED, 0)),
        ("kattis", Outcome(Ending.EXITED, 1)),
        ("exit", Outcome(Ending.EXITED, 42)),
        ("kattis", Outcome(Ending.TIMED_OUT)),
        ("exit", Outcome(Ending.SIGNALLED, None, 11)),
    ],
)
def test_anything_else_is_a_mistake_of_the_checker(protocol: Protocol, outcome: Outcome) -> None:
    found = checked(StepOutcome(STEP, outcome), protocol)
    assert found.verdict is RunVerdict.NOT_RUN
    assert found.fault.startswith("the checker cannot judge it")
