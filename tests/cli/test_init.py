"""``grade init``: what it creates is fair, as ``grade check`` finds on a real engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from running import Ran

from gradebox.graders.authoring.example_cases import example_cases


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("template", [*example_cases(), "io"])
def test_a_case_for_a_purpose_is_fair(grade: Callable[..., Ran], template: str) -> None:
    assert grade("init", "new", "--template", template).code == 0
    checked = grade("check", "new")
    assert checked.code == 0, checked.stdout + checked.stderr


def test_a_class_is_graded_with_the_command_that_its_case_names(grade: Callable[..., Ran], tmp_path: Path) -> None:
    assert grade("init", "homework", "--template", "class").code == 0
    ran = grade("--case", "homework", "-s", "homework/hand-ins/ada", "-s", "homework/hand-ins/ben", "--name", "week-1")
    assert ran.code == 0, ran.stdout
    assert grade("report", "week-1", "-f", "csv").stdout.count("\n") == 3


def project(tmp_path: Path, total: str) -> None:
    files = {
        "shop.py": f"def total(prices):\n    return {total}\n",
        "tests/test_a.py": "from shop import total\n\n\ndef test_empty():\n    assert total([]) == 0\n",
        "tests/test_b.py": "from shop import total\n\n\ndef test_two():\n    assert total([1, 2]) == 3\n",
    }
    for name, text in files.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.thorough
@pytest.mark.timeout(1800)
def test_a_case_of_a_project_is_fair_with_limits_and_tests_that_were_measured(
    grade: Callable[..., Ran], tmp_path: Path
) -> None:
    project(tmp_path, "sum(prices)")
    ran = grade("init", "new", "--from", "project")
    assert ran.code == 0, ran.stdout + ran.stderr
    text = (tmp_path / "new/case.yaml").read_text()
    assert 'must_pass: ["grading.test_b::test_two"]' in text
    assert "memory: 256m" in text


def test_a_project_that_fails_its_own_tests_is_refused_after_it_was_written(
    grade: Callable[..., Ran], tmp_path: Path
) -> None:
    project(tmp_path, "len(prices)")
    ran = grade("init", "new", "--from", "project")
    assert ran.code == 2
    assert "The solution does not pass its own tests" in ran.stderr
    assert (tmp_path / "new/reference/shop.py").is_file()
