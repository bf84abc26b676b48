"""Every type of check: a required one that is missed fails the verdict, and nothing opens a gate by staying away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from evidence_bench import COMMAND, called, done, exited, judge, make, result, tree

from graders import checks
from graders.checks import (
    CheckReference,
    CheckSpec,
    CodeGrader,
    Composite,
    Cost,
    Evidence,
    Examples,
    ExecutionMetrics,
    ExpectedCall,
    FieldAccuracy,
    FieldRule,
    FileChanges,
    FileContains,
    FileExists,
    Item,
    Items,
    Latency,
    LlmGrader,
    Rubric,
    Rubrics,
    TokenUsage,
    ToolTrajectory,
    answer_program,
)
from graders.checks import text_checks as text
from graders.checks.check_reference import judging_order
from graders.model.evidence import StepOutcome
from graders.model.plan import (
    ItemToken,
    Role,
    Step,
)
from graders.model.verdict import CheckResult, Status, decide
from sandbox.types import Capture, Ending, Outcome

YES, NO = Evidence(output='{"a": "yes"}'), Evidence(output="no")
FILES = {"a.txt": "yes"}
CHEAP = Evidence(transcript=called("read", cost_usd=1, duration_ms=1, total_tokens=1))
DEAR = Evidence(transcript=called("edit", "edit", cost_usd=9, duration_ms=9, total_tokens=9))
FOUND, LACKING = Evidence(tree=tree(FILES)), Evidence(tree=tree({"b.txt": "no"}), before=tree({"b.txt": "no"}))


def ran(status: int) -> Evidence:
    return Evidence(done=(done(exited(status), "r"),))


def item(report: bytes) -> Evidence:
    step = Step(Role.ITEM, "#1", ("runner",), "/workspace", 5.0, token="0" * 32, items=(ItemToken("#1", "0" * 32),))
    ended = Outcome(Ending.EXITED, 0 if report else 1, report=Capture(report, total_bytes=len(report)))
    return Evidence(done=(StepOutcome(step, ended),))


# Each type: a check of it, what meets it, and what misses it.
TYPES: list[tuple[type[CheckSpec], dict[str, Any], Evidence, Evidence]] = [
    (CodeGrader, {"command": COMMAND}, ran(0), ran(1)),
    (Items, {"language": "bash", "items": (Item("#1", "true"),)}, item(b"0" * 32), item(b"")),
    (Examples, {"language": "bash", "items": (Item("#1", "true"),)}, item(b"0" * 32), item(b"")),
    (Rubrics, {"rubrics": (Rubric("r", command=COMMAND),)}, ran(0), ran(1)),
    *[(kind, {"value": "yes"}, YES, NO) for kind in (text.Contains, text.IContains, text.Regex)],
    *[
        (kind, {"value": ("yes",)}, YES, NO)
        for kind in (text.ContainsAny, text.ContainsAll, text.IContainsAny, text.IContainsAll)
    ],
    *[(kind, {"value": '{"a": "yes"}'}, YES, NO) for kind in (text.StartsWith, text.EndsWith, text.Equals)],
    (text.IsJson, {}, YES, NO),
    (FileExists, {"paths": ("a.txt",)}, FOUND, LACKING),
    (FileContains, {"paths": ("a.txt",), "value": ("yes",)}, FOUND, LACKING),
    (FileChanges, {"paths": ("a.txt",)}, FOUND, LACKING),
    (FieldAccuracy, {"fields": (FieldRule("a"),)}, YES, Evidence(output='{"a": "no"}')),
    (ToolTrajectory, {"expected": (ExpectedCall("read"),)}, CHEAP, DEAR),
    (ExecutionMetrics, {"max_tool_calls": 1}, CHEAP, DEAR),
    (Latency, {"threshold": 2}, CHEAP, DEAR),
    (Cost, {"budget": 2}, CHEAP, DEAR),
    (TokenUsage, {"max_total": 2}, CHEAP, DEAR),
    (Composite, {"assertions": (make(text.Contains, value="yes"),)}, YES, NO),
    (
        CheckReference,
        {"check": "other"},
        Evidence(results={"other": result(1.0)}),
        Evidence(results={"other": result(0.0)}),
    ),
]
PASSING = result(1.0, "passing", weight=99.0)


def verdict(found: CheckResult) -> Status:
    """Decide a case in which another check outweighs this one by far."""
    return decide([PASSING, found], threshold=0.5).status


def graded(kind: type[CheckSpec], fields: Any, evidence: Evidence, **common: Any) -> CheckResult:
    return judge(make(kind, **fields, **common), evidence, expected_output={"a": "yes"})


def test_no_type_is_forgotten() -> None:
    # Those of a definition.toml take their results from one command, and are tested with it.
    elsewhere = set(answer_program.TYPES)
    assert {kind for kind, *_ in TYPES} | {LlmGrader} == set(checks.TYPES) - elsewhere


@pytest.mark.parametrize(("kind", "fields", "met", "missed"), TYPES, ids=lambda value: getattr(value, "type", ""))
def test_a_required_check_that_is_missed_fails_the_verdict(
    kind: type[CheckSpec], fields: Any, met: Evidence, missed: Evidence
) -> None:
    assert verdict(graded(kind, fields, met, required=True)) is Status.PASSED
    assert verdict(graded(kind, fields, missed, required=True)) is Status.FAILED
    assert verdict(graded(kind, fields, missed)) is Status.PASSED, (
        "the check is outweighed, so only the gate can fail it"
    )


@pytest.mark.parametrize(("kind", "fields", "met", "missed"), TYPES, ids=lambda value: getattr(value, "type", ""))
def test_negate_turns_the_gate_round(kind: type[CheckSpec], fields: Any, met: Evidence, missed: Evidence) -> None:
    assert verdict(graded(kind, fields, met, required=True, negate=True)) is Status.FAILED
    assert verdict(graded(kind, fields, missed, required=True, negate=True)) is Status.PASSED


@pytest.mark.parametrize("weight", [0.0, 1.0])
@pytest.mark.parametrize(("kind", "fields", "met", "missed"), TYPES, ids=lambda value: getattr(value, "type", ""))
def test_min_score_and_weight_are_those_of_the_check(
    kind: type[CheckSpec], fields: Any, met: Evidence, missed: Evidence, weight: float
) -> None:
    low = graded(kind, fields, missed, required=True, min_score=0.0, weight=weight)
    assert (low.status, low.wanted, low.weight) == (Status.PASSED, 0.0, weight)
    assert verdict(graded(kind, fields, missed, required=True, weight=weight)) is Status.FAILED


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize(
    ("kind", "fields"),
    [*((kind, fields) for kind, fields, *_ in TYPES), (LlmGrader, {"prompt": "Be kind."})],
    ids=lambda value: getattr(value, "type", ""),
)
def test_a_gate_without_evidence_never_opens(kind: type[CheckSpec], fields: Any, *, negate: bool) -> None:
    found = graded(kind, fields, Evidence(), required=True, negate=negate)
    if kind in {FileExists, FileContains, FileChanges}:
        # An empty workspace is evidence: nothing is there.
        assert found.score == float(negate)
    else:
        assert verdict(found) is Status.ERROR


def check(name: str, *named: str) -> Rubrics:
    return make(Rubrics, name, rubrics=tuple(Rubric(each, check=each) for each in named))


@pytest.mark.parametrize(
    ("specs", "order"),
    [
        ([check("a"), check("b")], (0, 1)),
        ([check("a", "b"), check("b")], (1, 0)),
        ([check("a", "b"), check("b", "c"), check("c"), check("d")], (2, 3, 1, 0)),
        ([check("a", "nowhere"), check("b")], (0, 1)),
        ([check("a", "b"), check("b", "a"), check("c", "a"), check("d")], (3, 0, 1, 2)),
        ([check("a", "a")], (0,)),
        ([make(Composite, "a", assertions=(make(CheckReference, "m", check="b"),)), check("b")], (1, 0)),
    ],
)
def test_what_is_named_is_judged_first(specs: list[CheckSpec], order: tuple[int, ...]) -> None:
    assert judging_order(specs) == order


def test_results_come_in_the_order_of_the_case_and_each_check_sees_those_it_names() -> None:
    specs = [check("quality", "login"), make(text.Contains, "login", value="yes"), check("round", "round")]

    def judging(evidence: Evidence) -> Callable[..., CheckResult]:
        return lambda spec, results: judge(spec, replace(evidence, results=results))

    found = checks.judge_all(specs, judging(YES))
    assert [(each.name, each.status) for each in found] == [
        ("quality", Status.PASSED), ("login", Status.PASSED), ("round", Status.ERROR),
    ]  # fmt: skip
    assert checks.judge_all(specs, judging(NO))[0].score == 0.0
