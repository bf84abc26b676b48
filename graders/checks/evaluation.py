"""Checks of a case on their way from a plan to results, whatever their types: members first, references in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from gradebox.graders.checks.base import Check, CheckPlanner
from gradebox.graders.checks.grader_input import preprocessing
from gradebox.graders.checks.grader_input.case_messages import input_entries, named_files
from gradebox.graders.checks.results import ending_sentence, error, limits_of, not_judged, unfinished
from gradebox.graders.languages import boundary_report
from gradebox.graders.model.case import Case, CaseCheck, CommandSpec
from gradebox.graders.model.crossing import Crossing, Isolation
from gradebox.graders.model.evidence import Evidence, of_check, part
from gradebox.graders.model.judgment import Question
from gradebox.graders.model.plan import Role, Stage, Step, User
from gradebox.graders.model.verdict import CheckResult, Status

READS_SOURCE = "a function that reads the expected value from the source of its caller passes unflagged"
"""What the checks of a case that is judged in-process do not see."""


def stages(check: CaseCheck, case: Case, planner: CheckPlanner) -> tuple[Stage, ...]:
    """Return what must run in the sandbox to judge a check, first of all what its members need."""
    inside = _whole(check).planned_within(case, planner)
    of_members = (
        replace(stage, name=f"{check.name} {stage.name}", check=part(check.name, stage.check or ""))
        for member in members(check)
        for stage in stages(member, *inside)
    )
    own = _whole(check).stages(case, planner)
    if beside := service_beside(check, case):
        env = next(service.env for service in case.services if service.name == beside)
        own = tuple(_beside(stage, beside, {**env, **check.env}) for stage in own)
    if not has_contract(check, case):
        own = tuple(replace(with_whole_reports(stage), contract=False) for stage in own)
    return (*of_members, *_texts(check, case, planner), *own)


def _beside(stage: Stage, service: str, env: Mapping[str, str]) -> Stage:
    """Return a stage that runs beside a service, with what its commands get to reach it."""
    steps = tuple(replace(step, env={**step.env, **env}) for step in stage.steps)
    return replace(stage, beside=service, steps=steps)


def with_whole_reports(stage: Stage) -> Stage:
    """Return a stage whose runners can report a contract without a part of their reports being lost."""
    most = 4 * boundary_report.CONTRACT_MAX_BYTES
    return replace(stage, steps=tuple(replace(one, capture_bytes=most) if one.token else one for one in stage.steps))


def _texts(check: CaseCheck, case: Case, planner: CheckPlanner) -> Iterator[Stage]:
    """Yield the stage whose commands make texts of files for a judge."""
    if case.preprocessors and _whole(check).asks_judge():
        steps = preprocessing.steps(case, check, planner, named_files(case))
        brought = [replace(step, brought=input_entries(case)) for step in steps]
        if brought:
            yield planner.stage(f"{check.name} texts", brought, check.name)


def judge(check: CaseCheck, case: Case, evidence: Evidence) -> CheckResult:
    """Turn the evidence into the check's result."""
    if evidence.no_workspace and _whole(check).reads_workspace(case):
        return not_judged(check, case, evidence.no_workspace)
    try:
        unmade = preprocessing.unmade(evidence.done) if _whole(check).asks_judge() else None
        if unmade is None:
            result = _whole(check).judge(case, replace(evidence, members=judge_members(check, case, evidence)))
        else:
            result = error(check, case, f"{unmade.step.name} was not made: {ending_sentence(unmade)}")
        result = _with_limits(check, case, result, evidence)
        result = replace(result, judged=judged(ran.step for ran in evidence.done))
        works_with = evidence.works_with.get("")
        # What a judge of words could not say is nobody's doing here.
        if works_with and result.status is Status.ERROR and not _whole(check).is_in_words():
            reason = f"{result.reason}; with {works_with} it works"
            return replace(unfinished(check, case, reason, result.steps, result.tampering), judged=result.judged)
        return result
    except OSError as problem:
        # A file that was there when the submission was read; nothing that the candidate does now can reach it.
        return error(check, case, f"a file of the submission cannot be read any more: {problem.strerror or problem}")


def _with_limits(check: CaseCheck, case: Case, result: CheckResult, evidence: Evidence) -> CheckResult:
    """Return a result that names the limits of judging apart that its steps met; `negate` makes no pass of one."""
    limits = dict.fromkeys(limit for ran in evidence.done for limit in limits_of(ran))
    reason = "; ".join(filter(None, (result.reason, *(limit for limit in limits if limit not in result.reason))))
    if not limits or result.status not in (Status.PASSED, Status.FAILED):
        return result
    if check.negate and result.status is Status.PASSED:
        return unfinished(check, case, reason, result.steps, result.tampering)
    return replace(result, reason=reason)


def judged(steps: Iterable[Step]) -> str:
    """Return whether the commands of a check run ``apart`` from the submission or ``in-process``; empty without any."""
    users = {step.user for step in steps if step.role in (Role.CHECK, Role.ITEM, Role.TEST)}
    if not users:
        return ""
    return Isolation.IN_PROCESS if User.SHARED in users else Isolation.APART


def is_apart(check: CaseCheck, case: Case) -> bool | None:
    """Return whether the commands of a check run apart from the submission; None if the case has no say in that."""
    return _whole(check).is_apart(case)


def has_contract(check: CaseCheck, case: Case) -> bool:
    """Return whether tests that run apart ask of a submission only what the reference was asked for."""
    return case.contract if (own := getattr(check, "contract", None)) is None else own != "none"


def every(checks: Iterable[CaseCheck]) -> Iterator[CaseCheck]:
    """Yield checks with their members, and the members of these."""
    for check in checks:
        yield check
        yield from every(members(check))


