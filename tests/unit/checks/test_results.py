"""From what happened to a result: what all types of check share."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.results import (
    ending_sentence,
    error,
    not_found,
    record,
    scored,
    unfinished,
    wanted_score,
    whose_fault,
)
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.model.evidence import StepOutcome
from gradebox.graders.model.plan import Role, Step
from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.graders.model.verdict import CheckResult, Status
from gradebox.sandbox.ending import Fault
from gradebox.sandbox.types import Ending, Outcome

PLACE = Place(Path("case.yaml"))
BENT = Tampering(TamperingKind.CONTROL_PASSED, "its control passed", "exit status 0")


def spec(**changes: Any) -> CodeGrader:
    return CodeGrader(**{"name": "login", "place": PLACE, "command": CommandSpec(("true",))} | changes)


def case(threshold: float = 0.8) -> Case:
    return Case("case", PLACE, Path("/case"), (spec(),), threshold=threshold)


def done(outcome: Outcome, program: str = "pytest", *, ours: bool = True) -> StepOutcome:
    return StepOutcome(Step(Role.CHECK, "login", (program, "-q"), "/workspace", 5.0, program_is_ours=ours), outcome)


def not_started(number: int, refused: str = "program", detail: str = "") -> Outcome:
    return Outcome(Ending.NOT_STARTED, errno=number, refused=refused, detail=detail)


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (Outcome(Ending.EXITED, 0), "exit status 0"),
        (Outcome(Ending.EXITED, 3), "exit status 3"),
        (Outcome(Ending.SIGNALLED, signal=11, detail="It crashed."), "signalled: It crashed."),
        (Outcome(Ending.TIMED_OUT, detail="It was slow."), "timed out: It was slow."),
        (Outcome(Ending.OUT_OF_MEMORY), "out of memory"),
        (Outcome(Ending.OUTPUT_LIMIT, detail="It printed."), "output limit: It printed."),
        (Outcome(Ending.SANDBOX_LOST, detail="It is gone."), "sandbox lost: It is gone."),
        (not_started(errno.ENOENT), not_found("pytest")),
        (not_started(errno.EACCES), "the program 'pytest' cannot be executed"),
        (not_started(errno.ENOENT, "cwd", "There is no src."), "There is no src."),
        (not_started(errno.EAGAIN, detail="No process left."), "it could not be started: No process left."),
    ],
)  # fmt: skip
def test_how_a_step_ended_is_said_in_a_few_words(outcome: Outcome, said: str) -> None:
    assert ending_sentence(done(outcome)) == said


@pytest.mark.parametrize(
    ("outcome", "program", "ours", "whose"),
    [
        (Outcome(Ending.EXITED, 0), "pytest", True, Fault.NONE),
        (Outcome(Ending.EXITED, 1), "pytest", True, Fault.NONE),
        (Outcome(Ending.TIMED_OUT), "pytest", True, Fault.CANDIDATE),
        (Outcome(Ending.SANDBOX_LOST), "pytest", True, Fault.OURS),
        (not_started(errno.ENOENT), "pytest", True, Fault.AUTHOR),
        (not_started(errno.ENOENT), "grading/run.sh", True, Fault.AUTHOR),
        (not_started(errno.ENOENT), "build/program", False, Fault.CANDIDATE),
        (not_started(errno.ENOENT), "/workspace/build/program", False, Fault.CANDIDATE),
        (not_started(errno.ENOENT), "/opt/program", False, Fault.AUTHOR),
        (not_started(errno.ENOENT, "cwd"), "pytest", True, Fault.CANDIDATE),
        (not_started(errno.EAGAIN), "build/program", False, Fault.OURS),
    ],
)
def test_whose_fault(outcome: Outcome, program: str, *, ours: bool, whose: Fault) -> None:
    assert whose_fault(done(outcome, program, ours=ours)) is whose


@pytest.mark.parametrize(
    ("min_score", "threshold", "wanted"), [(None, 0.8, 0.8), (None, 0.5, 0.5), (0.3, 0.8, 0.3), (0.0, 0.8, 0.0)]
)
def test_a_check_passes_at_its_own_score_or_at_the_threshold(
    min_score: float | None, threshold: float, wanted: float
) -> None:
    assert wanted_score(spec(min_score=min_score), case(threshold)) == wanted


@given(score=st.floats(0, 1), min_score=st.none() | st.floats(0, 1), negate=st.booleans(), bent=st.booleans())
def test_a_judged_check_passes_exactly_when_its_final_score_reaches_what_is_wanted(
    score: float, min_score: float | None, *, negate: bool, bent: bool
) -> None:
    tampering = (BENT,) if bent else ()
    found = scored(spec(min_score=min_score, negate=negate), case(), score, tampering=tampering)
    assert found.score is not None
    if bent:
        assert (found.status, found.score) == (Status.FAILED, 0.0)
        return
    assert found.score == (1 - score if negate else score)
    assert (found.status is Status.PASSED) == (found.score >= found.wanted - 1e-9)


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize("min_score", [None, 0.0])
@pytest.mark.parametrize(("make", "status", "score"), [(error, Status.ERROR, None), (unfinished, Status.FAILED, 0.0)])
def test_negate_turns_round_neither_an_error_nor_what_was_kept_from_being_judged(
    make: Callable[..., CheckResult], status: Status, score: float | None, *, negate: bool, min_score: float | None
) -> None:
    asked = spec(negate=negate, min_score=min_score, weight=3.0, required=True)
    found = make(asked, case(), "why", (), (BENT,))
    assert (found.status, found.score, found.reason, found.tampering) == (status, score, "why", (BENT,))
    assert (found.name, found.type, found.weight, found.required, found.negate) == (
        "login", "code-grader", 3.0, True, negate,
    )  # fmt: skip
    assert found.missed is (status is Status.FAILED)


def test_a_record_says_what_was_run_and_what_came_of_it() -> None:
    ran = done(Outcome(Ending.EXITED, 1))
    found = record(ran, passed=False, reason="exit status 1")
    assert (found.role, found.name, found.argv, found.passed, found.reason) == (
        "check", "login", ("pytest", "-q"), False, "exit status 1",
    )  # fmt: skip
    assert record(ran, passed=True, reason="", name="item 3").name == "item 3"
