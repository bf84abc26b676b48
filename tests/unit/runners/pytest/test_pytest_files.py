"""Settings of pytest in a submission, compared with those of the case."""

from __future__ import annotations

import pytest
from tampering_bench import step, tree

from gradebox.graders.integrity.command_scan import CommandScan
from gradebox.graders.model.tree import content
from gradebox.graders.runners.pytest.pytest_files import PytestFiles
from gradebox.graders.runners.runner import Trees

WORK = {"src/app.py": "", "tests/": "", "tests/test_app.py": ""}


def judged(text: str, before: str | None = None, path: str = "pytest.ini") -> tuple[bool, bool]:
    """Return whether a file is tampering, and whether it must be undone."""
    workspace = tree(WORK if before is None else {**WORK, path: before})
    laid = tree({**WORK, path: text})
    trees = Trees(workspace, tree({}), laid)
    files = PytestFiles(trees, CommandScan(trees, (step("pytest", "tests"),), content))
    entry = laid.entries[path]
    return bool(files.tells(path, entry)), files.must_be_undone(path, entry)


@pytest.mark.parametrize(
    ("text", "before", "tampering", "undone"),
    [
        ("[pytest]\naddopts = -q\n", None, False, False),
        ("[pytest]\naddopts = -k nothing\n", None, False, True),
        ("[pytest]\naddopts = --collect-only -q\n", None, True, True),
        ("[pytest]\naddopts = --collect-only\n", "[pytest]\naddopts = --collect-only\n", False, False),
        ("[pytest]\npython_files = check_*.py\nnorecursedirs = data\n", None, False, True),
        ("[pytest]\n", "[pytest]\naddopts = -k one\n", False, True),
        ("[pytest]\naddopts = --cov=src\n", None, False, True),
        ("[pytest]\n", "[pytest]\nxfail_strict = true\n", False, True),
        ("[pytest]\nxfail_strict = error\n", "[pytest]\nxfail_strict = true\n", False, True),
    ],
)
def test_to_run_no_test_is_tampering_and_any_other_setting_is_undone_at_most(
    text: str, before: str | None, tampering: bool, undone: bool
) -> None:
    assert judged(text, before) == (tampering, undone)


def test_a_file_that_pytest_does_not_reach_means_nothing() -> None:
    assert judged("[pytest]\naddopts = --collect-only\n", path="src/deep/pytest.ini") == (False, False)
