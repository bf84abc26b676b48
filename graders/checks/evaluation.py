"""Plans and judges the checks of a case. Members come first, and checks come after the checks that they refer to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from gradebox.graders.checks.answers import contract_rule, with_answers
from gradebox.graders.checks.base import Check, CheckPlanner
from gradebox.graders.checks.grader_input import preprocessing
from gradebox.graders.checks.grader_input.case_messages import input_entries, named_files
from gradebox.graders.checks.results import ending_sentence, error, limits_of, not_judged, unfinished
from gradebox.graders.languages import boundary_report
from gradebox.graders.model.case import Case, CaseCheck, CommandSpec
from gradebox.graders.model.crossing import ContractRule, Crossing, Isolation
from gradebox.graders.model.evidence import Evidence, of_check, part
from gradebox.graders.model.judgment import Question
from gradebox.graders.model.plan import Role, Stage, Step, User
from gradebox.graders.model.verdict import CheckResult, Status

READS_SOURCE = "a function that reads the expected value from its caller's source passes undetected"
"""The attack that checks miss if a case is judged in-process."""


def stages(check: CaseCheck, case: Case, planner: CheckPlanner) -> tuple[Stage, ...]:
    """Return the stages that must run in the sandbox to judge a check. Those of its members come first."""
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
    contract = contract_rule(check, case)
    own = tuple(replace(stage, contract=contract) for stage in own)
    if contract is ContractRule.NONE:
        own = tuple(map(with_whole_reports, own))
    return (*of_members, *_texts(check, case, planner), *own)


def _beside(stage: Stage, service: str, env: Mapping[str, str]) -> Stage:
    """Return a stage that runs beside a service, whose commands get the variables for reaching the service."""
    steps = tuple(replace(step, env={**step.env, **env}) for step in stage.steps)
    return replace(stage, beside=service, steps=steps)


def with_whole_reports(stage: Stage) -> Stage:
    """Return a stage that captures enough output for its runners to report a whole contract."""
    most = 4 * boundary_report.CONTRACT_MAX_BYTES
    return replace(stage, steps=tuple(replace(one, capture_bytes=most) if one.token else one for one in stage.steps))


def _texts(check: CaseCheck, case: Case, planner: CheckPlanner) -> Iterator[Stage]:
    """Yield the stage whose commands turn files into text for a judge."""
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
        result = with_answers(_whole(check), case, result, evidence)
        result = replace(result, judged=judged(ran.step for ran in evidence.done))
        works_with = evidence.works_with.get("")
        # If a judge did not answer, the submission is not to blame.
        if works_with and result.status is Status.ERROR and not _whole(check).is_in_words():
            reason = f"{result.reason}; with {works_with} it works"
            return replace(unfinished(check, case, reason, result.steps, result.tampering), judged=result.judged)
        return result
    except OSError as problem:
        # The file existed when the submission was read, and the candidate cannot have removed it since.
        return error(check, case, f"a file of the submission cannot be read any more: {problem.strerror or problem}")


def _with_limits(check: CaseCheck, case: Case, result: CheckResult, evidence: Evidence) -> CheckResult:
    """Return a result that names the limits of judging apart that its steps hit. `negate` makes no pass of them."""
    limits = dict.fromkeys(limit for ran in evidence.done for limit in limits_of(ran))
    reason = "; ".join(filter(None, (result.reason, *(limit for limit in limits if limit not in result.reason))))
    if not limits or result.status not in (Status.PASSED, Status.FAILED):
        return result
    if check.negate and result.status is Status.PASSED:
        return unfinished(check, case, reason, result.steps, result.tampering)
    return replace(result, reason=reason)


def judged(steps: Iterable[Step]) -> str:
    """Return whether a check's commands run ``apart`` from the submission or ``in-process``; empty if it has none."""
    users = {step.user for step in steps if step.role in (Role.CHECK, Role.ITEM, Role.TEST)}
    if not users:
        return ""
    return Isolation.IN_PROCESS if User.SHARED in users else Isolation.APART


def is_apart(check: CaseCheck, case: Case) -> bool | None:
    """Return whether a check's commands run apart from the submission; None if the case cannot choose that."""
    return _whole(check).is_apart(case)


def every(checks: Iterable[CaseCheck]) -> Iterator[CaseCheck]:
    """Yield checks with their members, at any depth."""
    for check in checks:
        yield check
        yield from every(members(check))


def service_beside(check: CaseCheck, case: Case) -> str:
    """Return the name of the service beside which a check runs, without the submission; empty for the sandbox."""
    # For a check of a turn, `after` names another turn.
    if getattr(check, "after", None) != "candidate":
        return ""
    return getattr(check, "service", None) or case.services[0].name


