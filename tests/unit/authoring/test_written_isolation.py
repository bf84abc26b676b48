"""What a reference has decided is written into the case, and nothing else changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders.authoring.written_isolation import write_isolation
from gradebox.graders.cases import load
from gradebox.graders.model.case import Case
from gradebox.graders.model.crossing import Crossing, Isolation

CASE = "# A case.\nlanguage: python   # It is.\nexamples: [assert True]\nassertions: [{type: examples}]\n"
SCRIPT = CASE.replace("{type: examples}", "{type: examples}, {name: own, type: code-grader, command: [look]}")


def settled(root: Path, text: str, isolation: Isolation = Isolation.APART, **changes: str) -> Case:
    write(root, {"case.yaml": text, "reference/solution.py": ""})
    (case,) = load(root).cases
    return replace(case, crossing=Crossing(isolation, **changes))


@pytest.mark.parametrize("isolation", [Isolation.APART, Isolation.IN_PROCESS])
@pytest.mark.parametrize("before", ["", "isolation: auto\n", "isolation: auto  # For now.\n"])
def test_the_line_is_written_and_all_else_stays(tmp_path: Path, before: str, isolation: Isolation) -> None:
    said = write_isolation(settled(tmp_path, f"{before}{CASE}", isolation))
    assert said == f"`isolation: {isolation}` was written into {tmp_path / 'case.yaml'}."
    (case,) = load(tmp_path).cases
    assert case.isolation is isolation
    lines = (tmp_path / "case.yaml").read_text().splitlines()
    assert sorted(lines) == sorted([*CASE.splitlines(), f"isolation: {isolation}"])


@pytest.mark.parametrize(
    "text", ["{language: python, examples: [assert True], assertions: [{type: examples}]}\n", f"{CASE}...\n"]
)
def test_a_file_of_another_form_stays_as_it_was(tmp_path: Path, text: str) -> None:
    assert "was not written: " in write_isolation(settled(tmp_path, text))
    assert (tmp_path / "case.yaml").read_text() == text


def test_a_line_that_would_change_another_check_is_not_written(tmp_path: Path) -> None:
    assert "own would be judged otherwise" in write_isolation(settled(tmp_path, SCRIPT))
    assert (tmp_path / "case.yaml").read_text() == SCRIPT


def test_a_case_of_a_suite_names_its_place(tmp_path: Path) -> None:
    cases = "tests: [{id: a, input: x, examples: [assert True], reference_solution: 'a = 1',"
    write(tmp_path, {"EVAL.yaml": f"language: python\n{cases} assertions: [{{type: examples}}]}}]\n"})
    (case,) = load(tmp_path / "EVAL.yaml").cases
    said = write_isolation(replace(case, crossing=Crossing(Isolation.APART)))
    assert f"write it at {tmp_path / 'EVAL.yaml'}:2" in said


@pytest.mark.parametrize(
    "changes",
    [{"isolation": Isolation.APART}, {"crossing": None}, {"crossing": Crossing(Isolation.APART, problem="x")}],
)
def test_nothing_is_written_where_nothing_was_decided(tmp_path: Path, changes: dict[str, object]) -> None:
    assert write_isolation(replace(settled(tmp_path, CASE), **changes)) == ""  # type: ignore[arg-type]
    assert (tmp_path / "case.yaml").read_text() == CASE
