"""What a check states, as AgentV lists it."""

from __future__ import annotations

from typing import Any

import pytest
from fabricated import check, graded, step

from gradebox.graders.formats.agentv.assertions import Assertion, assertions_of
from gradebox.graders.model.verdict import CheckResult
from gradebox.graders.model.verdict_document import CheckDocument, document


def saved(result: CheckResult) -> CheckDocument:
    return document(graded("a", result)).checks[0]


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        (
            {"assertions": [{"text": "a", "passed": True, "evidence": "e"}, {"text": "b", "passed": False}]},
            [Assertion("a", passed=True, evidence="e"), Assertion("b", passed=False)],
        ),
        ({"hits": ["h"], "misses": ["m", 1]}, [Assertion("h", passed=True), Assertion("m", passed=False)]),
        (
            {"members": [{"name": "x", "verdict": "failed", "reason": "why"}]},
            [Assertion("x", passed=False, evidence="why")],
        ),
        (
            {"rubrics": [{"id": "r", "expected_outcome": "It works.", "score": 1.0, "reason": None}]},
            [Assertion("It works.", passed=True)],
        ),
        ({"assertions": "none", "members": [3], "hits": None}, [Assertion("t", passed=False, evidence="half")]),
        ({"assertions": [{"text": "a", "passed": "yes"}]}, [Assertion("t", passed=False, evidence="half")]),
    ],
)
def test_what_a_grader_lists_is_taken_and_anything_odd_is_not(
    details: dict[str, Any], expected: list[Assertion]
) -> None:
    assert list(assertions_of(saved(check("t", 0.5, "half", details=details)))) == expected


def test_each_item_is_an_assertion() -> None:
    result = check("t", 0.5, "", step("one", role="item"), step("two", "wrong", role="item"), step("build"))
    assert assertions_of(saved(result)) == (
        Assertion("one", passed=True),
        Assertion("two", passed=False, evidence="wrong"),
    )


def test_a_negated_check_and_one_without_a_score_are_one_assertion() -> None:
    details = {"assertions": [{"text": "a", "passed": True}]}
    assert assertions_of(saved(check("t", 0.0, "no", details=details, negate=True))) == (
        Assertion("t", passed=False, evidence="no"),
    )
    assert assertions_of(saved(check("t", None, "broken", details=details))) == (
        Assertion("t", passed=False, evidence="broken"),
    )