def service_beside(check: CaseCheck, case: Case) -> str:
    """Return the name of the service beside which a check runs, without the submission; empty for the sandbox."""
    # Of a turn, this is another turn.
    if getattr(check, "after", None) != "candidate":
        return ""
    return getattr(check, "service", None) or case.services[0].name


def late(checks: Sequence[CaseCheck], case: Case) -> frozenset[str]:
    """Return the names of the checks that come after all others: those beside a service, and what takes their result.

    `checks` are in the order in which they are judged.
    """
    found: set[str] = set()
    for check in checks:
        if any(service_beside(one, case) for one in every([check])) or found.intersection(references(check)):
            found.add(check.name)
    return frozenset(found)


def runs_alone(case: Case) -> bool:
    """Return whether nothing else may run beside a grading of a case: it or one of its checks says so."""
    return case.exclusive or any(check.exclusive for check in every(case.checks))


def shares_process(check: CaseCheck, case: Case) -> bool:
    """Return whether a required check is judged in-process, and neither it nor the case says so."""
    return check.required and not is_meant(check, case) and is_in_process(check, case)


def is_in_process(check: CaseCheck, case: Case) -> bool:
    """Return whether a check is judged in-process; False where the reference has not decided yet."""
    if is_apart(check, case) is not False:
        return False
    if case.crossing is not None or not case.has_reference:
        return True
    return not is_apart(check, replace(case, crossing=Crossing(Isolation.APART)))


def is_meant(check: CaseCheck, case: Case) -> bool:
    """Return whether a check or its case says `isolation: in-process`."""
    return Isolation.IN_PROCESS in (getattr(check, "isolation", None), case.isolation)


def lacks_judge(case: Case) -> bool:
    """Return whether a case has words that nobody judges."""
    return case.judge is None and any(
        _whole(check).is_in_words() for check in chain(case.checks, *(turn.checks for turn in case.turns))
    )


def questions(check: CaseCheck, case: Case, evidence: Evidence) -> Iterator[Question]:
    """Yield what the members of a check ask of a judge, and then the check, which may need the answers to these.

    Nothing is asked where a file that the question quotes cannot be read, or its text is not made: judging says so.
    """
    inner, known = judged_within(check, case, evidence)
    for member in members(check):
        yield from questions(member, inner, of_check(known, member.name, known.within))
    with suppress(OSError):
        if preprocessing.unmade(evidence.done) is None:
            yield from _whole(check).questions(case, evidence)


def judgeable(check: CaseCheck, case: Case, evidence: Evidence) -> Iterator[str]:
    """Yield the names under which evidence of a check and its members is kept, of those that pass or fail."""
    inner, known = judged_within(check, case, evidence)
    for member in members(check):
        own = of_check(known, member.name, known.within)
        yield from (part(check.name, name) for name in judgeable(member, inner, own))
    if judge(check, case, evidence).status in (Status.PASSED, Status.FAILED):
        yield check.name


def judge_members(check: CaseCheck, case: Case, evidence: Evidence) -> tuple[CheckResult, ...]:
    """Return the results of a check's members; of a check without any, nothing."""
    case, evidence = judged_within(check, case, evidence)
    return tuple(judge(member, case, of_check(evidence, member.name, evidence.within)) for member in members(check))


def judged_within(check: CaseCheck, case: Case, evidence: Evidence) -> tuple[Case, Evidence]:
    """Return what the members of a check are judged by."""
    return _whole(check).judged_within(case, evidence)


def judge_all(
    checks: Sequence[CaseCheck], decide: Callable[[CaseCheck, Mapping[str, CheckResult]], CheckResult]
) -> tuple[CheckResult, ...]:
    """Judge checks so that each can take the results of those that it names, and return the results in their order.

    `decide` judges one of them, and gets the results so far by name.
    """
    by_position: dict[int, CheckResult] = {}
    by_name: dict[str, CheckResult] = {}
    for position in judging_order(checks):
        result = decide(checks[position], by_name)
        by_position[position] = by_name[checks[position].name] = result
    return tuple(by_position[position] for position in range(len(checks)))


def judging_order(checks: Sequence[CaseCheck]) -> tuple[int, ...]:
    """Return the positions of checks in the order in which they are judged: theirs, but what is named comes first.

    Checks that name each other in a circle come last; each then finds one that was not judged, and is an error.
    """
    positions = {check.name: number for number, check in enumerate(checks)}
    order: dict[int, None] = {}
    waiting = list(range(len(checks)))
    while waiting:
        ready = [
            number
            for number in waiting
            if all(positions.get(name, -1) == -1 or positions[name] in order for name in references(checks[number]))
        ]
        if not ready:
            break
        order |= dict.fromkeys(ready)
        waiting = [number for number in waiting if number not in order]
    return (*order, *waiting)


def asks_judge(check: CaseCheck) -> bool:
    """Return whether a check asks a judge itself."""
    return _whole(check).asks_judge()


def own_commands(check: CaseCheck) -> Iterator[CommandSpec]:
    """Yield the commands that a check runs itself, items apart."""
    yield from _whole(check).commands()


def commands(check: CaseCheck) -> Iterator[CommandSpec]:
    """Yield the commands that a check and its members run, items apart."""
    yield from own_commands(check)
    for member in members(check):
        yield from commands(member)


def references(check: CaseCheck) -> Iterator[str]:
    """Yield the names of the checks of the case whose results a check takes."""
    return _whole(check).references()


def members(check: CaseCheck) -> tuple[Check, ...]:
    """Return the checks that a check is made of."""
    return _whole(check).members()


def _whole(check: CaseCheck) -> Check:
    """Return a check of a case as what it is; a case itself knows no more than the data that all of them have."""
    assert isinstance(check, Check)
    return check
