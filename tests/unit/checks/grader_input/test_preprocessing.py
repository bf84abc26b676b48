"""Texts of files that commands of the case make."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from evidence_bench import exited

from gradebox.graders.cases import load
from gradebox.graders.checks.evaluation import judge, questions
from gradebox.graders.checks.grader_input.preprocessing import filled, mark, preprocessor
from gradebox.graders.grading.prepare import prepare
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.judgment import Question
from gradebox.graders.model.plan import Role, Step
from gradebox.graders.model.submission import UNTOUCHED
from gradebox.graders.model.verdict import CheckResult, Status

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
    # A rubric's command reads the file as it is, which is not text.
    assert json.loads(stages[1].steps[0].stdin)["input"][0]["content"][0]["text"] is None


def judged(tmp_path: Path, exit_code: int) -> tuple[CheckResult, list[Question]]:
    """Return what comes of a check in words whose file a command makes text of, and what the judge is asked."""
    (tmp_path / "a.xlsx").write_text("raw")
    block = "input: [{role: user, content: [{type: file, value: a.xlsx}, {type: text, value: Sum it up.}]}]"
    text = f"preprocessors: [{{type: xlsx, command: [convert]}}]\n{block}\nassertions: [It is right.]\n"
    (tmp_path / "case.yaml").write_text(text)
    (case,) = load(tmp_path).cases
    ((step,),) = (stage.steps for stage in prepare(case, UNTOUCHED, image="image").stages)
    assert [entry.path for entry in step.brought] == [".inputs/a.xlsx"]
    ran = StepOutcome(step, exited(exit_code, "made text"))
    evidence = Evidence(done=(ran,), output="It is 4.")
    (check,) = case.checks
    return judge(check, case, evidence), list(questions(check, case, evidence))


def test_a_judge_reads_the_text_that_a_command_made(tmp_path: Path) -> None:
    result, (asked,) = judged(tmp_path, 0)
    words = "".join(part.text for part in asked.parts)
    assert "[file a.xlsx]\nmade text" in words
    assert "raw" not in words
    assert result.status is Status.NOT_JUDGED


def test_nobody_is_asked_about_a_text_that_was_not_made(tmp_path: Path) -> None:
    result, asked = judged(tmp_path, 3)
    assert asked == []
    assert result.status is Status.ERROR
    assert "text of a.xlsx was not made: exit status 3" in result.reason


def test_without_a_mark_nothing_changes() -> None:
    step = Step(Role.CHECK, "a", ("a",), "/workspace", 1.0, stdin=b"{}")
    assert filled(step, {mark("x"): "y"}) is step
