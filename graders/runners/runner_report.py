"""Reads an adapter's report, and decides what it means for the exit status and the test report. Pure.

`adapter` has the protocol.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from gradebox.graders.languages.item_protocol import built_in
from gradebox.graders.model.plan import Step
from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import WORKSPACE, Outcome

if TYPE_CHECKING:
    from gradebox.graders.runners.runner import Runner

NOT_FOUND_STATUS = 127
_COUNTS = re.compile(r"(\d{1,9}) (\d{1,9})")
_WHAT_MAX_CHARACTERS = 300
_NO_TEST_RAN = "no test was run"


@dataclass(frozen=True, slots=True)
class RunnerReport:
    """The report that a runner wrote to descriptor 3."""

    done: tuple[int, int] | None = None  # How many tests ran and how many failed, None if the runner did not complete.
    controls: tuple[str, ...] = ()  # The controls that passed but must fail.
    skipped: tuple[str, ...] = ()  # The tests that the code under test skipped.
    not_loaded: Mapping[str, str] = field(default_factory=dict)  # The test files that could not be loaded, and why.
    missing: str = ""  # The program that the image lacks, "" for none.
    # Name and path of a module of the case that was replaced by one of the image; "" for none.
    from_image: str = ""
    exited: bool = False  # Whether the code under test called the ordinary exit of its language, as honest scripts do.


def read(token: str, report: bytes) -> RunnerReport:
    """Read a runner's report; lines without its token and invalid lines are ignored.

    Only ``exited`` needs no token: it earns nothing, and the code under test could find it in the handler that sends
    it.
    """
    found: dict[str, list[str]] = {}
    for line in report.decode("utf-8", "replace").split("\n"):
        start, _, rest = line.partition(" ")
        if token and start == token:
            word, _, what = rest.partition(" ")
            found.setdefault(word, []).append(what[:_WHAT_MAX_CHARACTERS])
    counts = [tuple(map(int, pair.groups())) for what in found.get("done", ()) if (pair := _COUNTS.fullmatch(what))]
    files = found.get("unloaded", ())
    return RunnerReport(
        (counts[-1][0], counts[-1][1]) if counts else None,
        tuple(dict.fromkeys(found.get("control", ()))),
        tuple(dict.fromkeys(found.get("skipped", ()))),
        {name.removeprefix(f"{WORKSPACE}/"): why for name, _, why in (what.partition(": ") for what in files)},
        next(iter(found.get("missing", ())), ""),
        next(iter(found.get("image", ())), ""),
        "exited" in found or b"exited" in report.splitlines(),
    )


def _reported(outcome: Outcome) -> bytes:
    """Return the report, empty if a part of it was not kept, because that part may speak against a pass.

    An adapter writes little, but code that shares its process may write more than is kept.
    """
    return outcome.report.content() if outcome.report.complete else b""


@dataclass(frozen=True, slots=True)
class RunnerJudgment:
    """What a runner's report means for the exit status of its command."""

    reason: str = ""  # Why the status is rejected and the score is 0; empty if the status is accepted.
    tampering: tuple[Tampering, ...] = ()  # The submission's tampering with its judge.
    missing: str = ""  # The program that the image lacks, "" for none.
    fault: str = ""  # Why the case cannot be judged, "" if it can.
    not_loaded: Mapping[str, str] = field(default_factory=dict)  # The test files that could not be loaded, and why.


def overstated(step: Step, outcome: Outcome, runner: Runner, passed: int) -> str:
    """Return a message if the test report has more passed tests than the runner counted, otherwise "".

    Code that shares the runner's process or user can forge the report, and fail a test on purpose to explain the
    status. `passed` is the number of passed tests in the report.
    """
    done = read(step.token, _reported(outcome)).done
    if done is None or not runner.counts_as_its_report or passed <= max(0, done[0] - done[1]):
        return ""
    return f"{passed} tests passed according to the report, {max(0, done[0] - done[1])} according to the test runner"


def judge(step: Step, outcome: Outcome, *, needs_end: bool = False) -> RunnerJudgment:
    """Judge an adapted command.

    With `needs_end`, the exit status can earn points, so it must be the test runner's own.
    """
    found = read(step.token, _reported(outcome))
    status = outcome.exit_code
    if found.missing and status == NOT_FOUND_STATUS:
        return RunnerJudgment(missing=found.missing)
    controls, end = _judge_controls(found, status), _judge_end(found, status, needs_end=needs_end)
    if controls.tampering or end.reason == _NO_TEST_RAN:
        reason = controls.reason or end.reason
    else:
        reason = end.reason or controls.reason
    fault = built_in(found.from_image) if found.from_image else ""
    return RunnerJudgment(reason, controls.tampering + end.tampering, fault=fault, not_loaded=found.not_loaded)


def _judge_controls(found: RunnerReport, status: int | None) -> RunnerJudgment:
    """Judge the controls that passed and the tests that were skipped."""
    ended = "no exit status" if status is None else f"exit status {status}"
    seen = tuple(Tampering(TamperingKind.CONTROL_PASSED, what, ended) for what in found.controls)
    if seen:
        return RunnerJudgment(f"a control passed that must fail: {found.controls[0]}", seen)
    if found.skipped and status == 0:
        return RunnerJudgment(f"the code under test skipped a test: {found.skipped[0]}")
    return RunnerJudgment()


def _judge_end(found: RunnerReport, status: int | None, *, needs_end: bool) -> RunnerJudgment:
    """Judge whether the exit status is that of a runner that completed."""
    if found.done is None:
        if status == 0:
            reason = "exit status 0 before the test runner had finished"
            evidence = "exit status 0, and the test runner did not report its end"
            seen = Tampering(TamperingKind.TOKEN_MISSING, reason, evidence)
            return RunnerJudgment(reason, () if found.exited else (seen,))
        early = needs_end and status is not None
        return RunnerJudgment(f"exit status {status} before the test runner had finished" if early else "")
    ran, failed = found.done
    if status == 0 and failed > 0:
        reason = "exit status 0 although tests failed"
        counts = f"exit status 0; {failed} of {ran} tests failed"
        return RunnerJudgment(reason, (Tampering(TamperingKind.TOKEN_MISSING, reason, counts),))
    return RunnerJudgment(_NO_TEST_RAN if status == 0 and ran == 0 else "")
