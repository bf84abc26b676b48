"""An interactor: a program of the case that talks with the candidate while it runs, and then decides.

It runs as the grader, so the candidate can read none of its files, memory or descriptors. All data between the two
passes through a process of the supervisor (`interact.c`), which counts and limits it, and reports who kept whom
waiting. The exit status of the interactor decides, unless the candidate failed by itself. If an interactor crashes
while the candidate behaves correctly, the case is at fault.

In a test with several passes, candidate and interactor are started again for each pass. Only the feedback directory is
kept. The file `nextpass.in` there is the next input; without it the test is over.
"""

from __future__ import annotations

import json
import math
import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from gradebox.graders.checks.base import Check, CheckPlanner
from gradebox.graders.checks.io.checker import FEEDBACK, MESSAGE_CHARACTERS, STATUSES, Protocol, files, with_paths
from gradebox.graders.checks.io.verdicts import RunResult, RunVerdict, result_of
from gradebox.graders.checks.results import last_words
from gradebox.graders.model.case import CommandSpec
from gradebox.graders.model.evidence import Artifact, StepOutcome
from gradebox.graders.model.expectation import Content
from gradebox.graders.model.plan import Role, Stage, Step
from gradebox.sandbox.archive import ArchiveEntry
from gradebox.sandbox.limits import KIB, MIB
from gradebox.sandbox.linux import signal_name
from gradebox.sandbox.types import CANDIDATE_DIRECTORY, Ending, Outcome

SAID_BYTES = 8 * MIB
"""How many bytes a candidate may write to an interactor; also the output limit of the step."""
# Extra time beyond both limits: to start both programs, and until an interactor counts as hanging.
_GRACE_SECONDS = 30.0
_KEPT_BYTES = 64 * KIB
# From `protocol.h`: CANDIDATE_ENDED and so on, and what could not be used at the start (STAGE_CWD ...)
_ENDED, _TIMED_OUT = 16, 17
_REFUSED = {2: "cwd", 3: "program", 4: "interpreter"}


class Talked(NamedTuple):
    """A test with an interactor: the candidate's outcome, the result, and the end of their conversation."""

    ran: StepOutcome
    result: RunResult
    said: str = ""


class _Call(NamedTuple):
    """The arguments of `candidate --interact`."""

    limit_seconds: float
    interactor_seconds: float
    program: tuple[str, ...]

    @classmethod
    def of(cls, argv: tuple[str, ...]) -> _Call:
        return cls(int(argv[3]) / 1e6, int(argv[4]), argv[7 + int(argv[2]) :])


def interactor_stages(
    check: Check,
    planner: CheckPlanner,
    commands: tuple[CommandSpec, CommandSpec],
    name: str,
    contents: tuple[Content, Content],
    how: Protocol,
    *,
    seconds: float,
    passes: int = 1,
) -> tuple[Stage, ...]:
    """Return a stage for each pass of a test.

    `commands` are the interactor and the candidate's program, `contents` are input and answer. `seconds` is the
    interactor's time limit.
    """
    interactor, run = commands
    program = planner.step(Role.TEST, name, run, check=check)
    written = planner.step(Role.TEST, name, replace(interactor, argv=with_paths(interactor.argv)), check=check)
    numbers = (round(program.limit_seconds * 1e6), math.ceil(seconds), SAID_BYTES, STATUSES[how].accepts)
    argv = (f"{CANDIDATE_DIRECTORY}/candidate", "--interact", *map(str, (len(written.argv), *numbers)), *written.argv)
    step = replace(
        written,
        argv=(*argv, *program.argv),
        shown=written.command,
        # Mentions `candidate`, so that the step counts as a grader.
        mentions=(argv[0], *written.mentions),
        report=True,
        limit_seconds=program.limit_seconds + seconds + _GRACE_SECONDS,
        program_is_ours=program.program_is_ours,
        output_bytes=SAID_BYTES,
        capture_bytes=_KEPT_BYTES,
    )
    return tuple(_stage(check, planner, step, files(contents), number) for number in range(1, passes + 1))


def _stage(check: Check, planner: CheckPlanner, step: Step, listed: tuple[ArchiveEntry, ...], number: int) -> Stage:
    named = step if number == 1 else replace(step, name=f"{step.name} pass {number}")
    stage = planner.stage(f"{check.name} {named.name}", [named], check.name, apart=True)
    place, given, answer = listed
    brought = (place, given, answer) if number == 1 else (place, answer)
    return replace(
        stage, delivered=(*stage.delivered, *brought), feedback=FEEDBACK, next_input=given.path if number > 1 else ""
    )


