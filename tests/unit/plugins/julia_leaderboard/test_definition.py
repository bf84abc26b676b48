"""The four checks of a definition: one command, and what each takes of its report."""

from __future__ import annotations

from evidence_bench import PLACE, case, result

from gradebox.graders.checks import evaluation
from gradebox.graders.grading.planner import Planner
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.plan import Files
from gradebox.graders.model.tree import Tree
from gradebox.graders.model.verdict import Status
from gradebox.plugins.julia_leaderboard import answer_protocol
from gradebox.plugins.julia_leaderboard.definition import (
    Executed,
    ExecutedExamples,
    Parsed,
    PassedUnitTests,
    runner_seconds,
)

PARSED = Parsed(name="parsed", place=PLACE, function="f", examples=("f(1)",), unit_tests=("@test f(1)", "@test f(2)"))
ITEM = {"name": "unit test 1", "passed": True, "reason": ""}
DETAILS = {
    "parsed": True,
    "executed": True,
    "reason": "",
    "unit_tests": [ITEM, {**ITEM, "name": "unit test 2", "passed": False, "reason": "wrong"}],
    "examples": [],
}


def test_one_command_judges_all_four() -> None:
    planner = Planner(case(), Files(Tree(), Tree()))
    (stage,) = evaluation.stages(PARSED, case(), planner)
    (step,) = stage.steps
    assert step.argv[: len(answer_protocol.COMMAND)] == answer_protocol.COMMAND
    assert b"name 1\nf\n" in step.stdin
    assert step.limit_seconds == min(runner_seconds(60.0, 3), 300.0)
    assert evaluation.stages(Executed(name="executed", place=PLACE, of="parsed"), case(), planner) == ()


def test_the_others_take_their_part_of_its_result() -> None:
    evidence = Evidence(results={"parsed": result(1.0, "parsed", details=DETAILS)})
    kinds = (Executed, PassedUnitTests, ExecutedExamples)
    found = [evaluation.judge(kind(name=kind.type, place=PLACE, of="parsed"), case(), evidence) for kind in kinds]
    assert [(one.score, one.reason) for one in found] == [(1.0, ""), (0.5, "1 of 2 passed"), (0.0, "0 of 0 passed")]


def test_what_could_not_be_judged_is_an_error_of_all() -> None:
    executed = Executed(name="executed", place=PLACE, of="parsed")
    assert list(executed.references()) == ["parsed"]
    for results in ({}, {"parsed": result(None, "parsed", status=Status.ERROR, reason="The image lacks A.")}):
        assert evaluation.judge(executed, case(), Evidence(results=results)).status is Status.ERROR
