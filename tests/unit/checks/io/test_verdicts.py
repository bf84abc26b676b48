"""What a test came to, by how its program ended and what the comparison said."""

from __future__ import annotations

import pytest

from gradebox.graders.checks.io.verdicts import RunResult, RunVerdict, result_of
from gradebox.graders.model.evidence import StepOutcome
from gradebox.graders.model.expectation import OutputComparison
from gradebox.graders.model.plan import Role, Step
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.linux import Errno
from gradebox.sandbox.types import Ending, Outcome, ResourceUsage

STEP = Step(Role.TEST, "#1", ("./solve",), "/workspace", 1.0, program_is_ours=False)
RIGHT = OutputComparison(accepted=True)
WRONG = OutputComparison(False, "line 1, column 1", "3", "4")


@pytest.mark.parametrize(
    ("outcome", "comparison", "verdict"),
    [
        (Outcome(Ending.EXITED, 0), RIGHT, "AC"),
        (Outcome(Ending.EXITED, 0), WRONG, "WA"),
        (Outcome(Ending.EXITED, 1), None, "RTE"),
        (Outcome(Ending.SIGNALLED, None, 11), None, "RTE"),
        (Outcome(Ending.NOT_STARTED, errno=Errno.ENOENT, refused="program"), None, "RTE"),
        (Outcome(Ending.TIMED_OUT), None, "TLE"),
        (Outcome(Ending.OUT_OF_MEMORY), None, "MLE"),
        (Outcome(Ending.OUTPUT_LIMIT), None, "OLE"),
        (Outcome(Ending.EXITED, 0, usage=ResourceUsage(peak_rss_bytes=65 * MIB)), RIGHT, "MLE"),
        (Outcome(Ending.SIGNALLED, None, 9, usage=ResourceUsage(peak_rss_bytes=65 * MIB)), None, "MLE"),
    ],
)
def test_every_ending_has_a_word(outcome: Outcome, comparison: OutputComparison | None, verdict: str) -> None:
    found = result_of(StepOutcome(STEP, outcome, comparison=comparison), 64 * MIB)
    assert found.verdict == verdict
    assert found.score == float(verdict == "AC")
    assert not found.fault


@pytest.mark.parametrize(
    ("outcome", "comparison"),
    [
        (Outcome(Ending.SANDBOX_LOST), None),
        (Outcome(Ending.EXITED, 0), None),
        (Outcome(Ending.EXITED, 0), OutputComparison(False, problem="no JSON")),
    ],
)
def test_what_cannot_be_judged_is_nobodys_failure(outcome: Outcome, comparison: OutputComparison | None) -> None:
    assert result_of(StepOutcome(STEP, outcome, comparison=comparison), None).fault


def test_a_test_that_was_left_out_says_why() -> None:
    found = result_of(StepOutcome(STEP, Outcome(Ending.NOT_STARTED), skipped="#0 failed"), None)
    assert (found.verdict, found.reason, found.fault) == (RunVerdict.NOT_RUN, "not run: #0 failed", "")


def test_a_wrong_answer_shows_both_outputs() -> None:
    found = result_of(StepOutcome(STEP, Outcome(Ending.EXITED, 0), comparison=WRONG), None)
    assert found.reason == "line 1, column 1: expected '3', got '4'"


def test_a_checker_judges_what_kept_its_limits() -> None:
    said = RunResult(RunVerdict.ACCEPTED, score=1.0)
    assert result_of(StepOutcome(STEP, Outcome(Ending.EXITED, 0)), 64 * MIB, said) is said
    large = Outcome(Ending.EXITED, 0, usage=ResourceUsage(peak_rss_bytes=65 * MIB))
    assert result_of(StepOutcome(STEP, large), 64 * MIB, said).verdict is RunVerdict.MEMORY_LIMIT
