"""From the file to the verdict: a required check that is missed fails it, whatever the names it was written under."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_engine import FakeEnd, FakeEngine, FakeRun
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradebox.graders.cases import load
from gradebox.graders.cases.case_fields import CaseEntry
from gradebox.graders.checks.registry import check_types
from gradebox.graders.documents.entries import spellings
from gradebox.graders.grading.grade import grade
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.transcript import ToolCall, Transcript
from gradebox.graders.model.tree import Tree
from gradebox.graders.model.verdict import Status, Verdict
from gradebox.sandbox.archive import file_entry

JUDGE, JUDGE_IN_JSON = ["judge"], ["judge-in-json"]
# Each type: a check that GOOD meets and BAD misses.
GATES: dict[str, dict[str, Any]] = {
    "code-grader": {"command": JUDGE},
    "examples": {"items": ["true"], "language": "bash"},
    "unit-tests": {"items": ["true"], "language": "bash"},
    "rubrics": {"rubrics": [{"outcome": "It works.", "command": JUDGE}]},
    "contains": {"value": "yes"},
    "icontains": {"value": "YES"},
    "contains-any": {"value": ["yes", "of course"]},
    "contains-all": {"value": ["yes", "a"]},
    "icontains-any": {"value": ["YES", "OF COURSE"]},
    "icontains-all": {"value": ["YES", "A"]},
    "starts-with": {"value": '{"a'},
    "ends-with": {"value": 'yes"}'},
    "equals": {"value": '{"a": "yes"}'},
    "regex": {"value": "Y.S", "flags": "i"},
    "is-json": {},
    "contains-json": {},
    "is-xml": {"value": "a.b", "file": "a.xml"},
    "contains-xml": {"file": "a.xml"},
    "levenshtein": {"value": '{"a": "yes!"}', "threshold": 1},
    "javascript": {"value": "output.length > 3"},
    "python": {"value": "len(output) > 3"},
    "file-exists": {"paths": ["*.txt"]},
    "file-contains": {"paths": "a.txt", "value": "yes"},
    "file-changes": {"paths": ["a.txt"]},
    "call": {"calls": [{"call": "f", "returns": 0}], "language": "python"},
    "io": {"tests": [{"stdin": "", "stdout": "yes"}], "run": ["answer"]},
    "field-accuracy": {"fields": [{"path": "a"}]},
    "tool-trajectory": {"expected": [{"tool": "read"}]},
    "trajectory:tool-used": {"value": "read"},
    "trajectory:tool-args-match": {"value": {"name": "read", "args": {}}},
    "trajectory:tool-sequence": {"value": ["read"]},
    "trajectory:step-count": {"value": {"max": 1}},
    "skill-used": {"value": "csv"},
    "skill-trigger": {"skill": "csv"},
    "execution-metrics": {"max_tool_calls": 1},
    "latency": {"threshold": 2},
    "cost": {"budget": 2},
    "token-usage": {"max_total": 2},
    "composite": {"assertions": [{"type": "contains", "value": "yes"}]},
    "check": {"check": "other"},
}
# What outweighs the gate, and what `check` speaks of.
OTHERS = [
    {"type": "code-grader", "command": ["pass"], "weight": 99},
    {"type": "code-grader", "name": "other", "command": JUDGE, "weight": 0},
]
GOOD = Submission(
    "good",
    Form.DIRECTORY,
    Tree({"a.txt": file_entry("a.txt", b"yes"), "a.xml": file_entry("a.xml", b"<a><b/></a>")}),
    output='{"a": "yes"}',
    transcript=Transcript(
        tool_calls=(ToolCall("read", {"path": "skills/csv/SKILL.md"}),), cost_usd=1, duration_ms=1, total_tokens=1
    ),
)
BAD = Submission(
    "bad",
    Form.DIRECTORY,
    Tree({"b.md": file_entry("b.md", b"no"), "a.xml": file_entry("a.xml", b"<a>")}),
    output="no",
    transcript=Transcript(tool_calls=(ToolCall("edit", {}),) * 2, cost_usd=9, duration_ms=9, total_tokens=9),
)


def script(run: FakeRun) -> FakeEnd:
    good = "a.txt" in run.files
    match run.argv[0]:
        case "judge":
            return FakeEnd(exit_code=0 if good else 1)
        case "judge-in-json" | "bun" | "python3":
            return FakeEnd(stdout=json.dumps({"score": float(good)}).encode())
        case "say":
            return FakeEnd(stdout=json.dumps({"score": float(run.argv[1])}).encode())
        case "answer":
            return FakeEnd(stdout=b"yes" if good else b"no")
        case "pass":
            return FakeEnd()
        case "bash" if not run.stdin.startswith(b"token"):
            return FakeEnd(report=b'["=",0,%d]\n' % (not good))
        case _:
            token = run.stdin.splitlines()[1]
            return FakeEnd(report=token + b"\n") if good else FakeEnd(exit_code=1)


def verdict_of(case: Case, submission: Submission) -> Verdict:
    runners = Settings(image_of=lambda _: "image")
    return grade(FakeEngine(script), case, submission, runners).verdict


Verdicts = Callable[..., tuple[Verdict, Verdict]]


@pytest.fixture
def verdicts(case_of: Callable[..., Case]) -> Verdicts:
    """Load a case, and return the verdicts of GOOD and of BAD."""

    def judge(gate: Any, listed_as: str = "assertions", **fields: Any) -> tuple[Verdict, Verdict]:
        checks = [*([gate] if gate else []), *OTHERS]
        outer, _, inner = listed_as.rpartition(".")
        listed = {outer: {inner: checks}} if outer else {inner: checks}
        case = case_of(json.dumps({"expected_output": {"a": "yes"}, **listed, **fields}))
        return verdict_of(case, GOOD), verdict_of(case, BAD)

    return judge


def is_a_gate(verdicts: tuple[Verdict, Verdict], *, negated: bool = False) -> None:
    met, missed = reversed(verdicts) if negated else verdicts
    assert (met.status, met.missed) == (Status.PASSED, ()), met.reasons
    assert (missed.status, len(missed.missed), missed.gated_score) == (Status.FAILED, 1, 0.0), missed.reasons
    assert missed.score is not None
    assert missed.score >= 0.9


def test_every_type_is_here() -> None:
    assert set(GATES) | {"llm-grader", "similar"} == set(check_types())


NAMES = [
    (prefix + name, first, bool(prefix))
    for first in GATES
    for name in (first, *check_types()[first].spellings)
    for prefix in ("", *(["not-"] if check_types()[first].negatable else []))
]


@pytest.mark.parametrize("separator", ["-", "_"])
@pytest.mark.parametrize(("name", "first", "negated"), NAMES, ids=[name for name, *_ in NAMES])
def test_under_every_name_of_its_type_a_missed_check_fails_the_verdict(
    name: str, first: str, negated: bool, separator: str, verdicts: Verdicts
) -> None:
    fields = GATES[first]
    if first == "code-grader" and name != first:
        fields = {"script": JUDGE_IN_JSON}
    is_a_gate(verdicts({"type": name.replace("-", separator), **fields, "required": True}), negated=negated)


@pytest.mark.parametrize("listed_as", spellings(CaseEntry)["assertions"])
@pytest.mark.parametrize("first", GATES)
def test_under_every_name_of_the_list_a_missed_check_fails_the_verdict(
    first: str, listed_as: str, verdicts: Verdicts
) -> None:
    is_a_gate(verdicts({"type": first, **GATES[first], "required": 0.9}, listed_as))


@pytest.mark.parametrize("first", GATES)
def test_a_missed_member_fails_the_verdict_though_its_composite_is_no_gate(first: str, verdicts: Verdicts) -> None:
    member = {"type": first, **GATES[first], "required": True}
    passing = {"type": "code-grader", "command": ["pass"], "weight": 99}
    is_a_gate(verdicts({"type": "assert-set", "assert": [member, passing], "aggregator": "maximum"}))


@pytest.mark.parametrize("first", GATES)
def test_negate_turns_the_gate_round(first: str, verdicts: Verdicts) -> None:
    gate = {"type": first, **GATES[first], "required": True, "negate": True}
    met, missed = verdicts(gate)
    assert met.status is Status.FAILED
    # An answer that is not data at all meets neither an assertion about its fields nor the opposite.
    assert missed.status is (Status.FAILED if first == "field-accuracy" else Status.PASSED)


RUBRICS = [
    {"outcome": "x", "command": JUDGE, "required": True},
    {"criteria": "x", "command": JUDGE, "required": "yes"},
    {"expected_outcome": "x", "check": "other", "required": True},
    {"outcome": "x", "check": "other", "required_min_score": 5},
    {"outcome": "x", "check": "other", "required": True, "min_score": 0.5},
]


@pytest.mark.parametrize("rubric", RUBRICS, ids=json.dumps)
@pytest.mark.parametrize("where", ["rubrics", "rubric"])
def test_a_missed_rubric_fails_the_verdict_though_its_check_is_no_gate(
    where: str, rubric: dict[str, Any], verdicts: Verdicts
) -> None:
    rubric = {**rubric, "required": True} if rubric.get("required") == "yes" else rubric
    listed = [{"outcome": "Always.", "command": ["pass"], "weight": 99}, rubric]
    if where == "rubrics":
        is_a_gate(verdicts(None, rubrics=listed))
    else:
        is_a_gate(verdicts({"type": where, "criteria": listed}))


@pytest.mark.parametrize(
    ("gate", "more"),
    [
        ({"type": "llm_judge", "prompt": "Is it fine?", "required": True}, {}),
        ({"type": "llm-rubric", "value": "Is it fine?", "required": 0.5}, {}),
        ({"type": "llm-grader", "rubrics": [{"outcome": "x", "required_min_score": 5}]}, {}),
        ({"type": "rubrics", "rubrics": ["x"], "required": True}, {}),
        ({"type": "rubrics", "rubrics": [{"outcome": "x", "required": True}]}, {}),
        ({"type": "composite", "assertions": ["x"], "required": True}, {}),
        (None, {"rubrics": [{"outcome": "x", "required": True}]}),
    ],
    ids=json.dumps,
)
def test_a_gate_for_which_there_is_no_judge_is_an_error(gate: Any, more: dict[str, Any], verdicts: Verdicts) -> None:
    assert [found.status for found in verdicts(gate, **more)] == [Status.ERROR] * 2


@pytest.mark.parametrize("words", ["Is it fine?", {"type": "llm-rubric", "value": "Is it fine?"}])
def test_words_that_nobody_judges_weigh_nothing_and_are_shown(words: Any, verdicts: Verdicts) -> None:
    good, _ = verdicts(words)
    assert (good.status, good.score) == (Status.PASSED, 1.0)
    assert (good.checks[0].status, good.checks[0].score) == (Status.NOT_JUDGED, None)
    assert "Is it fine?" in good.checks[0].reason


# The arithmetic

TENTHS = st.integers(0, 10).map(lambda number: number / 10)
CHECKS = st.fixed_dictionaries(
    {
        "score": TENTHS,
        "type": st.sampled_from(["code-grader", "code_judge", "contains", "not_contains", "llm_judge"]),
        "weight": st.sampled_from([0, 0.1, 0.5, 1, 3, 1000]),
        "required": st.sampled_from([False, False, False, True, 0.3, 0.9]),
        "negate": st.booleans(),
    }
)


def written(check: dict[str, Any]) -> dict[str, Any]:
    common = {name: check[name] for name in ("type", "weight", "required", "negate")}
    match check["type"]:
        case "code-grader":
            return {**common, "command": ["say", str(check["score"])], "protocol": "json"}
        case "code_judge":
            return {**common, "script": ["say", str(check["score"])]}
        case "llm_judge":
            return {**common, "prompt": "Is it fine?", "required": False}
        case _:
            return {**common, "value": "yes" if check["score"] > 0.5 else "something else"}


def computed(checks: list[dict[str, Any]], threshold: float) -> tuple[str, float | None]:
    """Compute status and score of a verdict, straight from the formats' description."""
    total = weights = 0.0
    missed = False
    for check in (check for check in checks if check["type"] != "llm_judge"):
        score = float(check["score"] > 0.5) if "contains" in check["type"] else check["score"]
        score = 1 - score if check["negate"] != check["type"].startswith("not") else score
        total, weights = total + check["weight"] * score, weights + check["weight"]
        needed = threshold if check["required"] is True else check["required"]
        missed = missed or (check["required"] is not False and score < needed - 1e-9)
    if weights == 0:
        return "error", None
    return "failed" if missed or total / weights < threshold - 1e-9 else "passed", total / weights


