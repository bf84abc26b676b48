"""Ten things that a person does first, each from one page, by copy and paste, without the shipped cases.

`test_readme.py` runs these pages word for word, and compares what they print. Here is which page proves which task.
The first block of the page about installing is run by `test_installed.py`, in an empty environment.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from shown_pages import blocks, shown

DOCS = Path(__file__).parents[2] / "docs"


class Task(NamedTuple):
    """What somebody wants, the page that shows it, some of its commands in order, and what the last of them prints."""

    name: str
    page: str
    commands: tuple[str, ...]
    printed: str


TASKS = (
    Task("first case", "tutorial.md", ("grade init words", "grade --case words --reference"), "PASSED  words"),
    Task(
        "wrong answer understood",
        "tutorial.md",
        ("grade --case words --submission work", "grade show latest words"),
        "words.py printed '' for 'one\\n', 1 was expected",
    ),
    Task("class of 60", "start/teacher.md", ("seq 60", "--report gradebook=", "ls results/"), "60"),
    Task(
        "300 answers interrupted and resumed",
        "start/eval-runner.md",
        ("seq 300", "timeout --signal INT", "grade --resume night", "grep -c"),
        "300",
    ),
    Task("two models compared", "how-to/compare-two-models.md", ("--name before", "grade compare"), "gained two new"),
    Task("package added", "how-to/add-a-language-or-image.md", ("grade images warm", "--case total"), "PASSED  total"),
    Task("CI with JUnit", "start/ci-engineer.md", ("--report junit=", "echo $?", "grep -o"), "<failure message="),
    Task("rewards in a loop", "start/reward-engineer.md", ("python3 loop/rewards.py",), "exits early 0.0"),
    Task("attack seen", "start/security-engineer.md", ("grade doctor", "--submission attack"), "because: tampering"),
)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_page_shows_how_a_task_is_done(task: Task) -> None:
    left = [one for block in blocks(DOCS / task.page, "console") for one in shown(block)]
    found = None
    for command in task.commands:
        while left and command not in left[0].command:
            left.pop(0)
        assert left, f"{task.page} does not run {command} there"
        found = left.pop(0)
    assert found is not None
    assert task.printed in found.output


@pytest.mark.parametrize("page", sorted({task.page for task in TASKS}))
def test_a_task_needs_no_checkout(page: str) -> None:
    commands = [one.command for block in blocks(DOCS / page, "console") for one in shown(block)]
    assert commands
    assert [command for command in commands if "cases/" in command] == []


def test_the_tasks_are_ten_with_the_one_of_installing() -> None:
    assert len({task.name for task in TASKS} | {"install"}) == 10
    assert "grade doctor" in next(iter(blocks(DOCS / "how-to/install.md", "sh")))
