"""The `rubrics` check: criteria, each judged by a command, by another check of the case, or by a judge.

The score is the weighted mean over the rubrics that were judged. If a required rubric is missed, the verdict is
`failed`, even if the check itself is optional. Without a judge, rubrics that only a judge can decide do not count, and
the verdict lists them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

from pydantic import Field

from gradebox.graders.checks.base import Check, CheckPlanner, Reading
from gradebox.graders.checks.grader_io import grader_input
from gradebox.graders.checks.llm.panel import Hearing, hear
from gradebox.graders.checks.results import (
    ending_sentence,
    error,
    not_judged,
    record,
    scored,
    unfinished,
    whose_fault,
    with_required_missed,
)
from gradebox.graders.checks.rubric import TOP, Rubric, RubricList, numbered
from gradebox.graders.documents.entries import also
from gradebox.graders.model import scoring as arithmetic
from gradebox.graders.model.case import Case, CommandSpec
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.judgment import Criterion, Question
from gradebox.graders.model.plan import Role, Stage
from gradebox.graders.model.verdict import CheckResult, Status, StepRecord
from gradebox.sandbox.ending import Fault

_NUMBER_LENGTH = 64


class Rubrics(Check):
    """Criteria, each judged by a command, by another check, or by a judge."""

    type = "rubrics"
    spellings = ("rubric",)

    rubrics: RubricList = Field(validation_alias=also("criteria"), description="The criteria.")

    def completed(self, reading: Reading) -> Self | None:
        rubrics = numbered(self.rubrics, reading.reader, (*reading.path, "rubrics"))
        return None if rubrics is None else self.but(rubrics=rubrics)

    def stages(self, case: Case, planner: CheckPlanner) -> tuple[Stage, ...]:
        """Return a stage for every command, so that each starts from the same state."""
        stdin = grader_input(replace(case, preprocessors=()), self, planner.submission_data)
        listed = []
        for rubric in self.rubrics:
            if rubric.command is not None:
                step = planner.step(Role.CHECK, rubric.id, rubric.command, check=self, stdin=stdin)
                step = replace(step, own_stdout=bool(rubric.score_ranges))
                listed.append(
                    planner.stage(f"{self.name} {rubric.id}", [step], self.name, apart=bool(self.is_apart(case)))
                )
        return tuple(listed)

    def is_apart(self, case: Case) -> bool | None:
        """Return whether its commands run apart from the submission; None if it has no commands."""
        return case.is_apart(None, by_runner=False) if any(self.commands()) else None

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        if len({rubric.id for rubric in self.rubrics}) < len(self.rubrics):
            return error(self, case, "two of its rubrics have the same id")
        ran = {done.step.name: done for done in evidence.done}
        hearing = hear(self, case, evidence) if in_words(self.rubrics) else Hearing()
        judged = [_judge(rubric, ran.get(rubric.id), evidence.results, hearing) for rubric in self.rubrics]
        steps = tuple(_records(judged, ran))
        if hearing.fault:
            return error(self, case, hearing.fault, steps)
        if self.negate and any(done.cut_off for done in evidence.done):
            return unfinished(self, case, "the case's time limit was reached before everything had run", steps)
        return combine(self, case, judged, steps, hearing.details)

    def questions(self, case: Case, evidence: Evidence) -> Iterator[Question]:
        from gradebox.graders.checks.llm.questions import question  # noqa: PLC0415 - only where somebody judges

        if criteria := in_words(self.rubrics):
            yield question(case, evidence, "", criteria)

    def is_in_words(self) -> bool:
        return bool(in_words(self.rubrics))

    def commands(self) -> Iterator[CommandSpec]:
        yield from (rubric.command for rubric in self.rubrics if rubric.command is not None)

    def references(self) -> Iterator[str]:
        yield from (rubric.check for rubric in self.rubrics if rubric.check is not None)


class Judged(NamedTuple):
    """The result of one rubric."""

    rubric: Rubric
    # In [0, 1]; None if it was not judged.
    score: float | None
    reason: str = ""
    fault: bool = False  # It could not be judged, and the candidate did not cause this.
    unfinished: bool = False  # The candidate's code made the command end before it was done.

    def __str__(self) -> str:
        return f"{self.rubric.id}: {self.reason}"


def judged_by(hearing: Hearing, rubric: Rubric) -> Judged:
    """Return the judges' opinion on a rubric."""
    opinion = hearing.of(rubric.id)
    return Judged(rubric, opinion.score, opinion.reason)


def in_words(rubrics: Iterable[Rubric]) -> tuple[Criterion, ...]:
    """Return the rubrics that only a judge can decide, as the criteria of its question."""
    return tuple(Criterion(one.id, one.expected_outcome, one.score_ranges) for one in rubrics if is_in_words(one))


def is_in_words(rubric: Rubric) -> bool:
    return rubric.command is None and rubric.check is None


