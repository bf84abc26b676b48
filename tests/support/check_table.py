"""Every type of check as it is written, and the check that it must become; shared by tests of names and of gates."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from graders.checks import (
    Aggregator,
    CheckReference,
    CheckSpec,
    CodeGrader,
    Composite,
    Cost,
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
    text_checks,
)
from graders.model.case import CommandSpec, Place

PLACE = Place(Path("case.yaml"))


class Row(NamedTuple):
    """A check: the fields that are written besides `type`, and what becomes of them."""

    fields: dict[str, Any]
    kind: type[CheckSpec]
    expected: dict[str, Any]

    @property
    def type(self) -> str:
        return self.kind.type


TEXT = {"value": "yes", "file": "a.txt"}
MANY = {"value": ["yes", "no"]}
ITEM = Item("#1", "true")

ROWS: list[Row] = [
    Row({"command": ["judge"]}, CodeGrader, {"command": CommandSpec(("judge",)), "adapter": "auto"}),
    Row({"items": ["true"], "language": "bash"}, Examples, {"items": (ITEM,), "language": "bash"}),
    Row({"items": ["true"], "language": "bash"}, Items, {"items": (ITEM,), "language": "bash"}),
    Row(
        {"rubrics": ["Is polite.", {"id": "r", "outcome": "Works.", "command": ["judge"], "weight": 2}]},
        Rubrics,
        {
            "rubrics": (
                Rubric("rubric-1", "Is polite."),
                Rubric("r", "Works.", weight=2.0, command=CommandSpec(("judge",))),
            )
        },
    ),
    Row(
        {"prompt": "Be fair.", "rubrics": ["a"], "model": "m", "config": {"x": 1}},
        LlmGrader,
        {"prompt": "Be fair.", "rubrics": (Rubric("rubric-1", "a"),), "config": {"model": "m", "x": 1}},
    ),
    *[
        Row(TEXT, kind, {"value": "yes", "file": "a.txt"})
        for kind in (
            text_checks.Contains,
            text_checks.IContains,
            text_checks.StartsWith,
            text_checks.EndsWith,
            text_checks.Equals,
        )
    ],
    *[
        Row(MANY, kind, {"value": ("yes", "no")})
        for kind in (
            text_checks.ContainsAny,
            text_checks.ContainsAll,
            text_checks.IContainsAny,
            text_checks.IContainsAll,
        )
    ],
    Row({"value": "^y", "flags": "i"}, text_checks.Regex, {"value": "^y", "flags": "i"}),
    Row({"schema": {"type": "object"}}, text_checks.IsJson, {"schema": {"type": "object"}}),
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
                FieldRule("a"),
                FieldRule("b.c", "numeric_tolerance", 0.1, relative=True, weight=2.0),
                FieldRule("d", "date", formats=("DD.MM.YYYY",), required=False),
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
            "expected": (ExpectedCall("read", {"p": "x"}), ExpectedCall("edit", "any", ("a.b",))),
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
            "assertions": (text_checks.Contains(name="not-contains", place=PLACE, value="x", negate=True),),
            "aggregator": Aggregator.MINIMUM,
        },
    ),
    Row({"check": "other"}, CheckReference, {"check": "other"}),
]
