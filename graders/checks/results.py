"""Turns outcomes of steps into results of checks; shared by all types of check. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from gradebox.graders.languages import boundary_report
from gradebox.graders.model import scoring
from gradebox.graders.model.case import Case, CaseCheck
from gradebox.graders.model.evidence import StepOutcome
from gradebox.graders.model.plan import User
from gradebox.graders.model.tampering import Tampering
from gradebox.graders.model.verdict import CheckResult, Status, StepRecord
from gradebox.sandbox.ending import Fault, fault
from gradebox.sandbox.linux import Errno
from gradebox.sandbox.types import Ending

_LAST_LINE_CHARACTERS = 200


def whose_fault(done: StepOutcome) -> Fault:
    """Return who is to blame for how a step ended; `Fault.NONE` if it exited by itself, with any status."""
    if done.broken:
        return Fault.AUTHOR
    return fault(
        done.outcome.ending,
        errno=done.outcome.errno,
        refused=done.outcome.refused,
        program=done.step.command[0],
        program_is_ours=done.step.program_is_ours,
    )


def limits_of(done: StepOutcome) -> tuple[str, ...]:
    """Return the limits of judging apart that a failed step hit, or one of several items, a sentence each."""
    if done.step.user is not User.GRADER or not (done.outcome.exit_code or done.step.items[1:]):
        return ()
    return boundary_report.limits(done.step.token, done.outcome.report.content())


def answers_of(done: StepOutcome) -> dict[str, Any]:
    """Return with which answers the tests of a step passed, compared with the reference's; {} if that is not known."""
    if done.step.user is not User.GRADER:
        return {}
    return boundary_report.answers(done.step.token, done.outcome.report.content())


def not_found(program: str) -> str:
    return f"the program {program!r} was not found; choose an `image` that has it, or correct its name"


def ending_sentence(done: StepOutcome) -> str:
    """Describe briefly how a step ended."""
    outcome = done.outcome
    if done.broken:
        if done.broken.startswith(boundary_report.LIMIT):
            return done.broken
        return f"the grader cannot run, with any submission: {done.broken}"
    match outcome.ending:
        case Ending.EXITED:
            return "; ".join((f"exit status {outcome.exit_code}", *limits_of(done)))
        case Ending.NOT_STARTED if outcome.refused == "cwd":
            return outcome.detail
        case Ending.NOT_STARTED if outcome.errno == Errno.ENOENT:
            program = done.step.command[0]
            if "/" not in program:
                return not_found(program)
            # The kernel reports the same for a script whose interpreter is missing.
            return f"the program {program!r} was not found, or the interpreter that its first line names"
        case Ending.NOT_STARTED if outcome.errno == Errno.EACCES:
            return f"the program {done.step.command[0]!r} cannot be executed"
        case Ending.NOT_STARTED:
            return f"it could not be started: {outcome.detail}"
        case ending:
            return f"{ending.replace('_', ' ')}: {outcome.detail}".rstrip(": ")


def last_words(done: StepOutcome) -> str:
    """Return the last line that a command wrote to stderr, in parentheses; empty if it wrote none."""
    lines = done.outcome.stderr.text()[-4096:].strip().splitlines()
    return f" ({lines[-1].strip()[:_LAST_LINE_CHARACTERS]})" if lines else ""


def failure_sentence(done: StepOutcome) -> str:
    """Describe which step failed, how, and its last line on stderr."""
    step = done.step
    return f"{step.name} ({shlex.join(step.command)}) failed: {ending_sentence(done)}{last_words(done)}"


def record(done: StepOutcome, *, passed: bool, reason: str, name: str = "") -> StepRecord:
    """Return the record of a step, or of one item of it, for the verdict."""
    step = done.step
    return StepRecord(step.role, name or step.name, step.command, done.outcome, passed, reason)


def wanted_score(spec: CaseCheck, case: Case) -> float:
    """Return the score at which a check passes: its own, or the case's threshold."""
    return case.threshold if spec.min_score is None else spec.min_score


def scored(
    spec: CaseCheck,
    case: Case,
    score: float,
    reason: str = "",
    steps: tuple[StepRecord, ...] = (),
    tampering: tuple[Tampering, ...] = (),
    details: Mapping[str, Any] | None = None,
) -> CheckResult:
    """Return the result of a check that was judged; `score` is before `negate`."""
    # The score of a manipulated grader is 0, negated or not.
    final = 0.0 if tampering else scoring.negated(score, negate=spec.negate)
    passed = scoring.reaches(final, wanted_score(spec, case)) and not tampering
    status = Status.PASSED if passed else Status.FAILED
    told: Any = {"reason": reason, "steps": steps, "tampering": tampering, "details": details or {}}
    return CheckResult(**_of(spec, case), status=status, score=final, **told)


def error(
    spec: CaseCheck,
    case: Case,
    reason: str,
    steps: tuple[StepRecord, ...] = (),
    tampering: tuple[Tampering, ...] = (),
    *,
    of_case: bool = False,
) -> CheckResult:
    """Return the result of a check that could not be judged, not through the candidate's fault. Ignores `negate`."""
    told: Any = {"reason": reason, "steps": steps, "tampering": tampering, "of_case": of_case}
    return CheckResult(**_of(spec, case), status=Status.ERROR, score=None, **told)


def unfinished(
    spec: CaseCheck, case: Case, reason: str, steps: tuple[StepRecord, ...] = (), tampering: tuple[Tampering, ...] = ()
) -> CheckResult:
    """Return the result of a check that the candidate prevented from being judged, or whose subject is missing.

    A missing subject meets neither an assertion nor its opposite, so `negate` has no effect.
    """
    told: Any = {"reason": reason, "steps": steps, "tampering": tampering, "unfinished": True}
    return CheckResult(**_of(spec, case), status=Status.FAILED, score=0.0, **told)


def _of(spec: CaseCheck, case: Case) -> dict[str, Any]:
    """Return the fields of a result that come from its check."""
    same = {name: getattr(spec, name) for name in ("name", "type", "weight", "required", "negate")}
    return {**same, "wanted": wanted_score(spec, case), "seen": spec.seen()}


def not_judged(spec: CaseCheck, case: Case, reason: str, steps: tuple[StepRecord, ...] = ()) -> CheckResult:
    """Return the result of a check that has no judge or nothing to judge.

    Such a check is shown, but left out of the score. A required check cannot be left out, so it is an error.
    """
    result = error(spec, case, f"not judged: {reason}", steps)
    return result if spec.required else replace(result, status=Status.NOT_JUDGED)


def with_required_missed(result: CheckResult, missed: Iterable[str]) -> CheckResult:
    """Return a result that fails the verdict because required parts of the check were missed, whatever the score."""
    names = ", ".join(missed)
    if not names or result.status is Status.ERROR:
        return result
    because = f"required and missed: {names}"
    return replace(
        result,
        status=Status.FAILED,
        score=0.0 if result.score is None else result.score,
        required=True,
        reason=f"{because}; {result.reason}" if result.reason else because,
    )