def talked(passes: Sequence[StepOutcome], how: Protocol, memory_bytes: int | None) -> Talked:
    """Return the result of a test from the outcomes of its passes."""
    ran = next((one for one in reversed(passes) if not one.skipped), passes[0])
    if ran.skipped:
        return Talked(ran, result_of(ran, memory_bytes))
    if ran is passes[-1] and ran.further:
        fault = f"the interactor asks for more than {len(passes)} passes; raise `passes`, or correct it"
        return Talked(replace(ran, step=passes[0].step), RunResult(RunVerdict.NOT_RUN, fault=fault))
    call = _Call.of(ran.step.argv)
    step = replace(ran.step, argv=call.program, shown=(), name=passes[0].step.name)
    line, _, said = ran.outcome.report.content().partition(b"\n")
    if not line or ran.outcome.ending is not Ending.EXITED:
        return _without_report(ran, step, memory_bytes)
    report: dict[str, Any] = json.loads(line)
    outcome = _of_candidate(report, ran.outcome, call)
    own = _of_interactor(report, ran, call, how)
    text = said.decode("utf-8", "replace")
    ended_it = report["first"] and own.verdict is not RunVerdict.ACCEPTED and not report["flooded"]
    if own.fault and not report["flooded"]:
        return Talked(replace(ran, step=step, outcome=outcome), own, text)
    if ended_it:
        outcome = replace(outcome, ending=Ending.EXITED, exit_code=0, signal=None)
    judged = replace(ran, step=step, outcome=outcome)
    return Talked(judged, result_of(judged, memory_bytes, own), text)


def _without_report(ran: StepOutcome, step: Step, memory_bytes: int | None) -> Talked:
    """Return the result of a test that ended before anything was reported."""
    outcome = ran.outcome
    fault = ""
    if outcome.ending is Ending.EXITED:
        fault = f"the interactor could not be run{last_words(ran)}"
    elif outcome.ending is Ending.OUTPUT_LIMIT and outcome.stdout.total_bytes > SAID_BYTES:
        fault = f"the interactor wrote more than {SAID_BYTES:,} bytes to stderr"
    if fault:
        return Talked(ran, RunResult(RunVerdict.NOT_RUN, fault=fault))
    return Talked(replace(ran, step=step), result_of(ran, memory_bytes))


def _of_candidate(report: dict[str, Any], outcome: Outcome, call: _Call) -> Outcome:
    """Return the outcome of the candidate's program."""
    usage = replace(outcome.usage, cpu_seconds=report["cpu_us"] / 1e6, peak_rss_bytes=report["rss_bytes"])
    become = partial(replace, outcome, usage=usage, exit_code=None)
    kind, number = report["answer"]
    stage, errno = report["start"]
    if report["flooded"]:
        return become(ending=Ending.OUTPUT_LIMIT, detail=f"it printed more than {SAID_BYTES:,} bytes")
    if stage in _REFUSED:
        return become(ending=Ending.NOT_STARTED, errno=errno, refused=_REFUSED[stage], detail=os.strerror(errno))
    if kind == _TIMED_OUT:
        return become(ending=Ending.TIMED_OUT, detail=_late(report, call.limit_seconds, by_wall=bool(number)))
    if kind != _ENDED:
        return become(ending=Ending.SANDBOX_LOST, detail="the candidate could not be started")
    code = os.waitstatus_to_exitcode(number)
    if code and usage.oom_kills:
        detail = "The kernel killed one of its processes for lack of memory."
        return become(ending=Ending.OUT_OF_MEMORY, detail=detail)
    if code < 0:
        return become(ending=Ending.SIGNALLED, signal=-code, detail=f"It was ended by {signal_name(-code)}.")
    return become(ending=Ending.EXITED, exit_code=code)


def _late(report: dict[str, Any], seconds: float, *, by_wall: bool) -> str:
    if not by_wall:
        return f"it used up its {seconds:g} s of processor time"
    if report["open_line"]:
        why = "the last line that it printed has no end"
    elif report["unread_bytes"]:
        why = f"it did not read {report['unread_bytes']:,} bytes that the interactor wrote"
    elif not report["said_bytes"]:
        why = "it printed nothing (does it flush its output?)"
    else:
        why = "the interactor waited for it (does it flush its output?)"
    return f"it was still running after {2 * seconds:g} s, without the time in which the interactor computed: {why}"


def _of_interactor(report: dict[str, Any], ran: StepOutcome, call: _Call, how: Protocol) -> RunResult:
    """Return the interactor's judgment of the candidate."""
    status = os.waitstatus_to_exitcode(report["status"])
    feedback = ran.artifact or Artifact(missing=True)
    if feedback.problem and not feedback.missing:
        fault = f"the feedback of the interactor cannot be used: {feedback.problem}"
        return RunResult(RunVerdict.NOT_RUN, fault=fault)
    if status == STATUSES[how].accepts:
        return RunResult(RunVerdict.ACCEPTED, score=1.0)
    if status == STATUSES[how].refuses:
        message = feedback.data.decode("utf-8", "replace").strip()[:MESSAGE_CHARACTERS]
        return RunResult(RunVerdict.WRONG_ANSWER, reason=message or "the interactor refuses it")
    # The step's stdout is the interactor's stderr.
    words = last_words(replace(ran, outcome=replace(ran.outcome, stderr=ran.outcome.stdout)))
    ended = f"exit status {status}" if status >= 0 else f"it was ended by {signal_name(-status)}"
    if report["hung"]:
        ended = "it hangs, and nobody keeps it waiting"
    elif status == -signal.SIGXCPU:
        ended = f"it used more than {call.interactor_seconds:g} s of processor time"
    if report["waited"] and not report["hung"]:
        gone = "it closed its output" if report["first"] else "it ended"
        reason = f"{gone} while the interactor waited for more ({ended}{words})"
        return RunResult(RunVerdict.WRONG_ANSWER, reason=reason)
    meant = "{} accepts and {} refuses".format(*STATUSES[how])
    return RunResult(RunVerdict.NOT_RUN, fault=f"the interactor cannot judge it: {ended}{words}; {meant}")
