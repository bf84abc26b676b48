"""Whether a case is fair: from gradings of it to findings. Pure; what to grade and how to say it is `check_command`.

A case is proven when its reference passes with the full score, its untouched workspace fails, its controls fail on the
reference, repeats agree, and the submissions that are kept with it get the verdicts that are written beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from graders.authoring.agreement import differences
from graders.authoring.proof import (
    Finding,
    Level,
    Subject,
    Trial,
)
from graders.authoring.written_verdicts import WrittenVerdict
from graders.checks.code_grader import CodeGrader
from graders.model import scoring
from graders.model.case import Case
from graders.model.plan import Role
from graders.model.result import Result
from graders.model.verdict import Status
from graders.runners import adapter

_MOST_DIFFERENCES = 3
# Those that have an adapter.
_TESTS = re.compile(r"(?<![\w./-])(?:pytest|py\.test|unittest|bun test|node --test|vitest|jest)(?![\w.-])")
# A third may be written as 0.333.
_ROUNDING = 0.0005


def prove(case: Case, trials: Sequence[Trial]) -> tuple[Finding, ...]:
    """Return what the gradings of a case say about it."""
    findings: list[Finding] = []
    for _, group in groupby(trials, lambda trial: (trial.subject, trial.graded.submission)):
        repeats = list(group)
        broken = [trial for trial in repeats if _could_not(trial)]
        findings += _not_graded(broken, len(repeats))
        sound = [trial for trial in repeats if not _could_not(trial)]
        if sound:
            findings += {
                Subject.REFERENCE: _of_reference,
                Subject.UNTOUCHED: _of_untouched,
                Subject.SUBMISSION: _of_written,
            }[sound[0].subject](sound)
            findings += _disagreements(sound)
    findings += _never_failed(case, trials)
    findings += _unwatched(case)
    return tuple(findings)


def controls(trial: Trial) -> tuple[int, int]:
    """Return how many controls were run and how many of them failed, as they must."""
    ran = [step for check in trial.graded.verdict.checks for step in check.steps if step.role == Role.CONTROL]
    return len(ran), sum(step.passed for step in ran)


def _could_not(trial: Trial) -> bool:
    wanted = trial.wanted.verdict if trial.wanted else ""
    return trial.graded.verdict.status is Status.ERROR and wanted != Status.ERROR


def _not_graded(broken: Sequence[Trial], count: int) -> Iterator[Finding]:
    if broken:
        graded = broken[0].graded
        times = "" if count == 1 else f" in {len(broken)} of {count} runs"
        yield Finding(
            Level.NOT_GRADED,
            f"{_name(broken[0])} could not be graded{times}: {_reasons(graded)}.",
            "Mend what the reason says; `grade doctor` examines the engine.",
            graded.submission,
        )


def _of_reference(trials: Sequence[Trial]) -> Iterator[Finding]:
    failed = [trial for trial in trials if not _is_perfect(trial)]
    times = "" if len(trials) == 1 else f" in {len(failed)} of {len(trials)} runs"
    for trial in failed[:1]:
        yield Finding(
            Level.UNFAIR,
            f"The reference {_got(trial)}{times} and must pass with score 1: {_reasons(trial.graded)}.",
            "Mend the reference, or the checks that it does not pass; `grade --reference` shows what they printed.",
            trial.graded.submission,
        )
    for check in trials[0].graded.verdict.checks:
        if any(step.role == Role.CONTROL and not step.passed for step in check.steps):
            message = f"The control of {check.name} passed on the reference, and a control must fail."
            remedy = "Write a control that fails whatever an honest submission does, such as `assert False`."
            yield Finding(Level.UNFAIR, message, remedy, trials[0].graded.submission, check.name)
    yield from _unreachable(trials)
    yield from _of_written(trials)


def _unreachable(trials: Sequence[Trial]) -> Iterator[Finding]:
    passed = {check.name for t in trials for check in t.graded.verdict.checks if check.status is Status.PASSED}
    for check in trials[0].graded.verdict.checks:
        if check.required and check.name not in passed:
            score = "no score" if check.score is None else f"a score of {check.score:.3g}"
            message = f"The required check {check.name} was never passed by the reference: {score} of {check.wanted:g}."
            remedy = "Nobody is known to be able to pass it: mend the check or the reference."
            yield Finding(Level.UNFAIR, message, remedy, trials[0].graded.submission, check.name)


def _of_untouched(trials: Sequence[Trial]) -> Iterator[Finding]:
    passed = [trial for trial in trials if trial.graded.verdict.status is Status.PASSED]
    times = "" if len(trials) == 1 else f" in {len(passed)} of {len(trials)} runs"
    for trial in passed[:1]:
        yield Finding(
            Level.UNFAIR,
            f"The untouched workspace {_got(trial)}{times}: an empty submission passes.",
            "Add a required check, or an item, for what the workspace does not do yet.",
            trial.graded.submission,
        )


def _of_written(trials: Sequence[Trial]) -> Iterator[Finding]:
    if trials[0].wanted is not None:
        yield from _unlike(trials[0], trials[0].wanted)


def _unlike(trial: Trial, wanted: WrittenVerdict) -> Iterator[Finding]:
    verdict, name = trial.graded.verdict, trial.graded.submission
    remedy = f"Mend the case, or what is written in {wanted.place}."
    if verdict.status != wanted.verdict:
        because = f": {_reasons(trial.graded)}" if verdict.reasons else ""
        message = f"{_name(trial)} {_got(trial)}, and {wanted.verdict} is written{because}."
        yield Finding(Level.UNFAIR, message, remedy, name)
    if wanted.score is not None and not _same(verdict.score, wanted.score):
        message = f"{_name(trial)} got {_score(verdict.score)}, and {wanted.score:.4g} is written."
        yield Finding(Level.UNFAIR, message, remedy, name)
    for check in verdict.checks:
        written = wanted.checks.get(check.name)
        if written is not None and not _same(check.score, written):
            because = f" ({check.reason})" if check.reason else ""
            message = (
                f"{_name(trial)} got {_score(check.score)} in {check.name}, and {written:.4g} is written{because}."
            )
            yield Finding(Level.UNFAIR, message, remedy, name, check.name)


def _disagreements(trials: Sequence[Trial]) -> Iterator[Finding]:
    first, *others = trials
    for trial in others:
        found = differences(first.graded, trial.graded)
        if found:
            more = f" and {len(found) - _MOST_DIFFERENCES} more" if len(found) > _MOST_DIFFERENCES else ""
            yield Finding(
                Level.UNFAIR,
                f"{_name(trial)} was graded otherwise in run {trial.repeat} than in run {first.repeat}: "
                f"{'; '.join(found[:_MOST_DIFFERENCES])}{more}.",
                "Take time, chance and order out of the checks, or give their commands more time.",
                trial.graded.submission,
            )
            return


def _never_failed(case: Case, trials: Sequence[Trial]) -> Iterator[Finding]:
    if not trials:
        return
    failed = {c.name for trial in trials for c in trial.graded.verdict.checks if c.status is Status.FAILED}
    for check in case.checks:
        if check.name not in failed:
            count = len(trials)
            message = f"The check {check.name} has never been seen to fail in {count} run{'s' if count > 1 else ''}."
            remedy = "Keep a submission that fails it, with its verdict, in submissions/."
            yield Finding(Level.WARNING, message, remedy, check=check.name)


def _unwatched(case: Case) -> Iterator[Finding]:
    """Yield which commands run tests in a way that no adapter takes, so that ending them early is enough to pass."""
    for check in case.checks:
        if not isinstance(check, CodeGrader) or check.adapter != adapter.AUTO or check.control is not None:
            continue
        runner = _TESTS.search(" ".join(check.command.argv))
        if runner and adapter.recognise(check.command.argv) is None:
            message = f"The command of {check.name} runs {runner[0]}, and no adapter sees whether that came to its end."
            remedy = "Make it one plain command of the runner, or give the check a `control`; see docs/case.md."
            yield Finding(Level.WARNING, message, remedy, check=check.name)


def _is_perfect(trial: Trial) -> bool:
    verdict = trial.graded.verdict
    return verdict.status is Status.PASSED and verdict.score is not None and scoring.reaches(verdict.score, 1.0)


def _same(found: float | None, written: float) -> bool:
    return found is not None and abs(found - written) <= _ROUNDING


def _name(trial: Trial) -> str:
    match trial.subject:
        case Subject.REFERENCE:
            return "The reference"
        case Subject.UNTOUCHED:
            return "The untouched workspace"
        case Subject.SUBMISSION:
            return f"The submission {trial.graded.submission}"


def _got(trial: Trial) -> str:
    verdict = trial.graded.verdict
    return f"{verdict.status} with {_score(verdict.score)}"


def _score(score: float | None) -> str:
    return "no score" if score is None else f"score {score:.4g}"


def _reasons(graded: Result) -> str:
    return "; ".join(graded.verdict.reasons).rstrip(".") or "its score is not the full one"
