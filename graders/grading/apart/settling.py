"""Settles how the submissions of a case are judged: whether its reference passes apart, and by which contract.

The reference is judged apart twice, and its crossings of the boundary are recorded. The contract is the union of both
records. With `contract: exact`, it is judged twice more with other texts of exceptions: with another one each time, and
with the same for all. Then the reference is judged by its own contract, a second time if it fails. With `isolation:
auto`, a case is judged in-process only if the reference fails twice by the contract, or fails twice without it and
passes in-process, and no check has `contract: exact`. If the engine or a time limit prevented an attempt, nothing is
settled, and that is an error.

This happens once for each content of a case and each image; the outcome is kept like the baselines. These sandboxes
contain no submission.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain

from gradebox.graders.checks import evaluation
from gradebox.graders.checks.results import ending_sentence, whose_fault
from gradebox.graders.errors import ExitCode, GraderError
from gradebox.graders.grading.apart.told_files import is_told
from gradebox.graders.grading.execute import execute
from gradebox.graders.grading.fingerprint import content_key
from gradebox.graders.grading.open_sandboxes import retry_while_away
from gradebox.graders.grading.prepare import prepare
from gradebox.graders.grading.settings import Settings
from gradebox.graders.judges.spending import Spending
from gradebox.graders.languages import boundary_report
from gradebox.graders.model import scoring
from gradebox.graders.model.case import Case, CaseCheck
from gradebox.graders.model.crossing import Contract, ContractRule, Crossing, Isolation, folded
from gradebox.graders.model.events import ReferenceTried
from gradebox.graders.model.evidence import Evidence, Observations, StepOutcome, names_in, of_check, part
from gradebox.graders.model.plan import Plan, Stage
from gradebox.graders.model.verdict import CheckResult, Status
from gradebox.graders.submissions.source import read_reference
from gradebox.sandbox.ending import Fault
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.errors import SandboxError
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import Ending

# The version of the notation for paths. Stored contracts in another notation are not used.
_PATHS = "paths 9"
_WHY_EXACT = "`contract: exact` is for tests that run apart"


class Unsettled(GraderError):
    """It could not be determined how a case is judged."""

    exit_code = ExitCode.NOT_GRADED


def can_be_apart(case: Case) -> bool:
    """Return whether a case has tests that one of our runners can run apart from a submission."""
    tried, listed = as_judged(case, Isolation.APART), chain(case.checks, *(turn.checks for turn in case.turns))
    return any(evaluation.is_apart(check, tried) for check in evaluation.every(listed))


def as_judged(case: Case, isolation: Isolation) -> Case:
    """Return a case with this isolation in place of `isolation: auto`."""
    return replace(case, crossing=Crossing(isolation))


def settled(engine: Engine, case: Case, settings: Settings) -> Case:
    """Return a case with the crossing that its reference shows; the same case if it is known or does not apply.

    Raises Unsettled if it cannot be determined, and GraderError, SandboxError or OSError as grading does.
    """
    if case.crossing is not None and case.crossing.problem:
        raise Unsettled(case.crossing.problem)
    if case.crossing is not None or not case.has_reference or not can_be_apart(case):
        return case
    reference = read_reference(case)
    image = settings.image_of(case)
    image_id = retry_while_away(lambda: engine.image(image), settings).id
    plan = prepare(as_judged(case, Isolation.APART), reference, image=image) if reference else Plan(case)
    told = [stage for stage in plan.stages if any(map(is_told, stage.steps))]
    if not told or (not case.is_open and not any(map(_has_contract, told))):
        return as_judged(case, Isolation.APART if case.isolation is Isolation.APART else Isolation.IN_PROCESS)
    sandbox = f"{settings.profile.name} {settings.runtime or ''} {_PATHS}"
    content = content_key(plan, image_id=image_id, sandbox=sandbox)
    attempt = partial(_tried, engine, settings, names={stage.check or "" for stage in told})

    def in_process() -> _Tried:
        assert reference is not None
        return attempt(prepare(as_judged(case, Isolation.IN_PROCESS), reference, image=image))

    def find() -> Crossing:
        settings.emit(ReferenceTried(case.id))
        return replace(_find(case, plan, attempt, in_process), content=content)

    found = settings.baselines.crossings.get(content, find)
    assert found is not None
    return replace(case, crossing=found)


def settled_or_not(engine: Engine, case: Case, settings: Settings) -> Case:
    """Return the same as `settled`, but report an error as the `problem` of the crossing."""
    try:
        return settled(engine, case, settings)
    except (GraderError, SandboxError, OSError) as error:
        return replace(case, crossing=Crossing(Isolation.IN_PROCESS, problem=str(error)))


@dataclass(frozen=True, slots=True)
class _Tried:
    """The outcome of judging the reference once."""

    # The results of the checks that can run apart, by the names under which evidence is kept.
    results: dict[str, CheckResult]
    contracts: dict[str, Contract]
    stopped: str = ""  # Why no check was judged, a clause.
    problem: str = ""  # Why the attempt shows nothing about the reference, a clause.
    late: bool = False  # Whether a command reached a time limit.

    @property
    def passed(self) -> bool:
        return bool(self.results) and all(result.status is Status.PASSED for result in self.results.values())

    @property
    def perfect(self) -> bool:
        return self.passed and all(scoring.reaches(result.score or 0.0, 1.0) for result in self.results.values())

    @property
    def reason(self) -> str:
        """Why the reference does not pass."""
        failed = (result for result in self.results.values() if not scoring.reaches(result.score or 0.0, 1.0))
        return "; ".join(f"{result.name}: {result.reason or 'failed'}" for result in failed) or self.stopped


def _find(case: Case, plan: Plan, attempt: Callable[[Plan], _Tried], in_process: Callable[[], _Tried]) -> Crossing:
    tries: list[_Tried] = []
    has_contract = any(_has_contract(stage) and any(map(is_told, stage.steps)) for stage in plan.stages)
    for _ in range(2):
        tried = attempt(replace(plan, record=True))
        if tried.problem or (case.is_open and tried.late):
            raise _unsettled(tried)
        tries.append(tried)
        if tried.perfect and not has_contract:
            break
    contracts = {
        name: folded(boundary_report.agreed(tried.contracts[name] for tried in tries if name in tried.contracts))
        for name in dict.fromkeys(chain.from_iterable(tried.contracts for tried in tries))
    }
    if any(tried.perfect for tried in tries):
        contracts = _with_reworded(contracts, plan, attempt)
        return _held_to_it(case, Crossing(Isolation.APART, contracts), plan, attempt)
    failed = f"`isolation: apart`, the reference fails: {tries[0].reason}"
    note = f"With {failed}. What its tests ask of a submission may not all be known."
    if not _may_be_in_process(case, plan):
        return Crossing(Isolation.APART, contracts, why=_WHY_EXACT if case.is_open else "", note=note)
    other = in_process()
    if other.problem or other.late:
        raise _unsettled(other)
    if other.perfect or (other.passed and not any(tried.passed for tried in tries)):
        return Crossing(Isolation.IN_PROCESS, contracts, why=f"with {failed}")
    return Crossing(Isolation.APART, contracts, why="the reference passes neither so nor in-process", note=note)


def _with_reworded(
    contracts: dict[str, Contract], plan: Plan, attempt: Callable[[Plan], _Tried]
) -> dict[str, Contract]:
    """Return contracts that say which tests of exact checks pass with other texts of exceptions, too."""
    exact = {stage.check or "" for stage in plan.stages if stage.contract is ContractRule.EXACT}
    if not any(boundary_report.has_texts(contracts.get(name, {})) for name in exact):
        return contracts
    reworded = []
    for how in (1, 2):
        tried = attempt(replace(plan, record=True, reword=how))
        if tried.problem:
            raise _unsettled(tried)
        reworded.append(tried.contracts)
        if not any(boundary_report.has_replaced(tried.contracts.get(name, {})) for name in exact):
            break
    return {
        name: boundary_report.with_reworded(found, (each.get(name, {}) for each in reworded))
        if name in exact
        else found
        for name, found in contracts.items()
    }


def _held_to_it(case: Case, found: Crossing, plan: Plan, attempt: Callable[[Plan], _Tried]) -> Crossing:
    """Judge the reference by its own contract, as submissions will be, and return the crossing that follows."""
    tried = None
    for _ in range(2 if any(found.contracts.values()) else 0):
        tried = attempt(replace(plan, case=replace(plan.case, crossing=found)))
        if tried.problem or (case.is_open and tried.late):
            raise _unsettled(tried)
        if tried.perfect:
            break
    if tried is None or tried.perfect:
        return replace(found, why="the reference passes so" if case.is_open else "")
    failed = f"`isolation: apart`, the reference fails its own contract: {tried.reason}"
    if _may_be_in_process(case, plan):
        return replace(found, isolation=Isolation.IN_PROCESS, why=f"with {failed}")
    note = f"With {failed}. A correct submission may fail in the same way."
    return replace(found, why=_WHY_EXACT if case.is_open else "", note=note)


def _may_be_in_process(case: Case, plan: Plan) -> bool:
    """Return whether the reference may decide that a case is judged in-process, where no answers are compared."""
    return case.is_open and all(stage.contract is not ContractRule.EXACT for stage in plan.stages)


def _unsettled(tried: _Tried) -> Unsettled:
    why = tried.problem.rstrip(".") or "the reference reached a limit of time"
    return Unsettled(
        f"It is unknown whether the reference passes with `isolation: apart`, and what the tests ask of it: {why}.",
        remedy="Grade it again; or write `isolation` into the case.",
    )


def _tried(engine: Engine, settings: Settings, plan: Plan, *, names: set[str]) -> _Tried:
    """Judge the reference by the checks that contain those in `names`; record crossings if `plan.record` is set."""
    checks = {names_in(name)[0] for name in names}
    stages = tuple(
        evaluation.with_whole_reports(stage) for stage in plan.stages if names_in(stage.check or "")[0] in checks
    )
    quiet = replace(settings, emit=lambda _: None, spending=Spending(most_tokens=0))
    plan = replace(plan, stages=stages, teardown=None)
    observed = execute(engine, plan, quiet)
    ran = [*observed.own, *chain.from_iterable(observed.done.values())]
    lost = [ending_sentence(each) for each in ran if whose_fault(each) is Fault.OURS]
    late = any(each.cut_off or each.outcome.ending is Ending.TIMED_OUT for each in ran)
    problem = next(iter(lost if observed.in_question else (*observed.faults, *lost)), "")
    try:
        contracts = dict(_contracts(observed, stages)) if plan.record else {}
    except ValueError as error:
        return _Tried({}, {}, problem=f"what was recorded cannot be read: {error}")
    results = {name: result for name, result in _results(plan, observed) if name in names}
    return _Tried(results, contracts, "; ".join((*observed.failures, *observed.faults)), problem, late)


def _has_contract(stage: Stage) -> bool:
    return stage.contract is not ContractRule.NONE


def _contracts(observed: Observations, stages: Iterable[Stage]) -> Iterator[tuple[str, Contract]]:
    """Yield the contract of each check that recorded one. Raises ValueError if one cannot be read."""
    wanted = {stage.check or "" for stage in stages if _has_contract(stage)}
    for name, ran in observed.done.items():
        recorded = [_contract(each) for each in ran if is_told(each.step)]
        if recorded and name in wanted:
            yield name, boundary_report.united(recorded)


def _contract(ran: StepOutcome) -> Contract:
    report = ran.outcome.report
    if not report.complete:
        raise ValueError("a part of it was lost")
    return boundary_report.contract(ran.step.token, report.content())


def _results(plan: Plan, observed: Observations) -> Iterator[tuple[str, CheckResult]]:
    evidence = Evidence.of(plan, observed.judgments)
    # Without an answer, judge an empty one.
    evidence = replace(evidence, output=evidence.answer or "")
    for check in plan.case.checks:
        yield from _judged(check, plan.case, of_check(evidence, check.name, observed.done), check.name)


def _judged(check: CaseCheck, case: Case, evidence: Evidence, name: str) -> Iterator[tuple[str, CheckResult]]:
    inner, known = evaluation.judged_within(check, case, evidence)
    for member in evaluation.members(check):
        own = of_check(known, member.name, known.within)
        yield from _judged(member, inner, own, part(name, member.name))
    if evidence.done:
        yield name, evaluation.judge(check, case, evidence)
