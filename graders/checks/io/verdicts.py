"""The verdict of one test of a program, in the terms of programming contests. Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from gradebox.graders.checks.results import ending_sentence, last_words, whose_fault
from gradebox.graders.model.evidence import StepOutcome
from gradebox.sandbox.ending import Fault
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.types import Ending


class RunVerdict(StrEnum):
    """The verdict of one test."""

    ACCEPTED = "AC"
    WRONG_ANSWER = "WA"
    TIME_LIMIT = "TLE"
    MEMORY_LIMIT = "MLE"
    OUTPUT_LIMIT = "OLE"
    RUN_TIME_ERROR = "RTE"
    COMPILE_ERROR = "CE"
    # It did not run, due to an earlier test or the time of the case.
    NOT_RUN = "-"


class RunResult(NamedTuple):
    """The result of one test.

    Attributes:
        score: From 0 to 1.
        reason: Why it was not accepted, a clause.
        fault: Why it could not be judged, through no fault of the candidate; empty if it was judged.
    """

    verdict: RunVerdict
    score: float = 0.0
    reason: str = ""
    fault: str = ""


def result_of(ran: StepOutcome, memory_bytes: int | None, said: RunResult | None = None) -> RunResult:
    """Return the result of a test that was run or skipped.

    Args:
        ran: Its outcome.
        memory_bytes: Its own memory limit.
        said: The checker's result; None if the output was compared.
    """
    if ran.skipped:
        return RunResult(RunVerdict.NOT_RUN, reason=f"not run: {ran.skipped}")
    outcome = ran.outcome
    if whose_fault(ran) in (Fault.AUTHOR, Fault.OURS):
        return RunResult(RunVerdict.NOT_RUN, fault=ending_sentence(ran))
    used = outcome.usage.peak_rss_bytes
    match outcome.ending:
        case Ending.TIMED_OUT:
            return RunResult(RunVerdict.TIME_LIMIT, reason=outcome.detail)
        case Ending.OUT_OF_MEMORY:
            return RunResult(RunVerdict.MEMORY_LIMIT, reason=outcome.detail)
        case Ending.OUTPUT_LIMIT:
            return RunResult(RunVerdict.OUTPUT_LIMIT, reason=outcome.detail)
    if memory_bytes is not None and used > memory_bytes:
        reason = f"a process of it used {used / MIB:.0f} MiB, of {memory_bytes / MIB:.0f}"
        return RunResult(RunVerdict.MEMORY_LIMIT, reason=reason)
    if outcome.exit_code != 0:
        return RunResult(RunVerdict.RUN_TIME_ERROR, reason=f"{ending_sentence(ran)}{last_words(ran)}")
    return said or _of_comparison(ran)


def _of_comparison(ran: StepOutcome) -> RunResult:
    found = ran.comparison
    if found is None and not ran.outcome.stdout.complete:
        return RunResult(RunVerdict.OUTPUT_LIMIT, reason="its output is too long to be compared")
    if found is None or found.problem:
        return RunResult(RunVerdict.NOT_RUN, fault=found.problem if found else "its output was not compared")
    if found.accepted:
        return RunResult(RunVerdict.ACCEPTED, score=1.0)
    return RunResult(RunVerdict.WRONG_ANSWER, reason=_difference(found.reason, found.expected, found.actual))


def _difference(where: str, expected: str, actual: str) -> str:
    parts = [f"expected {expected!r}" if expected else "", f"got {actual!r}" if actual else ""]
    return ": ".join(filter(None, (where, ", ".join(filter(None, parts)))))
