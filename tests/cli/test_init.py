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
