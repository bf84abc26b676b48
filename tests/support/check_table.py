"""Every type of check as it is written, and the check that it must become; shared by tests of names and of gates."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from gradebox.graders.checks.aggregation import Aggregator
from gradebox.graders.checks.base import Check
from gradebox.graders.checks.calls.call import Approx, CallCheck, CallEntry, Raises
from gradebox.graders.checks.check_reference import CheckReference
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.composite import Composite
from gradebox.graders.checks.field_accuracy import FieldAccuracy, FieldRule
from gradebox.graders.checks.files.file_changes import FileChanges
from gradebox.graders.checks.files.file_contains import FileContains
from gradebox.graders.checks.files.file_exists import FileExists
from gradebox.graders.checks.inline.inline_code import JavaScript, Python
from gradebox.graders.checks.io.io import IoCheck
from gradebox.graders.checks.io.program_tests import ProgramTest
from gradebox.graders.checks.items import Examples, Item, Items
from gradebox.graders.checks.llm_grader import LlmGrader
from gradebox.graders.checks.rubric import Rubric
from gradebox.graders.checks.rubrics import Rubrics
from gradebox.graders.checks.text.contains import (
    Contains,
    ContainsAll,
    ContainsAny,
    IContains,
    IContainsAll,
    IContainsAny,
)
from gradebox.graders.checks.text.contains_json import ContainsJson
from gradebox.graders.checks.text.equals import EndsWith, Equals, StartsWith
from gradebox.graders.checks.text.is_json import IsJson
from gradebox.graders.checks.text.is_xml import ContainsXml, IsXml
from gradebox.graders.checks.text.levenshtein import Levenshtein
from gradebox.graders.checks.text.regex import Regex
from gradebox.graders.checks.text.similar import Similar
from gradebox.graders.checks.transcript.cost import Cost
from gradebox.graders.checks.transcript.execution_metrics import ExecutionMetrics
from gradebox.graders.checks.transcript.latency import Latency
from gradebox.graders.checks.transcript.skill_trigger import SkillTrigger
from gradebox.graders.checks.transcript.skill_used import SkillUsed
from gradebox.graders.checks.transcript.token_usage import TokenUsage
from gradebox.graders.checks.transcript.tool_trajectory import ExpectedCall, ToolTrajectory
from gradebox.graders.checks.transcript.trajectory import (
    ArgsEntry,
    CountedSteps,
    StepCount,
    StepEntry,
    StepSequence,
    ToolArgsMatch,
    ToolSequence,
    ToolUsed,
)
from gradebox.graders.model.case import CommandSpec, Place
from gradebox.graders.model.expectation import Content

PLACE = Place(Path("case.yaml"))


class Row(NamedTuple):
    """A check: the fields that are written besides `type`, and what becomes of them."""

    fields: dict[str, Any]
    kind: type[Check]
    expected: dict[str, Any]

    @property
    def type(self) -> str:
        return self.kind.type


TEXT = {"value": "yes", "file": "a.txt"}
MANY = {"value": ["yes", "no"]}
ITEM = Item(name="#1", code="true")

ROWS: list[Row] = [
    Row(
        {
            "entry": "f",
            "file": "a.py",
            "language": "python",
            "calls": [
                {"args": [1], "returns": {"$set": [2]}},
                {"call": "g", "kwargs": {"x": None}, "raises": "ValueError", "weight": 2},
                {"approx": {"value": 1.5, "rel": 0.1}},
                {"approx": 2, "args": [{"$tuple": []}]},
            ],
        },
        CallCheck,
        {
            "entry": "f",
            "file": "a.py",
            "language": "python",
            "calls": (
                CallEntry(args=(1,), returns={"$set": [2]}),
                CallEntry(call="g", kwargs={"x": None}, raises=Raises(type="ValueError"), weight=2.0),
                CallEntry(approx=Approx(value=1.5, rel=0.1)),
                CallEntry(approx=Approx(value=2), args=({"$tuple": []},)),
            ),
        },
    ),
    Row({"command": ["judge"]}, CodeGrader, {"command": CommandSpec(("judge",)), "adapter": "auto"}),
    Row(
        {"run": ["./solve"], "tests": [{"stdin": "1", "stdout": "2"}], "timeout_seconds": 2},
        IoCheck,
        {
            "run": CommandSpec(("./solve",)),
            "tests": (ProgramTest(name="#1", stdin="1", stdout="2", input=Content.of(b"1"), answer=Content.of(b"2")),),
            "timeout_seconds": 2.0,
        },
    ),
    Row({"items": ["true"], "language": "bash"}, Examples, {"items": (ITEM,), "language": "bash"}),
    Row({"items": ["true"], "language": "bash"}, Items, {"items": (ITEM,), "language": "bash"}),
    Row(
        {"rubrics": ["Is polite.", {"id": "r", "outcome": "Works.", "command": ["judge"], "weight": 2}]},
        Rubrics,
        {
            "rubrics": (
                Rubric(id="rubric-1", expected_outcome="Is polite."),
                Rubric(id="r", expected_outcome="Works.", weight=2.0, command=CommandSpec(("judge",))),
            )
        },
    ),
    Row(
        {"prompt": "Be fair.", "rubrics": ["a"], "model": "m", "config": {"x": 1}},
        LlmGrader,
        {
            "prompt": "Be fair.",
            "rubrics": (Rubric(id="rubric-1", expected_outcome="a"),),
            "model": "m",
            "config": {"x": 1},
        },
    ),
    *[
        Row(TEXT, kind, {"value": "yes", "file": "a.txt"})
        for kind in (Contains, IContains, StartsWith, EndsWith, Equals)
    ],
    *[Row(MANY, kind, {"value": ("yes", "no")}) for kind in (ContainsAny, ContainsAll, IContainsAny, IContainsAll)],
    Row({"value": "^y", "flags": "i"}, Regex, {"value": "^y", "flags": "i"}),
    *[Row({"schema": {"type": "object"}}, kind, {"schema": {"type": "object"}}) for kind in (IsJson, ContainsJson)],
    Row({"value": "a.b, c"}, IsXml, {"value": ("a.b", "c")}),
    Row({"value": {"requiredElements": ["a.b"]}}, ContainsXml, {"value": ("a.b",)}),
    Row({"value": "yes", "threshold": 2}, Levenshtein, {"value": "yes", "threshold": 2}),
    Row({"value": "yes", "threshold": 0.5}, Similar, {"value": ("yes",), "threshold": 0.5}),
    Row(
        {"value": "output.length", "threshold": 0.5, "vars": {"a": 1}},
        JavaScript,
        {"value": "output.length", "threshold": 0.5, "min_score": 0.5, "vars": {"a": 1}},
    ),
    Row({"value": "file://a.py:f", "config": {"x": 1}}, Python, {"value": "file://a.py:f", "config": {"x": 1}}),
    Row(
        {"value": {"pattern": "read*", "min": 2}},
        ToolUsed,
        {"value": CountedSteps.model_construct(name="read*", min=2)},
    ),
    Row(
        {"value": {"tool": "read", "arguments": {"p": 1}}},
        ToolArgsMatch,
        {"value": ArgsEntry.model_construct(name="read", args={"p": 1})},
    ),
    Row(
        {"value": {"mode": "exact", "steps": ["read", {"name": "edit"}]}},
        ToolSequence,
        {"value": StepSequence.model_construct(mode="exact", steps=("read", StepEntry.model_construct(name="edit")))},
    ),
    Row(
        {"value": {"type": "tool", "max": 3}}, StepCount, {"value": CountedSteps.model_construct(type=("tool",), max=3)}
    ),
    Row({"skill": "csv", "should_trigger": False}, SkillTrigger, {"skill": "csv", "should_trigger": False}),
    Row({"value": ["csv", "pdf"]}, SkillUsed, {"value": ("csv", "pdf")}),
    Row({"paths": ["a/*.txt", "b"]}, FileExists, {"paths": ("a/*.txt", "b")}),
    Row({"paths": "a.txt", "value": "yes"}, FileContains, {"paths": ("a.txt",), "value": ("yes",)}),
    Row(
        {"paths": ["a"], "only": "src/**", "forbidden": ["b"], "min_files": 1, "max_files": 2},
        FileChanges,
        {"paths": ("a",), "only": ("src/**",), "forbidden": ("b",), "min_files": 1, "max_files": 2},
    ),
    Row(
        {
            "fields": [
                {"path": "a"},
                {"path": "b.c", "match": "numeric_tolerance", "tolerance": 0.1, "relative": True, "weight": 2},
                {"path": "d", "match": "date", "formats": ["DD.MM.YYYY"], "required": False},
            ],
            "aggregation": "all_or_nothing",
        },
        FieldAccuracy,
        {
            "fields": (
                FieldRule(path="a"),
                FieldRule(path="b.c", match="numeric_tolerance", tolerance=0.1, relative=True, weight=2.0),
                FieldRule(path="d", match="date", formats=("DD.MM.YYYY",), required=False),
            ),
            "aggregation": "all_or_nothing",
        },
    ),
    Row(
        {
            "mode": "in_order",
            "minimums": {"read": 2},
            "expected": [{"tool": "read", "args": {"p": "x"}}, {"tool": "edit", "args": "any", "args_match": ["a.b"]}],
            "args_match": "superset",
        },
        ToolTrajectory,
        {
            "mode": "in_order",
            "minimums": {"read": 2},
            "expected": (
                ExpectedCall(tool="read", args={"p": "x"}),
                ExpectedCall(tool="edit", args="any", args_match=("a.b",)),
            ),
            "args_match": "superset",
        },
    ),
    Row(
        {"max_tool_calls": 20, "max_cost_usd": 0.5, "target_exploration_ratio": 0.6, "exploration_tolerance": 0.1},
        ExecutionMetrics,
        {"max_tool_calls": 20, "max_cost_usd": 0.5, "target_exploration_ratio": 0.6, "exploration_tolerance": 0.1},
    ),
    Row({"threshold": 500}, Latency, {"threshold": 500}),
    Row({"budget": 0.1}, Cost, {"budget": 0.1}),
    Row(
        {"max_total": 10, "max_input": 5, "max_output": 5},
        TokenUsage,
        {"max_total": 10, "max_input": 5, "max_output": 5},
    ),
    Row(
        {"assertions": [{"type": "not_contains", "value": "x"}], "aggregator": "minimum"},
        Composite,
        {
            "assertions": (Contains(name="not-contains", place=PLACE, value="x", negate=True),),
            "aggregator": Aggregator.MINIMUM,
        },
    ),
    Row({"check": "other"}, CheckReference, {"check": "other"}),
]
