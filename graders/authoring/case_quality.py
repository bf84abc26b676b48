"""Decides whether a case is fair: turns its gradings into findings. Pure.

A case is proven if its reference passes with the full score, its untouched workspace fails, its controls fail on the
reference, repeats agree, the submissions stored with it get their expected verdicts, and no cheat of the battery
passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from gradebox.graders.authoring import quality_gradings
from gradebox.graders.authoring.attack.attempts import NO_FIT, AttackOutcome, TriedCheat, by_remedy
from gradebox.graders.authoring.differences import differences
from gradebox.graders.authoring.leaks.case_search import CaseSearch
from gradebox.graders.authoring.margins import Margin, margins, narrow
from gradebox.graders.authoring.mutants.experiment import Noticed
from gradebox.graders.authoring.quality_gradings import Level, QualityFinding, Subject, SubjectResult
from gradebox.graders.authoring.surroundings import named
from gradebox.graders.checks.answers import contract_rule
from gradebox.graders.checks.evaluation import READS_SOURCE, every, is_apart, is_meant
from gradebox.graders.model import scoring
from gradebox.graders.model.case import Case
from gradebox.graders.model.crossing import ContractRule, Isolation
from gradebox.graders.model.plan import Role
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status

_MOST_DIFFERENCES = 3
NOT_AS_IT_IS = frozenset({Subject.APART, Subject.ELSEWHERE, Subject.UNDER_LOAD})
"""Subjects that grade the reference again under conditions that differ from those of a run."""
# Expected scores may be rounded: a third may be written as 0.333.
_ROUNDING = 0.0005


class CheckedCase(NamedTuple):
    """The gradings that checked a case, and the findings. Cheats, mutants and search are empty if not tried."""

    case: Case
    results: tuple[SubjectResult, ...]
    findings: tuple[QualityFinding, ...]
    tried: tuple[TriedCheat, ...] = ()
    noticed: Noticed | None = None
    search: CaseSearch | None = None

    def margins(self, subject: Subject = Subject.REFERENCE) -> tuple[Margin, ...]:
        """Return how far the reference stayed below its limits, when graded as `subject`."""
        return margins(self.case, [one.result for one in self.results if one.subject is subject])

    @property
    def quality(self) -> quality_gradings.Quality:
        return quality_gradings.quality_of(self.findings, attacked=any(each.outcome != NO_FIT for each in self.tried))


def find_problems(case: Case, results: Sequence[SubjectResult]) -> tuple[QualityFinding, ...]:
    of_subject = {Subject.REFERENCE: _of_reference, Subject.SUBMISSION: _unlike_written}
    findings: list[QualityFinding] = []
    tried = next((one for one in results if one.subject is Subject.APART), None)
    findings += _of_surroundings(results)
    results = [one for one in results if one.subject not in NOT_AS_IT_IS]
    for (subject, _), group in groupby(results, lambda one: (one.subject, one.result.submission)):
        repeats = list(group)
        broken = [one for one in repeats if _could_not(one)]
        findings += _not_graded(broken, len(repeats))
        if sound := [one for one in repeats if not _could_not(one)]:
            findings += _of_untouched(case, sound) if subject is Subject.UNTOUCHED else of_subject[subject](sound)
            findings += _disagreements(sound)
            findings += narrow(case, [one.result for one in sound]) if subject is Subject.REFERENCE else ()
    return (*findings, *_never_failed(case, results), *_in_process(case, results, tried))


def depends_on_surroundings(results: Sequence[SubjectResult]) -> bool:
    """Return whether the reference was graded differently with other surroundings."""
    return bool([*_of_surroundings(results)])


def _of_surroundings(results: Sequence[SubjectResult]) -> Iterator[QualityFinding]:
    same = [one.result for one in results if one.subject is Subject.REFERENCE]
    if any(differences(same[0], each) for each in same[1:]):
        return
    elsewhere = [(one, differences(same[0], one.result, env=True)) for one in results if one.changed]
    unlike = [(one, found) for one, found in elsewhere if found]
    # A grading that changed one thing says more than one that changed all.
    alone = [each for each in unlike if len(each[0].changed) == 1]
    for one, found in alone or unlike:
        changed = named(one.changed)
        message = f"With another {changed}, the reference was graded otherwise: {'; '.join(found[:_MOST_DIFFERENCES])}."
        remedy = "Make reference and checks independent of it, or let `env` say what they need."
        yield QualityFinding(Level.WARNING, message, remedy, one.result.submission)


def controls(one: SubjectResult) -> tuple[int, int]:
    """Return how many controls ran, and how many of them failed, as they must."""
    ran = [step for check in one.result.verdict.checks for step in check.steps if step.role == Role.CONTROL]
    return len(ran), sum(step.passed for step in ran)


def _could_not(one: SubjectResult) -> bool:
    as_written = one.expected is not None and one.expected.verdict == "error"
    return one.result.verdict.status is Status.ERROR and not as_written


def _unfair(one: SubjectResult, message: str, remedy: str, check: str = "") -> QualityFinding:
    return QualityFinding(Level.UNFAIR, message, remedy, one.result.submission, check)


def _times(count: int, whole: int) -> str:
    return "" if whole == 1 else f" in {count} of {whole} runs"


def _not_graded(broken: Sequence[SubjectResult], count: int) -> Iterator[QualityFinding]:
    for one in broken[:1]:
        message = f"{_name(one)} could not be graded{_times(len(broken), count)}: {_reasons(one.result)}."
        remedy = "Fix what the reason names; `grade doctor` examines the engine."
        yield QualityFinding(Level.NOT_GRADED, message, remedy, one.result.submission)


def _of_reference(results: Sequence[SubjectResult]) -> Iterator[QualityFinding]:
    failed = [one for one in results if not _is_perfect(one)]
    for one in failed[:1]:
        times = _times(len(failed), len(results))
        message = f"The reference {_got(one)}{times} and must pass with score 1: {_reasons(one.result)}."
        remedy = "Fix the reference, or the checks that it fails; `grade --reference` shows what they printed."
        yield _unfair(one, message, remedy)
    first = results[0]
    for check in first.result.verdict.checks:
        if any(step.role == Role.CONTROL and not step.passed for step in check.steps):
            message = f"The control of {check.name} passed on the reference, and a control must fail."
            remedy = "Write a control that fails whatever an honest submission does, such as `assert False`."
            yield _unfair(first, message, remedy, check.name)
    passed = {check.name for one in results for check in one.result.verdict.checks if check.status is Status.PASSED}
    for check in first.result.verdict.checks:
        if check.required and check.name not in passed:
            score = "no score" if check.score is None else f"a score of {check.score:.4g}"
            never = f"The required check {check.name} was never passed by the reference"
            remedy = "No submission is known to pass it: fix the check or the reference."
            yield _unfair(first, f"{never}: {score}, needs {check.wanted:g}.", remedy, check.name)
    yield from _unlike_written(results)


def _of_untouched(case: Case, results: Sequence[SubjectResult]) -> Iterator[QualityFinding]:
    passed = [one for one in results if one.result.verdict.status is Status.PASSED]
    if case.expect_untouched == "pass":
        for one in [one for one in results if one not in passed][:1]:
            message = f"The untouched workspace {_got(one)}, and `expect_untouched: pass` is written."
            yield _unfair(one, message, "Fix the workspace or the checks, or remove `expect_untouched`.")
        return
    for one in passed[:1]:
        times = _times(len(passed), len(results))
        message = f"The untouched workspace {_got(one)}{times}: an empty submission passes."
        remedy = "Add a required check, or an item, for what the workspace does not do yet."
        yield _unfair(one, message, f"{remedy} If the task starts with passing work, write `expect_untouched: pass`.")


def _unlike_written(results: Sequence[SubjectResult]) -> Iterator[QualityFinding]:
    one = results[0]
    verdict, expected = one.result.verdict, one.expected
    if expected is None:
        return
    remedy = f"Fix the case, or what is written in {expected.place}."
    if verdict.status != expected.verdict:
        because = f": {_reasons(one.result)}" if verdict.reasons else ""
        yield _unfair(one, f"{_name(one)} {_got(one)}, and {expected.verdict} is written{because}.", remedy)
    if expected.score is not None and not _same(verdict.score, expected.score):
        yield _unfair(one, f"{_name(one)} got {_score(verdict.score)}, and {expected.score:.4g} is written.", remedy)
    for check in verdict.checks:
        written = expected.checks.get(check.name)
        if written is not None and not _same(check.score, written):
            because = f" ({check.reason})" if check.reason else ""
            message = f"{_name(one)} got {_score(check.score)} in {check.name}, and {written:.4g} is written{because}."
            yield _unfair(one, message, remedy, check.name)


def _disagreements(results: Sequence[SubjectResult]) -> Iterator[QualityFinding]:
    first, *others = results
    for one in others:
        if found := differences(first.result, one.result):
            more = f" and {len(found) - _MOST_DIFFERENCES} more" if len(found) > _MOST_DIFFERENCES else ""
            listed = f"{'; '.join(found[:_MOST_DIFFERENCES])}{more}"
            message = f"{_name(one)} was graded otherwise in run {one.repeat} than in run {first.repeat}: {listed}."
            yield _unfair(
                one, message, "Take time, chance and order out of the checks, or give their commands more time."
            )
            return


def _never_failed(case: Case, results: Sequence[SubjectResult]) -> Iterator[QualityFinding]:
    if not results:
        return
    failed = {c.name for one in results for c in one.result.verdict.checks if c.status is Status.FAILED}
    count = len(results)
    for check in case.checks:
        if check.name not in failed:
            message = f"The check {check.name} has never been seen to fail in {count} run{'s' if count > 1 else ''}."
            remedy = "Keep a submission that fails it, with its verdict, in submissions/."
            yield QualityFinding(Level.WARNING, message, remedy, check=check.name)


def of_isolation(tried: SubjectResult) -> str:
    """Return a sentence about the result of the reference with `isolation: apart`."""
    if Isolation.APART not in {check.judged for check in tried.result.verdict.checks}:
        return "With `isolation: apart`, nothing would be judged otherwise."
    if _is_perfect(tried):
        return "The reference passes with `isolation: apart`, too."
    return f"With `isolation: apart`, the reference {_got(tried)}: {_reasons(tried.result)}."


def of_surroundings(elsewhere: Sequence[SubjectResult]) -> str:
    """Return a sentence about the changed surroundings in which the reference was graded."""
    changed = named(elsewhere[0].changed)
    return f"The reference was also graded with another {changed}{', and each alone' if elsewhere[1:] else ''}."


def of_crossing(case: Case) -> Iterator[str]:
    """Yield sentences about the isolation that the reference decided, and about the risk of `contract: none`."""
    crossing = case.crossing
    if crossing is not None and case.is_open and not crossing.problem:
        yield f"Its tests are judged {crossing.isolation} (`isolation: auto`): {crossing.why}."
    free = [
        check.name
        for check in every(case.checks)
        if is_apart(check, case) and contract_rule(check, case) is ContractRule.NONE
    ]
    if free:
        yield (
            f"With `contract: none`, operators and methods of a submission answer what the tests of "
            f"{', '.join(free)} compare."
        )


def of_judging(case: Case, results: Sequence[SubjectResult]) -> Iterator[str]:
    """Yield sentences about cheats that pass undetected in-process, and whether answers can be compared apart."""
    if any(check.judged == Isolation.IN_PROCESS for one in results for check in one.result.verdict.checks):
        yield f"It is judged in-process: {READS_SOURCE}."
        return
    checks = [check for one in results if one.subject is Subject.REFERENCE for check in one.result.verdict.checks]
    counts = [check.details["answers"] for check in checks if "answers" in check.details]
    if counts and case.contract is ContractRule.RECORDED and all(one["same"] and not one["unknown"] for one in counts):
        yield "The answers of all its tests can be compared. With `contract: exact`, only the reference's answers pass."


def _in_process(case: Case, results: Sequence[SubjectResult], tried: SubjectResult | None) -> Iterator[QualityFinding]:
    """Yield required checks that share a user or process with the submission, unless check or case requests that."""
    meant = {check.name for check in case.checks if is_meant(check, case)}
    judged = {check.name: check for one in results for check in one.result.verdict.checks}
    apart = {check.name for check in tried.result.verdict.checks if check.judged == Isolation.APART} if tried else set()
    for check in judged.values():
        if check.required and check.judged == Isolation.IN_PROCESS and check.name not in meant:
            message = f"The required check {check.name} is judged in-process: the submission can reach its grader."
            remedy = "Write `isolation: apart` if its grader can, or `isolation: in-process` if that is meant."
            if case.crossing and case.is_open:
                remedy = "Change its tests so that the reference passes apart, or write `isolation: in-process`."
            if tried and check.name in apart and _is_perfect(tried):
                remedy = "Write `isolation: apart`: the reference passes so."
            yield QualityFinding(Level.WARNING, message, remedy, check=check.name)


def find_cheats(tried: Sequence[TriedCheat]) -> Iterator[QualityFinding]:
    """Yield a finding for each remedy against cheats that passed, and one for cheats that could not be graded."""
    for remedy, cheats in by_remedy(tried).items():
        first, *others = cheats
        more = f" So do {', '.join(each.cheat for each in others)}." if others else ""
        message = f"The cheat {first.cheat} passes. {first.about}{more}"
        yield QualityFinding(Level.CHEATED, message, remedy, first.cheat)
    for each in [each for each in tried if each.outcome == AttackOutcome.NOT_GRADED][:1]:
        message = f"The cheat {each.cheat} could not be graded: {each.reason.rstrip('.')}."
        yield QualityFinding(Level.NOT_GRADED, message, "Fix what the reason names.", each.cheat)


def _is_perfect(one: SubjectResult) -> bool:
    verdict = one.result.verdict
    return verdict.status is Status.PASSED and verdict.score is not None and scoring.reaches(verdict.score, 1.0)


def _same(found: float | None, written: float) -> bool:
    return found is not None and abs(found - written) <= _ROUNDING


def _name(one: SubjectResult) -> str:
    match one.subject:
        case Subject.REFERENCE | Subject.APART | Subject.ELSEWHERE | Subject.UNDER_LOAD:
            return "The reference"
        case Subject.UNTOUCHED:
            return "The untouched workspace"
        case Subject.SUBMISSION:
            return f"The submission {one.result.submission}"


def _got(one: SubjectResult) -> str:
    return f"{one.result.verdict.status} with {_score(one.result.verdict.score)}"


def _score(score: float | None) -> str:
    return "no score" if score is None else f"score {score:.4g}"


def _reasons(graded: Result) -> str:
    return "; ".join(graded.verdict.reasons).rstrip(".") or "its score is not the full one"
