"""Grades a case without the submission, to tell a broken grader from a broken submission.

If a check or the case's setup ends as an error, or a command complains about something missing, the case is graded
again in another sandbox: with the reference in place of the submission, or with the untouched workspace if there is no
reference. If the same complaint occurs there, the case is to blame. If an error occurs only with the submission, the
submission is to blame.

That sandbox contains nothing of the submission, so the submission can neither forge nor suppress its findings. A case
is graded this way at most once in a call, and not again until it changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from gradebox.graders.checks import evaluation
from gradebox.graders.checks.base import Check
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.results import limits_of, whose_fault
from gradebox.graders.errors import GraderError
from gradebox.graders.grading.author_mistakes import LIMIT, AuthorMistakes, sentence
from gradebox.graders.grading.baseline_cache import Baseline
from gradebox.graders.grading.execute import execute
from gradebox.graders.grading.fingerprint import content_key
from gradebox.graders.grading.judge import judge
from gradebox.graders.grading.prepare import prepare
from gradebox.graders.grading.settings import Settings
from gradebox.graders.judges.spending import Spending
from gradebox.graders.languages.complaints import Complaint, complaints
from gradebox.graders.model.case import Case, CaseCheck
from gradebox.graders.model.evidence import Evidence, Observations, StepOutcome, names_in, of_check
from gradebox.graders.model.plan import Plan, Role
from gradebox.graders.model.submission import UNTOUCHED, Submission, digest
from gradebox.graders.model.verdict import CheckResult, Status, Verdict
from gradebox.graders.runners.test_reports import assessment
from gradebox.graders.submissions.source import read_reference
from gradebox.sandbox.ending import Fault
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.limits import Network
from gradebox.sandbox.types import Ending

# Kinds of complaints about a file, which may be a submitted file.
_OF_A_FILE = frozenset({"name", "source", "target"})
_JUDGING = frozenset({Role.CHECK_SETUP, Role.CHECK, Role.ITEM, Role.CONTROL})
# The key of the case as a whole in a baseline; no check has this name.
_WHOLE = ""


class Attributed(NamedTuple):
    """A verdict, and its observations with the blame of the case and the submission."""

    verdict: Verdict
    observed: Observations


def attribute(engine: Engine, case: Case, plan: Plan, observed: Observations, settings: Settings) -> Attributed:
    """Return the verdict of observations. If they are in doubt, the case is also graded without the submission.

    `case` is the case as it was loaded.
    """
    verdict = judge(plan, observed)
    doubtful = tuple(_doubtful(plan, observed, verdict))
    found = None
    if doubtful or (observed.in_question and observed.faults):
        found = _baseline(engine, case, plan, observed, settings)
    if found is None:
        return Attributed(verdict, observed)
    blamed = _with_blame(plan, observed, doubtful, found)
    return Attributed(judge(plan, blamed), blamed)


def _with_blame(plan: Plan, observed: Observations, doubtful: Sequence[CaseCheck], found: Baseline) -> Observations:
    """Return observations with the blame that a baseline shows."""
    failures, faults = observed.failures, observed.faults
    if faults and _WHOLE in found.works:
        failures, faults = [f"{it}; with {found.subject} it works" for it in faults], []
    noted = {
        name: [_noted(each, name, check, found) for each in ran]
        for check in doubtful
        for name, ran in _of(check, observed)
    }
    # A brief outage of the network would look like the submission's fault.
    names = {check.name for check in doubtful if plan.limits.network is not Network.BRIDGE}
    works_with = {name: found.subject for name in found.works if names_in(name)[0] in names}
    return replace(observed, failures=failures, faults=faults, done={**observed.done, **noted}, works_with=works_with)


def _of(check: CaseCheck, observed: Observations) -> list[tuple[str, list[StepOutcome]]]:
    """Return the steps of a check and of its members, by the names under which evidence is kept."""
    return [(name, ran) for name, ran in observed.done.items() if names_in(name)[0] == check.name]


def _reference(case: Case) -> Submission | None:
    try:
        return read_reference(case)
    except (GraderError, OSError):
        return None


def _doubtful(plan: Plan, observed: Observations, verdict: Verdict) -> Iterator[CaseCheck]:
    """Yield the checks that could not be judged, and those with a complaint."""
    if observed.faults or observed.failures or any(result.of_case for result in verdict.checks):
        return
    results = {result.name: result for result in verdict.checks}
    has_reference = plan.case.reference is not None or plan.case.reference_text is not None
    mistakes = AuthorMistakes(plan)
    for check in plan.case.checks:
        ran = [each for _, done in _of(check, observed) for each in done if each.step.role in _JUDGING]
        faults = {whose_fault(each) for each in ran}
        # A fault of gradebox proves nothing.
        if Fault.OURS in faults:
            continue
        # Without a reference, the complaint itself must show whether it can be about the case.
        if results[check.name].status is Status.ERROR or any(
            (has_reference and complaint.kind not in _OF_A_FILE) or mistakes.found(complaint, each)
            for each in ran
            for complaint in _complaints(each, check)
        ):
            yield check


def _complaints(ran: StepOutcome, check: CaseCheck) -> frozenset[Complaint]:
    if isinstance(check, Check) and check.reports_errors:
        return frozenset()
    outcome = ran.outcome
    report = check.report if isinstance(check, CodeGrader) else None
    if report and ran.artifact and (problem := assessment.problem(report, ran.artifact)):
        return frozenset({Complaint("report", report.path, problem)}) | _printed(ran)
    if outcome.ending is Ending.NOT_STARTED and outcome.refused == "cwd":
        return frozenset({Complaint("directory", ran.step.cwd)})
    if outcome.ending is Ending.NOT_STARTED:
        return frozenset({Complaint("file", ran.step.command[0])})
    return _printed(ran)


def _printed(ran: StepOutcome) -> frozenset[Complaint]:
    if not ran.outcome.exit_code or ran.step.role not in _JUDGING:
        return frozenset()
    limits = frozenset(Complaint(LIMIT, limit) for limit in limits_of(ran))
    return complaints(ran.outcome.stdout.text(), ran.outcome.stderr.text()) | limits


def _baseline(engine: Engine, case: Case, plan: Plan, observed: Observations, settings: Settings) -> Baseline | None:
    """Return the baseline of a case, graded without the submission; None if it cannot be determined."""
    reference = _reference(case)
    subject = reference or UNTOUCHED
    sandbox = f"{settings.profile.name} {settings.runtime or ''}"
    try:
        other = prepare(case, subject, image=plan.image)
        key = content_key(other, image_id=observed.image_id, sandbox=sandbox, services=observed.services)
    except (GraderError, OSError):
        return None

    def find() -> Baseline | None:
        happened = observed
        if digest(subject) != digest(plan.submission):
            # No judge is asked, so checks that need one stay errors.
            quiet = replace(settings, emit=lambda _: None, spending=Spending(most_tokens=0))
            happened = execute(engine, replace(other, teardown=None), quiet)
        if happened.faults and not happened.in_question:
            return None
        return _found(other, happened, by_reference=reference is not None)

    return settings.baselines.get(key, find)


def _found(plan: Plan, observed: Observations, *, by_reference: bool) -> Baseline:
    subject = "the reference" if by_reference else "the untouched workspace"
    if observed.faults or observed.failures:
        return Baseline(subject)
    mistakes = None if by_reference else AuthorMistakes(plan)
    broken = {
        (name, ran.step.name, complaint): sentence(complaint)
        for check in plan.case.checks
        for name, done in _of(check, observed)
        for ran in done
        for complaint in _complaints(ran, check)
        # The reference has everything that a submission must bring.
        if mistakes is None or mistakes.found(complaint, ran)
    }
    blamed = {names_in(name)[0] for name, _, _ in broken}
    works = {_WHOLE}
    # Without an answer, judge an empty one.
    evidence = Evidence.of(plan, observed.judgments)
    evidence = replace(evidence, output=evidence.answer or "")

    def judge_one(check: CaseCheck, results: Mapping[str, CheckResult]) -> CheckResult:
        own = of_check(replace(evidence, results=results), check.name, observed.done)
        if check.name not in blamed:
            works.update(evaluation.judgeable(check, plan.case, own))
        return evaluation.judge(check, plan.case, own)

    results = evaluation.judge_all(plan.case.checks, judge_one)
    lasting = not broken and all(result.status is not Status.ERROR for result in results)
    return Baseline(subject, frozenset(works), lasting, broken)


def _noted(ran: StepOutcome, name: str, check: CaseCheck, found: Baseline) -> StepOutcome:
    if whose_fault(ran) is Fault.AUTHOR:
        # If it stays an error, its result blames the author.
        return ran
    keys = sorted((name, ran.step.name, complaint) for complaint in _complaints(ran, check))
    return replace(ran, broken=next((found.broken[key] for key in keys if key in found.broken), ""))
