"""Programs of all languages that have nothing but programs: honest ones, and ones that do what they must not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from grading_bench import write

from gradebox.graders import Grader, Task, languages, load_case
from gradebox.graders.authoring.templates import template_files
from gradebox.graders.model.result import Result
from gradebox.graders.submissions.source import read_submission

PROGRAMS = yaml.safe_load(Path(__file__).with_name("language_programs.yaml").read_text("utf-8"))
# `make thorough` runs the others. Images of languages are built when the first case needs them.
OFTEN = ("cpp",)
COMPILED = ("c", "cpp", "go", "java", "rust")


def test_every_language_without_items_has_a_program() -> None:
    assert set(PROGRAMS) == {name for name, each in languages.languages().items() if not each.runner}


def graded(case: Path, *submissions: Path) -> dict[str, Result]:
    loaded = load_case(case)
    with Grader() as grader:
        tasks = [Task(loaded, read_submission(place)) for place in submissions]
        return {one.submission: one for one in grader.grade_many(tasks)}


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("language", PROGRAMS)
def test_a_program_gets_the_verdict_that_it_deserves(language: str, tmp_path: Path) -> None:
    """A program that is right, wrong, endless, or large; that ends early, bombs, or forges; and one after them all."""
    tests = [{"stdin": f"{n}\n", "stdout": f"{n * 2}\n"} for n in range(1, 9)]
    check = {"type": "io", "time_limit_seconds": 1, "memory": "200m", "tests": tests}
    case = {"input": "Write it.", "language": language, "assertions": [check]}
    write(tmp_path, {"case/case.yaml": yaml.safe_dump(case), f"work/{file_of(language)}": PROGRAMS[language]})
    (found,) = graded(tmp_path / "case", tmp_path / "work")["work"].verdict.checks
    right, wrong, endless, large, early, bombs, forges, last = rows(found)
    assert (right, wrong, endless, large, early, forges, last) == ("AC", "WA", "TLE", "MLE", "WA", "WA", "AC")
    assert bombs != "AC"


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "language", [pytest.param(name, marks=() if name in OFTEN else pytest.mark.thorough) for name in PROGRAMS]
)
def test_the_case_of_grade_init_is_graded(language: str, tmp_path: Path) -> None:
    write(tmp_path, template_files(language))
    found = graded(tmp_path, *(tmp_path / name for name in ("reference", *kept(tmp_path))))
    assert {name: one.verdict.checks[0].score for name, one in found.items()} == {
        "reference": 1,
        "no-negatives": pytest.approx(0.2),
        "nothing-done": 0,
    }
    (check,) = found["nothing-done"].verdict.checks
    assert check.reason.startswith("CE: the build failed") == (language in COMPILED)


def kept(case: Path) -> list[str]:
    return [f"submissions/{place.name}" for place in sorted(case.glob("submissions/*/"))]


def file_of(language: str) -> str:
    return languages.get(language).answer_file


def rows(check: Any) -> list[str]:
    return [row["verdict"] for row in check.details["tests"]]
