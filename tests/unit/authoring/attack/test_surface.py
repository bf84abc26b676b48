"""What a submission of a case brings, and what its graders read."""

from __future__ import annotations

from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders.authoring.attack.surface import Surface, surface
from gradebox.graders.cases import load

CASE = "image: image\nassertions: [{type: code-grader, command: %s}]\n"


def of(root: Path, case: str = CASE % "[python3, grading/judge.py]", **files: str) -> Surface:
    write(root, {"case.yaml": case, **{path.replace("__", "/"): text for path, text in files.items()}})
    (found,) = load(root).cases
    return surface(found)


def test_a_submission_brings_what_the_reference_changes(tmp_path: Path) -> None:
    write(tmp_path, {"workspace/slug.py": "def a(): ...\ndef b(): ...\n", "workspace/same.py": "x = 1\n"})
    write(tmp_path, {"reference/slug.py": "def a(): return 1\ndef b(): ...\ndef c(): ...\n", "grading/judge.py": ""})
    write(tmp_path, {"reference/tests/test_slug.py": "def test(): ...\n"})
    found = of(tmp_path)
    (file,) = found.files
    assert (file.path, file.language, [each.name for each in file.defined]) == ("slug.py", "python", ["a", "c"])
    assert found.scripts == ("grading/judge.py",)
    assert found.language() == "python"


def test_without_a_reference_it_brings_the_code_of_the_workspace(tmp_path: Path) -> None:
    write(tmp_path, {"workspace/slug.py": "def a(): ...\n", "workspace/tests/test_slug.py": "", "grading/judge.py": ""})
    (file,) = of(tmp_path).files
    assert (file.path, [each.name for each in file.defined]) == ("slug.py", ["a"])


def test_with_nothing_at_all_it_brings_the_file_of_answers_with_the_names_that_tests_import(tmp_path: Path) -> None:
    case = "language: python\nexamples_setup: from solution import add, twice\nexamples: [assert add(1) == 2]\n"
    (file,) = of(tmp_path, case).files
    assert (file.path, [each.name for each in file.defined]) == ("solution.py", ["add", "twice"])


@pytest.mark.parametrize(
    ("case", "answers"),
    [
        ("assertions: [{type: contains, value: x}]\n", True),
        ("assertions: [{type: contains, value: x}]\nreference_solution: it is x\n", True),
        ("language: python\nexamples: [assert 1]\nanswer_file: a.py\n", False),
    ],
)
def test_a_case_of_words_takes_answers(tmp_path: Path, case: str, answers: bool) -> None:
    assert of(tmp_path, case).answers is answers


def test_modules_and_results_of_graders_are_found(tmp_path: Path) -> None:
    write(tmp_path, {"workspace/slug.py": "", "reference/slug.py": "x = 1\n", "grading/cases.json": "{}"})
    write(
        tmp_path, {"grading/judge.py": "import csv\nfrom slug import x\nopen('out/score.json')\nopen('cases.json')\n"}
    )
    found = of(tmp_path)
    assert found.imports[0] == "csv"
    assert "slug" not in found.imports
    assert found.reports[0] == "out/score.json"
    assert "reward.txt" in found.reports


@pytest.mark.parametrize(
    ("more", "command", "directories"),
    [
        ("env: {PATH: '/workspace/bin:/usr/bin'}\n", "[x]", ("bin",)),
        ("", "'PATH=$PWD/tools:$PATH run'", ("tools",)),
        ("", "[sh, -c, ./node_modules/.bin/jest]", ("node_modules/.bin",)),
        ("", "[python3, -m, pytest]", ()),
    ],
)
def test_directories_of_programs_are_found(
    tmp_path: Path, more: str, command: str, directories: tuple[str, ...]
) -> None:
    assert of(tmp_path, more + CASE % command).program_directories == directories


def test_a_script_without_a_suffix_has_the_language_of_its_first_line(tmp_path: Path) -> None:
    write(tmp_path, {"reference/run": "#!/usr/bin/env bash\nsay() { :; }\n"})
    (file,) = of(tmp_path, CASE % "[./run]").files
    assert (file.language, [each.name for each in file.defined]) == ("bash", ["say"])
