"""What a grader of a case reads on stdin, under today's names and under those of old."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.cases import load
from gradebox.graders.grading.prepare import prepare
from gradebox.graders.model.submission import Form, Submission

CASE = """\
criteria: It is right.
note: Be strict.
metadata: {camelCase: 1, snake_case: {innerKey: 2}}
input:
- role: user
  content: [{type: text, value: How many?}, {type: file, value: data/a.txt}]
expected_output: "42"
assertions:
- CHECK
"""
TODAY = """
criteria input expected_output output messages metadata note trace token_usage cost_usd duration_ms file_changes
workspace_path config
"""
OF_OLD = {
    "question": "How many?\none\n",
    "candidateAnswer": "43",
    "candidate_answer": "43",
    "referenceAnswer": "42",
    "reference_answer": "42",
    "expectedOutcome": "It is right.",
    "expected_outcome": "It is right.",
}


def told(root: Path, check: str, answer: str = "43") -> dict[str, Any]:
    (root / "data").mkdir()
    (root / "data" / "a.txt").write_text("one\n")
    (root / "case.yaml").write_text(CASE.replace("CHECK", check))
    loaded = load(root / "case.yaml", environ={})
    assert not loaded.errors, loaded.errors
    plan = prepare(loaded.cases[0], Submission("work", Form.ANSWER, output=answer), image="image")
    (step,) = (step for stage in plan.stages for step in stage.steps)
    assert str(root) not in step.stdin.decode()
    found: dict[str, Any] = json.loads(step.stdin)
    return found


@pytest.mark.parametrize(
    "check", ["{type: code-grader, command: [g], protocol: json}", "{type: code_judge, script: [g]}"]
)
def test_a_grader_reads_one_object_with_all_that_is_known(check: str, tmp_path: Path) -> None:
    found = told(tmp_path, check.replace("}", ", config: {keyOfMine: 1}}"))
    assert set(TODAY.split()) <= found.keys()
    assert (found["criteria"], found["note"], found["expected_output"][0]["content"]) == (
        "It is right.",
        "Be strict.",
        "42",
    )
    assert found["metadata"] == {"camelCase": 1, "snake_case": {"innerKey": 2}}
    assert found["config"]["keyOfMine"] == 1
    assert (found["output"], found["workspace_path"]) == ("43", "/workspace")
    file = found["input"][0]["content"][1]
    assert (file["text"], file["path"]) == ("one\n", "/workspace/.inputs/data/a.txt")
    assert (found["token_usage"], found["cost_usd"], found["duration_ms"]) == (None, None, None)


def test_the_names_of_old_are_there_under_the_types_of_old_alone(tmp_path: Path) -> None:
    found = told(tmp_path, "{type: code_judge, script: [g]}")
    assert {name: found[name] for name in OF_OLD} == OF_OLD
    assert {"expectedMessages", "outputMessages", "traceSummary", "inputMessages"} <= found.keys()
    assert {"expected_messages", "output_messages", "trace_summary", "input_messages"} <= found.keys()
    (tmp_path / "new").mkdir()
    assert not OF_OLD.keys() & told(tmp_path / "new", "{type: code-grader, command: [g]}").keys()


def test_a_key_that_a_grader_does_not_know_is_its_config_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals/case.yaml").write_text("assertions: [{type: code-grader, command: [g], strictness: high}]\n")
    loaded = load(tmp_path / "evals/case.yaml", environ={})
    assert loaded.cases[0].checks[0].config == {"strictness": "high"}  # type: ignore[attr-defined]
    (warning,) = loaded.warnings
    assert "`strictness` is not a field of a `code-grader`" in warning.message
    assert (warning.line, warning.column) == (1, 60)
