"""How far a reference stays below its limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from evidence_bench import COMMAND, case, done, exited, make
from evidence_bench import result as check_result

from gradebox.graders.authoring.margins import margins, narrow
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.model.evidence import Outcomes
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import decide
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.types import Capture, MemoryState, ResourceUsage

CASE = case(make(CodeGrader, "it", command=COMMAND, required=True))
LIMIT = CASE.limits.memory_bytes


def graded(usage: ResourceUsage | None = None, peak: int | None = None, printed: int = 0) -> Result:
    verdict = decide([check_result(1.0, "it", required=True)], threshold=0.8)
    outcome = replace(exited(), usage=usage or ResourceUsage(), stdout=Capture(total_bytes=printed))
    outcomes = Outcomes("", {"it": (done(outcome),)})
    return replace(Result.of(CASE, "reference", verdict), outcomes=outcomes, memory=MemoryState(memory_peak_bytes=peak))


@pytest.mark.parametrize(("cpu_seconds", "wall_seconds", "held_up_seconds", "needed"), [
    (1.6, 1.6, 0.0, ""), (2.0, 2.0, 0.0, "needs 2 of 5 s"), (0.1, 4.0, 0.0, "needs 2 of 5 s"), (0.1, 4.0, 3.9, ""),
])  # fmt: skip
def test_a_reference_must_not_come_close_to_a_limit_of_time(
    cpu_seconds: float, wall_seconds: float, held_up_seconds: float, needed: str
) -> None:
    usage = ResourceUsage(cpu_seconds=cpu_seconds, wall_seconds=wall_seconds, held_up_seconds=held_up_seconds)
    found = list(narrow(CASE, [graded(usage)]))
    assert [needed in each.message for each in found] == [True] * bool(needed)
    assert all(each.remedy == "Write `timeout_seconds: 6`, three times as much." for each in found)


@pytest.mark.parametrize(
    ("more", "message", "remedy"),
    [
        ({"peak": LIMIT // 2}, f"needs {LIMIT // 2 / MIB:.3g} of {LIMIT / MIB:g} MiB: right", "{memory: 1536m}"),
        ({"printed": CASE.output_bytes // 2}, "needs 32 of 64 MiB in it: right", "print less"),
    ],
)
def test_nor_to_one_of_memory_or_output(more: dict[str, Any], message: str, remedy: str) -> None:
    (found,) = narrow(CASE, [graded(), graded(**more)])
    assert message in found.message
    assert remedy in found.remedy
    assert not list(narrow(CASE, [graded(**{name: value // 2 for name, value in more.items()})]))


def test_the_narrowest_of_several_gradings_is_shown() -> None:
    results = [graded(ResourceUsage(cpu_seconds=each), LIMIT // 8, 1) for each in (0.5, 1.0, 0.1)]
    assert [str(each) for each in margins(CASE, results)] == ["time 5", "output more than 1,000", "memory 8"]


def test_what_cannot_be_read_has_no_margin() -> None:
    assert [each.name for each in margins(CASE, [graded()])] == ["time", "output"]
    assert margins(CASE, []) == ()
