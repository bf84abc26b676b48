"""Tests whose answers cannot be compared are named where only the reference's answers pass."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from evidence_bench import COMMAND, case, make, result

from gradebox.graders.authoring.case_quality import find_problems
from gradebox.graders.authoring.quality_gradings import Level, Subject, SubjectResult
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.model.crossing import ContractRule
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import decide

CHECK = make(CodeGrader, "hidden", command=COMMAND, required=True)


@pytest.mark.parametrize(
    ("rule", "subject", "answers", "named"),
    [
        (ContractRule.EXACT, Subject.REFERENCE, {"unknown": 2, "tests": ["a", "b"]}, "2 tests of hidden: a, b."),
        (ContractRule.EXACT, Subject.REFERENCE, {"unknown": 1}, "1 tests of hidden."),
        (ContractRule.EXACT, Subject.REFERENCE, {"unknown": 0}, ""),
        (ContractRule.EXACT, Subject.SUBMISSION, {"unknown": 2, "tests": ["a", "b"]}, ""),
        (ContractRule.RECORDED, Subject.REFERENCE, {"unknown": 2, "tests": ["a", "b"]}, ""),
    ],
)
def test_they_are_named(rule: ContractRule, subject: Subject, answers: dict[str, Any], named: str) -> None:
    of = replace(case(CHECK), contract=rule)
    found = replace(result(1.0, "hidden", required=True), details={"answers": answers})
    graded = SubjectResult(subject, 1, Result.of(of, subject.value, decide([found], threshold=0.8)))
    warnings = [one.message for one in find_problems(of, [graded]) if one.level is Level.WARNING]
    assert [one.endswith(named) for one in warnings if "contract: exact" in one] == [True] * bool(named)
