"""Runs checks again without the submission, to tell a broken grader from a broken submission.

Checks that failed with a complaint about something missing are run again in a sandbox of their own: with the reference
in place of the submission, or with the untouched workspace if there is no reference. What they complain about there,
too, is the case's to mend. What ends as an `error`, and does not so with the reference, the submission has caused.

Nothing of the submission is in that sandbox, so it can neither forge nor suppress what is found there. Each check is
run again at most once in a call.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graders.checks.code_grader import CodeGrader
from graders.checks.definition import Parsed, TakenFromParsed
from graders.checks.judging import whose_fault
from graders.errors import GraderError
from graders.grading.author_mistakes import AuthorMistakes, sentence
from graders.grading.execute import execute
from graders.grading.judge import judge
from graders.grading.prepare import prepare
from graders.grading.settings import Baseline, Settings
from graders.judges.spending import Spending
from graders.languages.complaints import Complaint, complaints
from graders.model.case import CaseCheck
from graders.model.evidence import Observations, StepOutcome, names_in
from graders.model.plan import Plan, Role
from graders.model.submission import UNTOUCHED, Submission, digest
from graders.model.verdict import Status
from graders.runners.test_reports import assessment
from graders.submissions.source import read_reference
from sandbox.ending import Fault
from sandbox.engines.engine import Engine
from sandbox.types import Ending

# Complaints about a file: one of the submission's has nothing to do with the case.
_OF_A_FILE = frozenset({"name", "source", "target"})
_JUDGING = frozenset({Role.CHECK_SETUP, Role.CHECK, Role.ITEM, Role.CONTROL})


def attribute(engine: Engine, plan: Plan, observed: Observations, settings: Settings) -> Observations:
    """Note on outcomes that the case is broken, or that it is not, where the outcomes themselves leave it open."""
    doubtful = {(plan.case.place, plan.image, check.name): check for check in _doubtful(plan, observed)}
    new = {key: check for key, check in doubtful.items() if key not in settings.baselines}
    if new:
        found = _baselines(engine, plan, observed, tuple(new.values()), settings)
        # What was not found out, for want of a sandbox, the next submission may find out.
        settings.baselines.update((key, found[check.name]) for key, check in new.items() if check.name in found)
    for key, check in doubtful.items():
        for name, ran in _of(check, observed):
            baseline = settings.baselines.get(key, Baseline())
            observed.done[name] = [_noted(each, name, check, baseline) for each in ran]
    return observed


def _of(check: CaseCheck, observed: Observations) -> list[tuple[str, list[StepOutcome]]]:
    """Return the steps of a check and of its members, by the names under which they are kept."""
    return [(name, ran) for name, ran in observed.done.items() if names_in(name)[0] == check.name]


def _reference(plan: Plan) -> Submission | None:
    try:
        return read_reference(plan.case)
    except (GraderError, OSError):
        return None


def _doubtful(plan: Plan, observed: Observations) -> Iterator[CaseCheck]:
    """Yield the checks with a complaint, and those whose grader could not be understood."""
    if observed.faults or observed.failures:
        return
    has_reference = plan.case.reference is not None or plan.case.reference_text is not None
    results = {result.name: result.status for result in judge(plan, observed).checks} if has_reference else {}
    mistakes = AuthorMistakes(plan)
    for check in plan.case.checks:
        # A definition has a protocol of its own for what the image lacks.
        if isinstance(check, Parsed | TakenFromParsed):
            continue
        ran = [each for _, done in _of(check, observed) for each in done if each.step.role in _JUDGING]
        explained = any(whose_fault(each) in (Fault.AUTHOR, Fault.OURS) for each in ran)
        if explained or not ran:
            continue
        # Without a reference, the complaint itself says whether it can be about the case.
        if results.get(check.name) is Status.ERROR or any(
            (has_reference and complaint.kind not in _OF_A_FILE) or mistakes.found(complaint, each)
            for each in ran
            for complaint in _complaints(each, check)
        ):
            yield check


def _complaints(ran: StepOutcome, check: CaseCheck) -> frozenset[Complaint]:
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
    return complaints(ran.outcome.stdout.text(), ran.outcome.stderr.text())


def _baselines(
    engine: Engine, plan: Plan, observed: Observations, checks: tuple[CaseCheck, ...], settings: Settings
) -> dict[str, Baseline]:
    """Return by name what checks come to with the reference, or with the untouched workspace, in one sandbox."""
    reference = _reference(plan)
    subject = reference or UNTOUCHED
    names = {check.name for check in checks}
    if digest(subject) != digest(plan.submission):
        try:
            plan = prepare(plan.case, subject, image=plan.image)
        except (GraderError, OSError):
            return {}
        stages = tuple(stage for stage in plan.stages if names_in(stage.check or "")[0] in names)
        plan = replace(plan, case=replace(plan.case, checks=checks), stages=stages, teardown=None)
        # No judge of words is asked about it: what needs one stays an error.
        quiet = replace(settings, emit=lambda _: None, spending=Spending(most_tokens=0))
        observed = execute(engine, plan, quiet)
    if observed.faults or observed.failures:
        return {}
    statuses = {result.name: result.status for result in judge(plan, observed).checks}
    mistakes = None if reference else AuthorMistakes(plan)
    return {check.name: _baseline(check, observed, mistakes, statuses[check.name]) for check in checks}


def _baseline(check: CaseCheck, observed: Observations, mistakes: AuthorMistakes | None, status: Status) -> Baseline:
    broken = {
        (name, ran.step.name, complaint): sentence(complaint)
        for name, done in _of(check, observed)
        for ran in done
        for complaint in _complaints(ran, check)
        # The reference has all that a submission has to bring.
        if mistakes is None or mistakes.found(complaint, ran)
    }
    return Baseline(broken, sound=mistakes is None and not broken and status is not Status.ERROR)


def _noted(ran: StepOutcome, name: str, check: CaseCheck, found: Baseline) -> StepOutcome:
    keys = sorted((name, ran.step.name, complaint) for complaint in _complaints(ran, check))
    broken = next((found.broken[key] for key in keys if key in found.broken), "")
    return replace(ran, broken=broken, sound=found.sound)
