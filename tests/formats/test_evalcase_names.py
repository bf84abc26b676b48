"""Evalcases under the names that they had over time: each form loads as the same case."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.cases import load
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.model.case import Case

NEW = """\
name: code-review
version: "1.0"
description: |
  Reviews of code.
metadata: {author: someone, tags: [coding, review]}
execution: {target: default, timeout_seconds: 120}
assertions:
  - {name: format_check, type: code-grader, protocol: json, command: [python, ./judges/format.py], weight: 2.0}
tests:
  - id: detect-off-by-one
    description: A loop that never runs.
    criteria: Finds the condition that is always false.
    input:
      - {role: system, content: You are a reviewer.}
      - role: user
        content:
          - {type: text, value: "Review this:"}
          - {type: file, value: ./fixtures/loop.js}
    expected_output:
      - {role: assistant, content: The condition is always false.}
    conversation_id: reviews
    note: Style does not matter.
    assertions:
      - {name: bug_check, type: code-grader, protocol: json, command: [python, ./judges/bug.py], required: true}
"""
RENAMED: Mapping[str, Mapping[str, str]] = {
    "as it is": {},
    "assert and code_judge": {"assertions:": "assert:", "code-grader, protocol: json, command:": "code_judge, script:"},
    "evaluators and script": {
        "    assertions:": "    evaluators:",
        "code-grader, protocol: json, command:": "script, script:",
        "name: bug_check": "metric: bug_check",
    },
    "evalcases and messages": {
        "tests:": "evalcases:",
        "criteria:": "expected_outcome:",
        "input:": "input_messages:",
        "expected_output:": "expected_messages:",
    },
    "eval_cases": {"tests:": "eval_cases:", "code-grader,": "code_grader,"},
    "execution.evaluators of the suite": {
        "execution: {target: default, timeout_seconds: 120}\nassertions:\n  -": (
            "execution:\n  target: default\n  timeout_seconds: 120\n  evaluators:\n  -"
        )
    },
    "execution.evaluators of the case": {"    assertions:\n": "    execution:\n     evaluators:\n"},
}


def loaded(root: Path, text: str, name: str = "EVAL.yaml") -> Case:
    (root / "fixtures").mkdir(exist_ok=True)
    (root / "fixtures/loop.js").write_text("for (;;) {}\n")
    (root / "judges").mkdir(exist_ok=True)
    for judge in ("format.py", "bug.py"):
        (root / "judges" / judge).write_text("print('{\"score\": 1}')\n")
    (root / name).write_text(text)
    result = load(root / name, environ={})
    assert not result.diagnostics, "\n".join(map(str, result.diagnostics))
    (case,) = result.cases
    return case


def shape(case: Case) -> dict[str, Any]:
    fields = ("id", "criteria", "input", "expected_output", "conversation_id", "note", "description", "metadata")
    checks = [
        (check.name, check.type, check.weight, check.required, check.protocol, check.command)
        for check in case.checks
        if isinstance(check, CodeGrader)
    ]
    return {name: getattr(case, name) for name in fields} | {"checks": checks, "target": case.target}


@pytest.mark.parametrize("renamed", RENAMED.values(), ids=RENAMED.keys())
def test_every_form_is_the_same_case(renamed: Mapping[str, str], tmp_path: Path) -> None:
    text = NEW
    for new, old in renamed.items():
        assert new in text
        text = text.replace(new, old)
    case = loaded(tmp_path, text)
    assert shape(case) == shape(loaded(tmp_path, NEW))
    assert [check.name for check in case.checks] == ["bug_check", "format_check"]
    assert (case.target, case.timeout_seconds) == ("default", 120.0)


def test_json_lines_are_the_same_cases(tmp_path: Path) -> None:
    line = {
        "id": "test-1",
        "criteria": "Adds.",
        "input": [{"role": "user", "content": "What is 15 + 27?"}],
        "expected_output": "42",
        "assert": [{"type": "code_judge", "script": ["python", "./judges/sum.py"], "required": True}],
        "note": None,
    }
    (tmp_path / "dataset.jsonl").write_text("".join(json.dumps(line | {"id": f"test-{n}"}) + "\n" for n in range(3)))
    cases = load(tmp_path / "dataset.jsonl", environ={}).cases
    assert [case.id for case in cases] == ["test-0", "test-1", "test-2"]
    assert [case.place.line for case in cases] == [1, 2, 3]
    assert [check.required for case in cases for check in case.checks] == [True] * 3


def test_a_file_named_from_the_root_of_the_checkout_is_found(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/system.md").write_text("Be brief.\n")
    (tmp_path / "evals").mkdir()
    text = NEW.replace("./fixtures/loop.js", "/shared/system.md")
    case = loaded(tmp_path / "evals", text)
    block = case.input[1].content[1]
    assert isinstance(block, Mapping)
    assert block["path"] == str(tmp_path / "shared/system.md")
