"""Texts of files that commands of the case make."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from graders.cases import load
from graders.checks.stdin.preprocessing import filled, mark, preprocessor
from graders.grading.prepare import prepare
from graders.model.case import Case
from graders.model.plan import Role, Step
from graders.model.submission import UNTOUCHED

CaseOf = Callable[..., Case]
CHECKS = "assertions: [{type: code-grader, command: [judge]}, {type: rubrics, rubrics: [{command: [judge]}]}]\n"


@pytest.mark.parametrize(
    ("file", "command"),
    [("a.xlsx", "first"), ("b/A.XLSX", "first"), ("a.csv", "second"), ("a.txt", None), ("xlsx", None)],
)
def test_a_file_has_the_command_of_its_suffix_or_media_type(file: str, command: str | None, case_of: CaseOf) -> None:
    listed = "[{type: xlsx, command: [first]}, {type: text/csv, command: [second]}, {type: .xlsx, command: [third]}]"
    found = preprocessor(case_of(f"preprocessors: {listed}\n{CHECKS}"), file)
    assert (found.command.argv[0] if found else None) == command


def test_a_step_before_the_check_fills_in_its_text(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"\0")
    block = "input: [{role: user, content: [{type: file, value: a.xlsx}]}]"
    (tmp_path / "case.yaml").write_text(f"preprocessors: [{{type: xlsx, command: [convert]}}]\n{block}\n{CHECKS}")
    (case,) = load(tmp_path).cases
    stages = prepare(case, UNTOUCHED, image="image").stages
    assert [[step.role for step in stage.steps] for stage in stages] == [[Role.CHECK_SETUP, Role.CHECK], [Role.CHECK]]
    before, main = stages[0].steps
    assert json.loads(before.stdin)["path"] == "/workspace/.inputs/a.xlsx"
    assert before.fills == mark(".inputs/a.xlsx")
    told = json.loads(filled(main, {before.fills: 'two "lines"\nof text'}).stdin)
    assert told["input"][0]["content"][0]["text"] == 'two "lines"\nof text'
    # A rubric's command reads the file as it is, which is no text.
    assert json.loads(stages[1].steps[0].stdin)["input"][0]["content"][0]["text"] is None


def test_without_a_mark_nothing_changes() -> None:
    step = Step(Role.CHECK, "a", ("a",), "/workspace", 1.0, stdin=b"{}")
    assert filled(step, {mark("x"): "y"}) is step