@given(
    cases=st.lists(st.lists(CHECKS, min_size=1, max_size=5), min_size=1, max_size=3),
    shared=st.lists(CHECKS, max_size=2),
    threshold=TENTHS,
)
@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
def test_scores_are_those_of_ten_lines(
    cases: list[list[dict[str, Any]]], shared: list[dict[str, Any]], threshold: float, tmp_path: Path
) -> None:
    suite = {
        "execution": {"threshold": threshold, "evaluators": [written(check) for check in shared]},
        "evalcases": [
            {"id": f"case-{number}", "assert": [written(check) for check in checks]}
            for number, checks in enumerate(cases)
        ],
    }
    file = tmp_path / "EVAL.yaml"
    file.write_text(json.dumps(suite), "utf-8")
    loaded = load(file, environ={})
    weighed = [checks for checks in cases if any(check["weight"] for check in checks + shared)]
    assert [len(case.checks) for case in loaded.cases] == [len(checks) + len(shared) for checks in weighed]
    for case, checks in zip(loaded.cases, weighed, strict=True):
        found = verdict_of(case, replace(GOOD, transcript=None))
        status, score = computed(checks + shared, threshold)
        assert found.status.value == status, found.reasons
        assert found.score == (None if score is None else pytest.approx(score, abs=1e-9))