def combine(
    check: Check,
    case: Case,
    judged: Sequence[Judged],
    steps: tuple[StepRecord, ...] = (),
    details: Mapping[str, Any] | None = None,
) -> CheckResult:
    """Return the check's result for these rubrics; `details` are added to the details of the rubrics."""
    faults = [str(one) for one in judged if one.fault]
    left_out = [one for one in judged if one.score is None and not one.fault]
    # A required check is never decided by only some of its rubrics.
    faults += [str(one) for one in left_out if one.rubric.required or (check.required and one.rubric.weight)]
    if faults:
        return error(check, case, "; ".join(faults[:5]), steps)
    missed = [one.rubric.id for one in judged if _missed(one, case)]
    cut_short = next((one for one in judged if one.unfinished), None)
    if check.negate and cut_short is not None:
        return with_required_missed(unfinished(check, case, str(cut_short), steps), missed)
    score = arithmetic.mean(arithmetic.Weighed(one.score, one.rubric.weight) for one in judged if one.score is not None)
    if score is None:
        unheard = "; ".join(map(str, left_out[:5]))
        unjudged = not_judged(check, case, unheard or "none of its rubrics has a weight", steps)
        return with_required_missed(unjudged, missed)
    reasons = [f"{one.rubric.id}: {_sentence(one)}" for one in judged if one.score is None or one.score < 1]
    result = scored(check, case, score, "; ".join(reasons[:8]), steps, details={**_details(judged), **(details or {})})
    return replace(with_required_missed(result, missed), unfinished=cut_short is not None)


def _missed(judged: Judged, case: Case) -> bool:
    rubric = judged.rubric
    wanted = (1.0 if is_in_words(rubric) else case.threshold) if rubric.min_score is None else rubric.min_score
    return rubric.required and judged.score is not None and not arithmetic.reaches(judged.score, wanted)


def _judge(rubric: Rubric, done: StepOutcome | None, results: Mapping[str, CheckResult], hearing: Hearing) -> Judged:
    if rubric.command is not None:
        return _by_command(rubric, done)
    if rubric.check is not None:
        return _by_check(rubric, results.get(rubric.check))
    return judged_by(hearing, rubric)


def _by_command(rubric: Rubric, done: StepOutcome | None) -> Judged:
    if done is None:
        return Judged(rubric, None, "its command was never run", fault=True)
    match whose_fault(done):
        case Fault.AUTHOR | Fault.OURS:
            return Judged(rubric, None, ending_sentence(done), fault=True)
        case Fault.CANDIDATE:
            return Judged(rubric, 0.0, ending_sentence(done), unfinished=True)
        case Fault.NONE:
            pass
    passed = done.outcome.exit_code == 0
    if not rubric.score_ranges:
        return Judged(rubric, float(passed), "" if passed else ending_sentence(done))
    printed = done.outcome.stdout
    text = printed.text().strip() if printed.total_bytes <= _NUMBER_LENGTH else ""
    if not passed or not (text.isascii() and text.isdigit()) or int(text) > TOP:
        seen = ending_sentence(done) if not passed else f"it printed {printed.text()!r:.40}"
        return Judged(rubric, None, f"{seen}, but it must print a whole number from 0 to {TOP}", fault=True)
    return Judged(rubric, int(text) / TOP, meaning(rubric, int(text)))


def _by_check(rubric: Rubric, result: CheckResult | None) -> Judged:
    if result is None:
        return Judged(rubric, None, f"no check {rubric.check} was judged before it", fault=True)
    if result.status is Status.ERROR:
        return Judged(rubric, None, f"{result.name} could not be judged", fault=True)
    return Judged(rubric, result.score, result.reason, unfinished=result.unfinished)


def meaning(rubric: Rubric, number: int) -> str:
    """Return the author's description of a score, from the highest range that starts at or below the score."""
    reached = [lowest for lowest in rubric.score_ranges if lowest <= number]
    return rubric.score_ranges[max(reached)] if reached else ""


def _sentence(judged: Judged) -> str:
    if judged.score is None:
        return f"not judged, {judged.reason}"
    return f"{judged.score:.4g}, {judged.reason}" if judged.reason else f"{judged.score:.4g}"


def _records(judged: Sequence[Judged], ran: Mapping[str, StepOutcome]) -> Iterator[StepRecord]:
    for one in judged:
        done = ran.get(one.rubric.id)
        if done is not None:
            passed = one.score is not None and one.score > 0
            yield record(done, passed=passed, reason="" if passed else one.reason)


def _details(judged: Sequence[Judged]) -> Mapping[str, Any]:
    return {
        "rubrics": [
            {
                "id": one.rubric.id,
                "expected_outcome": one.rubric.expected_outcome,
                "score": one.score,
                "weight": one.rubric.weight,
                "required": one.rubric.required,
                "reason": one.reason,
            }
            for one in judged
        ]
    }
