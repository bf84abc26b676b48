"""The cases for a purpose that ``grade init --template`` creates; tests/cli/test_init.py checks that they are fair."""

from __future__ import annotations

from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders.authoring.example_cases import example_cases, example_files
from gradebox.graders.cases import load


def test_there_is_one_for_a_project_for_a_class_and_for_words() -> None:
    assert example_cases() == ("class", "judge", "pytest")


@pytest.mark.parametrize("name", example_cases())
def test_an_example_is_a_case_without_mistakes(tmp_path: Path, name: str) -> None:
    write(tmp_path, example_files(name))
    loaded = load(tmp_path)
    assert loaded.diagnostics == ()
    (case,) = loaded.cases
    assert case.reference is not None


@pytest.mark.parametrize("name", example_cases())
def test_every_submission_of_an_example_has_an_expected_verdict(name: str) -> None:
    files = example_files(name)
    submissions = {path.split("/")[1] for path in files if path.startswith("submissions/")} - {"verdicts.yaml"}
    for submission in submissions:
        assert f"\n{submission}:\n" in files["submissions/verdicts.yaml"]


def test_a_class_has_the_work_of_several_students() -> None:
    assert {path.split("/")[1] for path in example_files("class") if path.startswith("hand-ins/")} == {"ada", "ben"}
