"""How an interactor is started, and what is made of what it and the candidate did."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.checks.io.interactor import interactor_stages, talked
from gradebox.graders.checks.io.io import IoCheck
from gradebox.graders.grading.planner import Planner
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.model.evidence import Artifact, StepOutcome
from gradebox.graders.model.expectation import Content
from gradebox.graders.model.plan import Files, Role, Stage, Step, User
from gradebox.graders.model.tree import Tree
from gradebox.sandbox.types import Capture, Ending, Outcome

PLACE = Place(Path("case.yaml"))
ARGV = ("candidate", "--interact", "1", "2000000", "60", "100", "42", "talk", "python3", "solution.py")
STEP = Step(Role.TEST, "#1", ARGV, "/workspace", 1.0)
ENDED, TIMED_OUT, REFUSED = 16, 17, 18
REPORT: dict[str, Any] = {
    "answered": 1, "answer": [ENDED, 0], "start": [0, 0], "cpu_us": 20000, "rss_bytes": 1 << 20, "flooded": 0,
    "said_bytes": 4, "open_line": 0, "unread_bytes": 0, "status": 42 << 8, "hung": 0, "first": 0, "waited": 0,
    "asked_bytes": 4,
}  # fmt: skip


def ran(message: bytes = b"", **changes: Any) -> StepOutcome:
    text = json.dumps(REPORT | changes).encode() + b"\n> 1\n< 2\n"
    outcome = Outcome(Ending.EXITED, 1, report=Capture(text, total_bytes=len(text)))
    return StepOutcome(STEP, outcome, artifact=Artifact(message, missing=not message))


def planned(passes: int) -> tuple[Stage, ...]:
    check = IoCheck(name="io", place=PLACE, tests=(), timeout_seconds=2.0)
    planner = Planner(Case(id="case", place=PLACE, directory=Path("/case"), checks=(check,)), Files(Tree(), Tree()))
    commands = (CommandSpec(("talk",)), CommandSpec(("python3", "solution.py")))
    contents = (Content.of(b"in"), Content.of(b"answer"))
    return interactor_stages(check, planner, commands, "#1", contents, "kattis", seconds=60, passes=passes)


def test_an_interactor_is_the_grader_and_its_files_are_delivered_for_it_alone() -> None:
    first, second = planned(2)
    (step,) = first.steps
    assert step.user is User.GRADER
    assert first.apart
    paths = tuple(f"/workspace/{path}" for path in (".gradebox-io/input", ".gradebox-io/answer", ".gradebox-feedback"))
    assert step.argv == (
        "/.candidate/candidate", "--interact", "4", "2000000", "60", "8388608", "42", "talk", *paths,
        "python3", "solution.py",
    )  # fmt: skip
    assert step.command == ("talk", *paths)
    assert [entry.data for entry in first.delivered[1:]] == [b"in", b"answer"]
    assert [entry.data for entry in second.delivered[1:]] == [b"answer"]
    assert (first.next_input, second.next_input) == ("", ".gradebox-io/input")


@pytest.mark.parametrize(
    ("changes", "verdict", "reason"),
    [
        ({}, "AC", ""),
        ({"status": 43 << 8}, "WA", "no"),
        ({"status": 43 << 8, "answer": [REFUSED, 1], "first": 1}, "WA", "no"),
        ({"status": 43 << 8, "answer": [ENDED, 3 << 8]}, "RTE", "exit status 3"),
        ({"answer": [ENDED, 11]}, "RTE", "SIGSEGV"),
        ({"answer": [TIMED_OUT, 0]}, "TLE", "it used up its 2 s of processor time"),
        ({"answer": [TIMED_OUT, 1], "open_line": 1}, "TLE", "the last line that it printed has no end"),
        ({"answer": [TIMED_OUT, 1], "unread_bytes": 9}, "TLE", "it did not read 9 bytes"),
        ({"answer": [TIMED_OUT, 1], "said_bytes": 0}, "TLE", "it printed nothing"),
        ({"answer": [TIMED_OUT, 1]}, "TLE", "the interactor waited for it"),
        ({"flooded": 1, "answer": [REFUSED, 1], "status": 1 << 8}, "OLE", "8,388,608"),
        ({"rss_bytes": 1 << 30}, "MLE", "1024 MiB"),
        ({"waited": 1, "status": 1 << 8}, "WA", "it ended while the interactor waited for more (exit status 1)"),
        ({"waited": 1, "first": 1, "status": 1 << 8, "answer": [REFUSED, 1]}, "WA", "it closed its output"),
    ],
)
def test_what_the_candidate_does_is_its_verdict(changes: dict[str, Any], verdict: str, reason: str) -> None:
    found = talked([ran(b"no", **changes)], "kattis", 64 << 20)
    assert (found.result.verdict, found.result.fault) == (verdict, "")
    assert reason in found.result.reason
    assert found.ran.step.argv == ("python3", "solution.py")
    assert found.said == "> 1\n< 2\n"


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"status": 1 << 8, "first": 1, "answer": [REFUSED, 1]}, "exit status 1"),
        ({"status": 0}, "exit status 0; 42 accepts and 43 refuses"),
        ({"status": int(signal.SIGXCPU), "first": 1}, "it used more than 60 s of processor time"),
        ({"status": 9, "hung": 1, "waited": 1, "answer": [TIMED_OUT, 1]}, "it hangs"),
        ({"answer": [REFUSED, 11], "answered": 1}, "could not be started"),
    ],
)
def test_what_the_interactor_does_is_a_fault_of_the_case(changes: dict[str, Any], fault: str) -> None:
    found = talked([ran(**changes)], "kattis", None)
    assert fault in found.result.fault


def test_an_interactor_that_could_not_be_run_is_a_fault_of_the_case() -> None:
    outcome = Outcome(Ending.EXITED, 125, stderr=Capture(b"candidate: no", total_bytes=13))
    found = talked([StepOutcome(STEP, outcome)], "kattis", None)
    assert found.result.fault == "the interactor could not be run (candidate: no)"


def test_the_last_pass_decides() -> None:
    skipped = StepOutcome(STEP, Outcome(Ending.NOT_STARTED), skipped="no pass before it asked for one")
    assert talked([ran(), ran(b"no", status=43 << 8), skipped], "kattis", None).result.verdict == "WA"
    more = ran()
    asking = StepOutcome(more.step, more.outcome, artifact=more.artifact, further=True)
    assert "more than 2 passes" in talked([ran(), asking], "kattis", None).result.fault
