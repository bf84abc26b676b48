"""Says with which answers a check's tests passed, compared with the reference's, and holds checks to `contract: exact`.

With `contract: exact`, a test passes only if its answers equal the reference's. So they must be compared: the tests run
apart from the submission, by a runner that compares answers, and a reference exists.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gradebox.graders.checks.base import ApartCheck
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.results import answers_of, error
from gradebox.graders.languages import boundary_report
from gradebox.graders.model.case import Case, CaseCheck
from gradebox.graders.model.crossing import ContractRule, Crossing, Isolation
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.plan import Role, User
from gradebox.graders.model.verdict import CheckResult, Status
from gradebox.graders.runners.adapter import recognise

_MOST_NAMED = 20
_JUDGING = (Role.CHECK, Role.ITEM, Role.TEST)


def contract_rule(check: CaseCheck, case: Case) -> ContractRule:
    """Return what the contract allows the tests of a check that run apart."""
    return ContractRule(getattr(check, "contract", None) or case.contract)


def why_not_exact(check: CaseCheck, case: Case) -> tuple[str, str]:
    """Return why `contract: exact` cannot hold for a check, and what to do; empty if it can, or does not apply."""
    if contract_rule(check, case) is not ContractRule.EXACT or not isinstance(check, ApartCheck):
        return "", ""
    if not case.has_reference:
        message = "`contract: exact` compares answers with those of the reference, but the case has no reference"
        return message, "Add a `reference`, or write `contract: recorded`."
    if check.is_apart(replace(case, crossing=Crossing(Isolation.APART))) is False:
        message = "`contract: exact` compares answers of tests that run apart, but these run in-process"
        return message, "Write `isolation: apart`, or `contract: recorded`."
    if check.contract and isinstance(check, CodeGrader):
        found = recognise(check.command.argv, check.adapter)
        if found is None or found.runner.apart is None:
            message = "`contract: exact` compares answers in tests, but this command runs no known tests"
            return message, "Remove `contract`."
    return "", ""


def with_answers(check: CaseCheck, case: Case, result: CheckResult, evidence: Evidence) -> CheckResult:
    """Return a result that says how many tests passed with other answers than the reference's.

    With `contract: exact`, no test passes with other answers. If answers were not compared, the result is an error.
    """
    # While its crossing is settled, a reference passes with whatever it answers.
    is_settled = case.crossing is None or bool(case.crossing.content)
    if is_settled and contract_rule(check, case) is ContractRule.EXACT and result.status is Status.PASSED:
        ended = [ran for ran in evidence.done if ran.step.role in _JUDGING and ran.outcome.exit_code == 0]
        if any(ran.step.user is User.SHARED or (ran.step.token and not answers_of(ran)) for ran in ended):
            why = why_not_exact(check, case)[0] or "its answers were not compared, which `contract: exact` needs"
            return error(check, case, why, result.steps, result.tampering, of_case=True)
    told = [*filter(None, map(answers_of, evidence.done))]
    if not told or result.status not in (Status.PASSED, Status.FAILED):
        return result
    found: dict[str, Any] = {name: sum(one[name] for one in told) for name in boundary_report.ANSWERS}
    tests = [test for one in told for test in one["tests"]]
    details = {**result.details, "answers": {**found, **({"tests": tests[:_MOST_NAMED]} if tests else {})}}
    count = sum(found.values())
    other = f"{found['other']} of {count} tests passed with answers that the reference did not give"
    reason = "; ".join(filter(None, (result.reason, other if found["other"] else "")))
    return replace(result, reason=reason, details=details)
