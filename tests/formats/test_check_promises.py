"""What checks promise, statement by statement: the score that each gives for what a submission is and did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from evidence_bench import called, done, exited, tree

from gradebox.graders.cases import load
from gradebox.graders.checks import evaluation
from gradebox.graders.model import scoring
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.transcript import ToolCall, Transcript
from gradebox.graders.model.verdict import CheckResult, Status
from gradebox.sandbox.types import Ending, Outcome


def case_of(root: Path, check: str, more: str = "") -> Case:
    (root / "case.yaml").write_text(f"{more}\nassertions:\n- {check}\n")
    found = load(root / "case.yaml", environ={})
    assert not found.errors, "\n".join(map(str, found.errors))
    return found.cases[0]


def judged(root: Path, check: str, evidence: Evidence, more: str = "") -> CheckResult:
    case = case_of(root, check, more)
    return evaluation.judge(case.checks[0], case, evidence)


def ran(status: int = 0, stdout: Any = "") -> Evidence:
    return Evidence(done=(done(exited(status, stdout if isinstance(stdout, str) else json.dumps(stdout))),))


CODE = "{type: code-grader, command: [judge]"
OLD = "{type: code_judge, script: [judge]"

COMMANDS: list[tuple[str, Evidence, float | None]] = [
    # `exit` is the protocol of a code-grader.
    (CODE + "}", ran(0), 1),
    (CODE + "}", ran(1), 0),
    (CODE + "}", ran(77), 0),
    ("{type: code_grader, command: judge}", ran(0), 1),
    (CODE + ", expect: {exit_code: 3}}", ran(3), 1),
    (CODE + ", expect: {exit_code: 3}}", ran(0), 0),
    (CODE + ", expect: {stdout: yes it is}}", ran(0, "yes it is"), 1),
    (CODE + ", expect: {stdout: yes it is}}", ran(0, "no"), 0),
    (CODE + ", expect: {stdout_regex: '^y.s$'}}", ran(0, "yes"), 1),
    (CODE + ", expect: {stdout_regex: '^y.s$'}}", ran(1, "yes"), 0),
    # A printed score lowers, and never raises.
    (CODE + "}", ran(0, {"score": 0}), 0),
    (CODE + "}", ran(0, {"score": 0.25}), 0.25),
    (CODE + "}", ran(0, {"score": 1}), 1),
    (CODE + "}", ran(1, {"score": 1}), 0),
    (CODE + "}", ran(0, 'text {"score": 0}'), 1),
    (CODE + ", negate: true}", ran(1), 1),
    (CODE + ", negate: true}", ran(0), 0),
    # `json` is the protocol of the old names.
    (OLD + "}", ran(0, {"score": 0.5}), 0.5),
    ("{type: script, command: [judge]}", ran(0, {"score": 0.5}), 0.5),
    ("{type: code-grader, script: [judge]}", ran(0, {"score": 0.5}), 0.5),
    (CODE + ", protocol: json}", ran(0, {"score": 0.5, "reasoning": "so", "details": {"a": 1}}), 0.5),
    (OLD + ", protocol: exit}", ran(0), 1),
    (OLD + "}", ran(0, {"assertions": [{"text": "a", "passed": True}, {"text": "b", "passed": False}]}), 0.5),
    (OLD + "}", ran(0, {"score": 1, "hits": ["a"], "misses": []}), 1),
    (OLD + "}", ran(0, {"pass": True, "reason": "so", "checks": []}), 1),
    (OLD + "}", ran(0, {"pass": False, "reason": "so"}), 0),
    # Anything else is an error, and never a pass, also negated.
    (OLD + "}", ran(0, ""), None),
    (OLD + "}", ran(0, "fine"), None),
    (OLD + "}", ran(0, 'fine {"score": 1}'), None),
    (OLD + "}", ran(0, '{"score": 1} {"score": 1}'), None),
    (OLD + "}", ran(0, {"reasoning": "no score"}), None),
    (OLD + "}", ran(0, '{"score": NaN}'), None),
    (OLD + "}", ran(0, {"score": 1.5}), None),
    (OLD + "}", ran(0, {"score": -0.1}), None),
    (OLD + "}", ran(0, {"score": True}), None),
    (OLD + "}", ran(0, {"score": "1"}), None),
    (OLD + "}", ran(1, {"score": 1}), None),
    (OLD + ", negate: true}", ran(0, "fine"), None),
    # How the command ended decides whose doing it is.
    (CODE + "}", Evidence(done=(done(Outcome(Ending.SIGNALLED, signal=11)),)), 0),
    (CODE + "}", Evidence(done=(done(Outcome(Ending.TIMED_OUT)),)), 0),
    (CODE + "}", Evidence(done=(done(Outcome(Ending.OUT_OF_MEMORY)),)), 0),
    (CODE + "}", Evidence(done=(done(Outcome(Ending.OUTPUT_LIMIT)),)), 0),
    (CODE + ", negate: true}", Evidence(done=(done(Outcome(Ending.TIMED_OUT)),)), 0),
    (CODE + "}", Evidence(done=(done(Outcome(Ending.NOT_STARTED)),)), None),
    (CODE + ", negate: true}", Evidence(done=(done(Outcome(Ending.NOT_STARTED)),)), None),
]


@pytest.mark.parametrize(("check", "evidence", "score"), COMMANDS, ids=range(len(COMMANDS)))
def test_how_a_command_ends_and_what_it_prints_is_its_score(
    check: str, evidence: Evidence, score: float | None, tmp_path: Path
) -> None:
    result = judged(tmp_path, check, evidence)
    assert result.score == score, result.reason
    assert (result.status is Status.ERROR) == (score is None)


ANSWER = Evidence(output='{"a": 1, "b": [2]}\n')
TEXT = Evidence(output="Hello World")
NOTHING = Evidence()

TEXTS: list[tuple[str, Evidence, float]] = [
    ("{type: contains, value: World}", TEXT, 1),
    ("{type: contains, value: world}", TEXT, 0),
    ("{type: icontains, value: world}", TEXT, 1),
    ("{type: not-contains, value: World}", TEXT, 0),
    ("{type: not_contains, value: world}", TEXT, 1),
    ("{type: not-contains, value: World, negate: true}", TEXT, 1),
    ("{type: contains-any, value: [x, World]}", TEXT, 1),
    ("{type: contains-all, value: [x, World]}", TEXT, 0),
    ("{type: contains-all, value: [Hello, World]}", TEXT, 1),
    ("{type: icontains-any, value: [x, WORLD]}", TEXT, 1),
    ("{type: icontains-all, value: [HELLO, WORLD]}", TEXT, 1),
    ("{type: starts-with, value: Hello}", TEXT, 1),
    ("{type: starts-with, value: World}", TEXT, 0),
    ("{type: ends-with, value: World}", TEXT, 1),
    ("{type: equals, value: Hello World}", TEXT, 1),
    ("{type: equals, value: Hello}", TEXT, 0),
    ("{type: regex, value: '^hello'}", TEXT, 0),
    ("{type: regex, value: '^hello', flags: i}", TEXT, 1),
    ("{type: is-json}", ANSWER, 1),
    ("{type: is_json}", TEXT, 0),
    ("{type: is-json, schema: {type: object, required: [a]}}", ANSWER, 1),
    ("{type: is-json, schema: {type: object, required: [c]}}", ANSWER, 0),
    ("{type: not-is-json}", TEXT, 1),
    ("{type: contains, value: y, file: a.txt}", Evidence(output="x", tree=tree({"a.txt": "y"})), 1),
    ("{type: contains, value: x, file: a.txt}", Evidence(output="x", tree=tree({"a.txt": "y"})), 0),
]


@pytest.mark.parametrize(("check", "evidence", "score"), TEXTS, ids=range(len(TEXTS)))
def test_text_is_1_or_0(check: str, evidence: Evidence, score: float, tmp_path: Path) -> None:
    assert judged(tmp_path, check, evidence).score == score


WORK = Evidence(tree=tree({"src/a.py": "import os", "b.md": "text"}), before=tree({"src/a.py": "old", "c": ""}))
FIELDS = Evidence(output=json.dumps({"total": 10.4, "date": "2024-01-31", "name": "Ann", "deep": {"x": [1, 2]}}))
EXPECT = "expected_output: {total: 10, date: 31.01.2024, name: Ann, deep: {x: [1, 3]}}"
CALLS = called("read", "write", "read", "run")
ARGS = Evidence(transcript=Transcript(tool_calls=(ToolCall("read", {"path": "a", "deep": {"b": [1]}}),)))
METRICS = Evidence(
    transcript=called("a", "b", input_tokens=100, output_tokens=50, total_tokens=150, duration_ms=1500.0, cost_usd=0.02)
)


def trajectory(mode: str, *tools: str, more: str = "") -> str:
    return (
        f"{{type: tool-trajectory, mode: {mode}, expected: [{', '.join(f'{{tool: {tool}}}' for tool in tools)}]{more}}}"
    )


OTHERS: list[tuple[str, Evidence, float | None, str]] = [
    ("{type: file-exists, paths: ['src/*.py', '*.md']}", WORK, 1, ""),
    ("{type: file-exists, paths: ['src/*.py', '*.rs']}", WORK, 0.5, ""),
    ("{type: file-contains, path: 'src/*.py', value: import}", WORK, 1, ""),
    ("{type: file-contains, path: 'src/*.py', value: absent}", WORK, 0, ""),
    ("{type: file-changes, only: ['src/**']}", WORK, 0, ""),
    ("{type: file-changes, paths: [src/a.py, b.md]}", WORK, 1, ""),
    ("{type: field-accuracy, fields: [{path: name, match: exact}]}", FIELDS, 1, EXPECT),
    ("{type: field-accuracy, fields: [{path: total, match: exact}]}", FIELDS, 0, EXPECT),
    ("{type: field-accuracy, fields: [{path: total, match: numeric_tolerance, tolerance: 0.5}]}", FIELDS, 1, EXPECT),
    ("{type: field-accuracy, fields: [{path: total, match: numeric_tolerance, tolerance: 0.1}]}", FIELDS, 0, EXPECT),
    (
        "{type: field-accuracy, fields: [{path: total, match: numeric_tolerance, tolerance: 0.05, relative: true}]}",
        FIELDS,
        1,
        EXPECT,
    ),
    (
        "{type: field-accuracy, fields: [{path: date, match: date, formats: ['YYYY-MM-DD', 'DD.MM.YYYY']}]}",
        FIELDS,
        1,
        EXPECT,
    ),
    ("{type: field-accuracy, fields: [{path: 'deep.x[0]', match: exact}]}", FIELDS, 1, EXPECT),
    (
        "{type: field-accuracy, fields: [{path: name, match: exact, weight: 3}, {path: total, match: exact}]}",
        FIELDS,
        0.75,
        EXPECT,
    ),
    (
        (
            "{type: field-accuracy, aggregation: all_or_nothing, "
            "fields: [{path: name, match: exact}, {path: total, match: exact}]}"
        ),
        FIELDS,
        0,
        EXPECT,
    ),
    (trajectory("any_order", "run", "read"), Evidence(transcript=CALLS), 1, ""),
    (trajectory("any_order", "run", "fly"), Evidence(transcript=CALLS), 0.5, ""),
    (trajectory("in_order", "read", "run"), Evidence(transcript=CALLS), 1, ""),
    (trajectory("in_order", "run", "write"), Evidence(transcript=CALLS), 0.5, ""),
    (trajectory("exact", "read", "write", "read", "run"), Evidence(transcript=CALLS), 1, ""),
    (trajectory("exact", "read", "write", "read"), Evidence(transcript=CALLS), 0, ""),
    (trajectory("superset", "read", "write"), Evidence(transcript=CALLS), 1, ""),
    (trajectory("superset", "read", "fly"), Evidence(transcript=CALLS), 0.5, ""),
    (trajectory("subset", "read", "write", "read", "run", "fly"), Evidence(transcript=CALLS), 1, ""),
    (trajectory("subset", "read", "write", "read"), Evidence(transcript=CALLS), 0.75, ""),
    ("{type: tool-trajectory, mode: any_order, minimums: {read: 2}}", Evidence(transcript=CALLS), 1, ""),
    ("{type: tool-trajectory, mode: any_order, minimums: {read: 3}}", Evidence(transcript=CALLS), 0, ""),
    ("{type: tool-trajectory, mode: in_order, expected: [{tool: read, args: any}]}", ARGS, 1, ""),
    (
        "{type: tool-trajectory, mode: in_order, expected: [{tool: read, args: {path: any, deep: {b: any}}}]}",
        ARGS,
        1,
        "",
    ),
    ("{type: tool-trajectory, mode: in_order, expected: [{tool: read, args: {path: b}}]}", ARGS, 0, ""),
    ("{type: execution-metrics, max_tool_calls: 2}", METRICS, 1, ""),
    ("{type: execution-metrics, max_tool_calls: 1}", METRICS, 0, ""),
    ("{type: execution-metrics, max_tool_calls: 1, max_tokens: 150}", METRICS, 0.5, ""),
    ("{type: execution-metrics, max_input_tokens: 100, max_output_tokens: 49}", METRICS, 0.5, ""),
    ("{type: execution-metrics, max_cost_usd: 0.02, max_duration_ms: 1500}", METRICS, 1, ""),
    ("{type: execution-metrics, max_tool_calls: 2, max_llm_calls: 1, missing: not-judged}", METRICS, 1, ""),
    ("{type: latency, threshold: 1500}", METRICS, 1, ""),
    ("{type: latency, threshold: 1499}", METRICS, 0, ""),
    ("{type: cost, budget: 0.02}", METRICS, 1, ""),
    ("{type: cost, budget: 0.01}", METRICS, 0, ""),
    ("{type: token-usage, max_total: 150}", METRICS, 1, ""),
    ("{type: token_usage, max_input: 99}", METRICS, 0, ""),
    # Without what they judge by, nothing is judged.
    ("{type: execution-metrics, max_llm_calls: 1}", NOTHING, None, ""),
    ("{type: latency, threshold: 1}", NOTHING, None, ""),
    (trajectory("exact", "a"), NOTHING, None, ""),
]


@pytest.mark.parametrize(("check", "evidence", "score", "more"), OTHERS, ids=range(len(OTHERS)))
def test_work_and_its_record_are_scored(
    check: str, evidence: Evidence, score: float | None, more: str, tmp_path: Path
) -> None:
    result = judged(tmp_path, check, evidence, more)
    assert result.score == score, result.reason
    assert (result.status is Status.NOT_JUDGED) == (score is None)


HALF = "{type: contains, value: x, weight: 3}, {type: contains, value: World}"
COMPOSITES: list[tuple[str, float]] = [
    (f"{{type: composite, assertions: [{HALF}]}}", 0.25),
    (f"{{type: assert-set, assert: [{HALF}]}}", 0.25),
    (f"{{type: composite, aggregator: weighted_average, assertions: [{HALF}]}}", 0.25),
    (f"{{type: composite, aggregator: minimum, assertions: [{HALF}]}}", 0),
    (f"{{type: composite, aggregator: maximum, assertions: [{HALF}]}}", 1),
    (f"{{type: composite, aggregator: all_or_nothing, assertions: [{HALF}]}}", 0),
    (f"{{type: composite, aggregator: safety_gate, assertions: [{HALF}]}}", 0),
    (f"{{type: composite, aggregator: {{type: safety_gate, required: [contains-2]}}, assertions: [{HALF}]}}", 0.25),
    (f"{{type: composite, aggregator: {{type: safety_gate, required: [contains]}}, assertions: [{HALF}]}}", 0),
    ("{type: composite, assertions: [{type: contains, value: x, negate: true}, {type: contains, value: World}]}", 1),
]


@pytest.mark.parametrize(("check", "score"), COMPOSITES, ids=range(len(COMPOSITES)))
def test_a_composite_makes_one_score_of_its_members(check: str, score: float, tmp_path: Path) -> None:
    assert judged(tmp_path, check, TEXT).score == score


RUBRICS: list[tuple[str, Evidence, float | None]] = [
    (
        "[{id: a, command: [c]}, {id: b, command: [c], weight: 3}]",
        Evidence(done=(done(exited(0), "a"), done(exited(1), "b"))),
        0.25,
    ),
    (
        "[{id: a, command: [c], score_ranges: {0: bad, 5: fair, 10: good}}]",
        Evidence(done=(done(exited(0, "7\n"), "a"),)),
        0.7,
    ),
    ("[{id: a, command: [c], score_ranges: {0: bad, 10: good}}]", Evidence(done=(done(exited(0, "11\n"), "a"),)), None),
    (
        "[{id: a, command: [c], score_ranges: {0: bad, 10: good}}]",
        Evidence(done=(done(exited(0, "1.5\n"), "a"),)),
        None,
    ),
]


@pytest.mark.parametrize(("rubrics", "evidence", "score"), RUBRICS, ids=range(len(RUBRICS)))
def test_rubrics_are_a_weighted_mean(rubrics: str, evidence: Evidence, score: float | None, tmp_path: Path) -> None:
    result = judged(tmp_path, f"{{type: rubrics, rubrics: {rubrics}}}", evidence)
    assert result.score == pytest.approx(score) if score is not None else result.status is Status.ERROR


def test_a_required_rubric_that_is_missed_fails_the_verdict(tmp_path: Path) -> None:
    written = "{type: rubrics, rubrics: [{id: a, command: [c], required: true}, {id: b, command: [c], weight: 9}]}"
    result = judged(tmp_path, written, Evidence(done=(done(exited(1), "a"), done(exited(0), "b"))))
    assert result.score == 0.9
    assert (result.status, result.required) == (Status.FAILED, True)
    assert result.reason.startswith("required and missed: a")


@pytest.mark.parametrize(
    ("rubric", "min_score"),
    [
        ("{outcome: x, required: true}", None),
        ("{criteria: x, required: true, min_score: 0.6}", 0.6),
        ("{expected_outcome: x, required_min_score: 6}", 0.6),
    ],
)
def test_the_score_that_a_rubric_needs_has_two_scales(rubric: str, min_score: float | None, tmp_path: Path) -> None:
    (check,) = case_of(tmp_path, f"{{type: rubrics, rubrics: [{rubric}]}}").checks
    (found,) = check.rubrics  # type: ignore[attr-defined]
    assert (found.required, found.min_score, found.expected_outcome) == (True, min_score, "x")


@pytest.mark.parametrize(
    "written", ["{outcome: x, required: true, min_score: 6}", "{outcome: x, required_min_score: 11}"]
)
def test_a_score_on_the_wrong_scale_is_refused(written: str, tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text(f"rubrics: [{written}]\n")
    found = load(tmp_path / "case.yaml", environ={})
    assert found.errors
    assert not found.cases


@pytest.mark.parametrize(
    ("score", "band"), [(1.0, "pass"), (0.8, "pass"), (0.79, "borderline"), (0.6, "borderline"), (0.59, "fail")]
)
def test_a_score_has_a_band(score: float, band: str) -> None:
    assert scoring.band(score) == band


@pytest.mark.parametrize(
    ("required", "needed", "score", "status"),
    [
        ("true", None, 0.8, Status.PASSED),
        ("true", None, 0.79, Status.FAILED),
        ("0.5", 0.5, 0.5, Status.PASSED),
        ("0.5", 0.5, 0.49, Status.FAILED),
        ("true, min_score: 0.9", 0.9, 0.89, Status.FAILED),
    ],
)
def test_a_required_check_has_the_score_that_it_needs(
    required: str, needed: float | None, score: float, status: Status, tmp_path: Path
) -> None:
    check = f"{OLD}, required: {required}}}"
    (found,) = case_of(tmp_path, check).checks
    assert (found.required, found.min_score) == (True, needed)
    assert judged(tmp_path, check, ran(0, {"score": score})).status is status