def late(checks: Sequence[CaseCheck], case: Case) -> frozenset[str]:
    """Return the names of the checks that run last: those beside a service, and those that use their results.

    `checks` are in the order in which they are judged.
    """
    found: set[str] = set()
    for check in checks:
        if any(service_beside(one, case) for one in every([check])) or found.intersection(references(check)):
            found.add(check.name)
    return frozenset(found)


def runs_alone(case: Case) -> bool:
    """Return whether the case or one of its checks is `exclusive`: nothing else may run while the case is graded."""
    return case.exclusive or any(check.exclusive for check in every(case.checks))


def shares_process(check: CaseCheck, case: Case) -> bool:
    """Return whether a required check is judged in-process although neither it nor the case sets that."""
    return check.required and not is_meant(check, case) and is_in_process(check, case)


def is_in_process(check: CaseCheck, case: Case) -> bool:
    """Return whether a check is judged in-process; False where the reference has not decided yet."""
    if is_apart(check, case) is not False:
        return False
    if case.crossing is not None or not case.has_reference:
        return True
    return not is_apart(check, replace(case, crossing=Crossing(Isolation.APART)))


def is_meant(check: CaseCheck, case: Case) -> bool:
    """Return whether a check or its case sets `isolation: in-process`."""
    return Isolation.IN_PROCESS in (getattr(check, "isolation", None), case.isolation)


def lacks_judge(case: Case) -> bool:
    """Return whether a case has checks in words, but no judge."""
    return case.judge is None and any(
        _whole(check).is_in_words() for check in chain(case.checks, *(turn.checks for turn in case.turns))
    )


def questions(check: CaseCheck, case: Case, evidence: Evidence) -> Iterator[Question]:
    """Yield the questions to a judge: those of a check's members, and then its own, which may need their answers.

    If a file that a question quotes cannot be read or turned into text, there is no question. Judging reports it.
    """
    inner, known = judged_within(check, case, evidence)
    for member in members(check):
        yield from questions(member, inner, of_check(known, member.name, known.within))
    with suppress(OSError):
        if preprocessing.unmade(evidence.done) is None:
            yield from _whole(check).questions(case, evidence)


def judgeable(check: CaseCheck, case: Case, evidence: Evidence) -> Iterator[str]:
    """Yield the names, as evidence is kept by them, of a check and its members as far as they pass or fail."""
    inner, known = judged_within(check, case, evidence)
    for member in members(check):
        own = of_check(known, member.name, known.within)
        yield from (part(check.name, name) for name in judgeable(member, inner, own))
    if judge(check, case, evidence).status in (Status.PASSED, Status.FAILED):
        yield check.name


def judge_members(check: CaseCheck, case: Case, evidence: Evidence) -> tuple[CheckResult, ...]:
    """Return the results of a check's members; empty if it has none."""
    case, evidence = judged_within(check, case, evidence)
    return tuple(judge(member, case, of_check(evidence, member.name, evidence.within)) for member in members(check))


def judged_within(check: CaseCheck, case: Case, evidence: Evidence) -> tuple[Case, Evidence]:
    """Return the case and the evidence by which the members of a check are judged."""
    return _whole(check).judged_within(case, evidence)


def judge_all(
    checks: Sequence[CaseCheck], decide: Callable[[CaseCheck, Mapping[str, CheckResult]], CheckResult]
) -> tuple[CheckResult, ...]:
    """Judge each check after those whose results it uses, and return the results in the order of the checks.

    `decide` judges one check, and gets the results so far by name.
    """
    by_position: dict[int, CheckResult] = {}
    by_name: dict[str, CheckResult] = {}
    for position in judging_order(checks):
        result = decide(checks[position], by_name)
        by_position[position] = by_name[checks[position].name] = result
    return tuple(by_position[position] for position in range(len(checks)))


def judging_order(checks: Sequence[CaseCheck]) -> tuple[int, ...]:
    """Return the positions of checks in judging order: their own order, but a check comes after those that it names.

    Checks that name each other in a circle come last. Each of them then finds one that was not judged, and is an error.
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
    """Return whether the check itself asks a judge."""
    return _whole(check).asks_judge()


def own_commands(check: CaseCheck) -> Iterator[CommandSpec]:
    """Yield the commands that a check runs itself, except its items."""
    yield from _whole(check).commands()


def commands(check: CaseCheck) -> Iterator[CommandSpec]:
    """Yield the commands that a check and its members run, except their items."""
    yield from own_commands(check)
    for member in members(check):
        yield from commands(member)


def references(check: CaseCheck) -> Iterator[str]:
    """Yield the names of the checks whose results a check uses."""
    return _whole(check).references()


def members(check: CaseCheck) -> tuple[Check, ...]:
    """Return the checks that a check is made of."""
    return _whole(check).members()


def _whole(check: CaseCheck) -> Check:
    """Return a check of a case as a `Check`. A case knows only the data that all checks share."""
    assert isinstance(check, Check)
    return check
