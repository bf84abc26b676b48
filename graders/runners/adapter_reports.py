"""What our runner of a test runner reported, and what that makes of the exit status and of a test report. Pure.

`adapters` has the protocol.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from graders.model.plan import Step
from graders.model.tampering import Tampering, TamperingKind
from graders.runners.adapter_heads import Adapter
from graders.runners.command_line import is_shell
from sandbox.defences import Defence, is_on
from sandbox.types import Outcome

NOT_FOUND_STATUS = 127
_COUNTS = re.compile(r"(\d{1,9}) (\d{1,9})")
_WHAT_MAX_CHARACTERS = 300
# Reports of the others may have a test to be done as one that passed, or count the parts of a test.
_COUNTS_AS_ITS_REPORT = frozenset({Adapter.PYTEST, Adapter.NODE_TEST, Adapter.BUN_TEST, Adapter.VITEST})


@dataclass(frozen=True, slots=True)
class RunnerReport:
    """What a runner wrote to descriptor 3.

    Attributes:
        done: How many tests ran and how many failed, None if it did not come to its end.
        controls: What passed that must fail.
        skipped: Which tests the code under test had skipped.
        missing: The program that the image lacks, "" for none.
    """

    done: tuple[int, int] | None = None
    controls: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    missing: str = ""


def told(token: str, report: bytes) -> RunnerReport:
    """Read what a runner wrote; lines without its token, and those that make no sense, are nothing."""
    found: dict[str, list[str]] = {}
    for line in report.decode("utf-8", "replace").split("\n"):
        start, _, rest = line.partition(" ")
        if token and start == token:
            word, _, what = rest.partition(" ")
            found.setdefault(word, []).append(what[:_WHAT_MAX_CHARACTERS])
    counts = [tuple(map(int, pair.groups())) for what in found.get("done", ()) if (pair := _COUNTS.fullmatch(what))]
    return RunnerReport(
        (counts[-1][0], counts[-1][1]) if counts else None,
        tuple(dict.fromkeys(found.get("control", ()))),
        tuple(dict.fromkeys(found.get("skipped", ()))),
        next(iter(found.get("missing", ())), ""),
    )


def _reported(outcome: Outcome) -> bytes:
    """Return what was reported, nothing where a part of it was lost: that part may be what speaks against a pass.

    A runner writes little. Whoever shares its process may write so much more that not all is kept.
    """
    return outcome.report.content() if outcome.report.complete else b""


@dataclass(frozen=True, slots=True)
class RunnerJudgment:
    """What a runner's report makes of the exit status of its command.

    Attributes:
        reason: Why the status counts for nothing and the score is 0; empty where the status stands.
        tampering: What the submission did to its judge.
        missing: The program that the image lacks, "" for none.
    """

    reason: str = ""
    tampering: tuple[Tampering, ...] = ()
    missing: str = ""


def overstated(step: Step, outcome: Outcome, adapter: Adapter, passed: int) -> str:
    """Say that more tests passed by a test report than the runner has counted; empty where that is not so.

    Whoever shares the runner's process or user can write the report, and a failure of its own explains the status.

    Args:
        step: What was run.
        outcome: What happened.
        adapter: Which runner it was.
        passed: How many passed by the report.
    """
    done = told(step.token, _reported(outcome)).done
    if done is None or adapter not in _COUNTS_AS_ITS_REPORT or passed <= max(0, done[0] - done[1]):
        return ""
    return f"{passed} tests passed by the report, and {max(0, done[0] - done[1])} by the count of the test runner"


def judge(step: Step, outcome: Outcome, *, needs_end: bool = False) -> RunnerJudgment:
    """Judge an adapted command.

    Args:
        step: What was run.
        outcome: What happened.
        needs_end: Whether something is granted for this exit status, so that it must be the test runner's own.
    """
    found = told(step.token, _reported(outcome))
    status = outcome.exit_code
    if found.missing and status == NOT_FOUND_STATUS:
        # A shell's command that is not found is its failure, with or without us.
        return RunnerJudgment() if is_shell(step.command) else RunnerJudgment(missing=found.missing)
    seen: list[Tampering] = []
    reason = ""
    if is_on(Defence.OWN_CONTROLS):
        ended = "no exit status" if status is None else f"exit status {status}"
        seen += [Tampering(TamperingKind.CONTROL_PASSED, what, ended) for what in found.controls]
        if found.skipped and status == 0:
            reason = f"the code under test had a test skipped: {found.skipped[0]}"
    if is_on(Defence.COMPLETION_TOKEN):
        if status == 0 and found.done is None:
            reason = "it ended with success before the test runner came to its end"
            seen.append(
                Tampering(TamperingKind.TOKEN_MISSING, reason, "exit status 0, and no sign of the test runner's end")
            )
        elif status == 0 and found.done and found.done[1] > 0:
            reason = "it ended with success though tests failed"
            counts = f"exit status 0; {found.done[1]} of {found.done[0]} tests failed"
            seen.append(Tampering(TamperingKind.TOKEN_MISSING, reason, counts))
        elif status == 0 and found.done and found.done[0] == 0:
            reason = reason or "no test was run"
        elif found.done is None and needs_end and status is not None:
            reason = f"exit status {status}, before the test runner came to its end"
    if found.controls and seen:
        reason = f"what must fail passed: {found.controls[0]}"
    return RunnerJudgment(reason, tuple(seen))
