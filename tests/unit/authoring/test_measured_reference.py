"""What a graded reference says for a new case file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from evidence_bench import COMMAND, case, done, exited, make
from evidence_bench import result as check_result

from gradebox.graders.authoring.measured_reference import measured
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.model.evidence import Outcomes
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import decide
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.types import MemoryState, ResourceUsage

CASE = case(make(CodeGrader, "it", command=COMMAND, required=True))


def graded(cpu_seconds: float, peak: int | None, details: dict[str, Any] | None = None) -> Result:
    verdict = decide([check_result(1.0, "it", required=True, details=details or {})], threshold=0.8)
    outcome = replace(exited(), usage=ResourceUsage(cpu_seconds=cpu_seconds, wall_seconds=cpu_seconds))
    outcomes = Outcomes("", {"it": (done(outcome),)})
    return replace(Result.of(CASE, "reference", verdict), outcomes=outcomes, memory=MemoryState(memory_peak_bytes=peak))


@pytest.mark.parametrize(
    ("cpu_seconds", "peak", "seconds", "memory"),
    [(0.1, 10 * MIB, "10", "256m"), (4.1, 100 * MIB, "21", "320m"), (2.0, None, "10", "256m")],
)
def test_limits_leave_room_and_are_not_too_small(
    cpu_seconds: float, peak: int | None, seconds: str, memory: str
) -> None:
    assert measured(graded(cpu_seconds, peak), 1.0) == {"seconds": seconds, "memory": memory}


def test_tests_that_passed_are_listed_and_others_are_not() -> None:
    tests = [{"name": "t::a[x y]", "state": "passed"}, {"name": "t::b", "state": "skipped"}]
    assert measured(graded(1.0, None, {"tests": tests}), 1.0)["it"] == '["t::a[x y]"]'
    assert "it" not in measured(graded(1.0, None, {"tests": tests[1:]}), 1.0)
