"""`contract: exact` only holds where answers are compared, and a check without compared answers does not pass."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from evidence_bench import case, exited, make

from gradebox.graders.checks import evaluation
from gradebox.graders.checks.answers import why_not_exact
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.expect import Expect
from gradebox.graders.model.case import CommandSpec
from gradebox.graders.model.crossing import ContractRule, Crossing, Isolation
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.plan import Role, Step, User
from gradebox.graders.model.verdict import Status
from gradebox.sandbox.types import Capture

EXACT, APART = ContractRule.EXACT, Isolation.APART
REFERENCE = Path("/case/reference")
PYTEST, SHELL, VITEST = ("python3", "-m", "pytest"), ("bash", "test.sh"), ("npx", "vitest", "run")


def hidden(*command: str, **fields: Any) -> CodeGrader:
    fields = {"adapter": "auto", "required": True, "expect": Expect(), **fields}
    made: CodeGrader = make(CodeGrader, "hidden", command=CommandSpec(command), **fields)
    return made


@pytest.mark.parametrize(
    ("check", "fields", "why"),
    [
        (hidden(*PYTEST), {"contract": EXACT, "reference": REFERENCE}, ""),
        (hidden(*PYTEST, contract="exact"), {"reference": REFERENCE}, ""),
        (hidden(*PYTEST), {}, ""),
        (hidden(*PYTEST), {"contract": EXACT}, "the case has no reference"),
        (hidden(*PYTEST, contract="recorded"), {"contract": EXACT}, ""),
        (
            hidden(*PYTEST),
            {"contract": EXACT, "reference": REFERENCE, "isolation": Isolation.IN_PROCESS},
            "these run in-process",
        ),
        (
            hidden(*PYTEST, isolation="in-process"),
            {"contract": EXACT, "reference": REFERENCE, "isolation": APART},
            "these run in-process",
        ),
        (hidden(*VITEST), {"contract": EXACT, "reference": REFERENCE}, "these run in-process"),
        (hidden(*SHELL), {"contract": EXACT, "reference": REFERENCE, "isolation": APART}, ""),
        (
            hidden(*SHELL, contract="exact"),
            {"reference": REFERENCE, "isolation": APART},
            "this command runs no known tests",
        ),
    ],
)
def test_exact_needs_a_reference_and_tests_that_run_apart(check: CodeGrader, fields: dict[str, Any], why: str) -> None:
    message, hint = why_not_exact(check, case(check, **fields))
    assert message.endswith(why)
    assert bool(message) == bool(hint) == bool(why)


ANSWERS = {"same": 2, "other": 0, "unknown": 0, "tests": []}


@pytest.mark.parametrize(
    ("answers", "user", "crossing", "status"),
    [
        (ANSWERS, User.GRADER, Crossing(APART, content="key"), Status.PASSED),
        (None, User.GRADER, Crossing(APART, content="key"), Status.ERROR),
        (None, User.GRADER, None, Status.ERROR),
        (None, User.SHARED, Crossing(Isolation.IN_PROCESS, content="key"), Status.ERROR),
        # Its reference is judged, to find its contract.
        (None, User.GRADER, Crossing(APART), Status.PASSED),
    ],
)
@pytest.mark.parametrize("exit_code", [0, 1])
def test_without_compared_answers_an_exact_check_does_not_pass(
    answers: Any, user: User, crossing: Crossing | None, status: Status, exit_code: int
) -> None:
    check = hidden(*PYTEST)
    step = Step(Role.CHECK, "hidden", PYTEST, "/workspace", 5.0, user=user, token="t")
    line = b"t done 1 0\n" + (f"t answers {json.dumps(answers)}\n".encode() if answers else b"")
    outcome = replace(exited(exit_code), report=Capture(line, total_bytes=len(line)))
    for rule in (EXACT, ContractRule.RECORDED):
        of = case(check, contract=rule, reference=REFERENCE, crossing=crossing)
        found = evaluation.judge(check, of, Evidence(done=(StepOutcome(step, outcome),)))
        wanted = Status.FAILED if exit_code else status if rule is EXACT else Status.PASSED
        assert found.status is wanted, found.reason
        assert found.of_case is (wanted is Status.ERROR)
