"""The files of tests that a liar is to meet are fair: their own solutions pass apart, and what crosses is recorded."""

from __future__ import annotations

import os
from shutil import which

import pytest
from lying_runs import honest
from tested_files import exercises, together

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="Files of a submission belong to another user.")


@pytest.mark.parametrize(
    ("language", "runner"),
    [
        ("python", "pytest"),
        ("python", "unittest"),
        ("python", "items"),
        ("javascript", "node:test"),
        ("javascript", "items"),
    ],
)
def test_honest_solutions_pass(language: str, runner: str) -> None:
    if language == "javascript" and which("node") is None:
        pytest.skip("There is no Node.js here.")
    files = [file for file in exercises(language, seed=5) if file.runner == runner]
    known = honest(together(files))
    assert known.ran.failed == 0, known.ran.printed
    assert known.ran.passed >= sum(len(file.tests) for file in files)
    assert known.transcripts


def test_files_of_node_test_are_recorded() -> None:
    if which("node") is None:
        pytest.skip("There is no Node.js here.")
    file = next(file for file in exercises("javascript", seed=5) if file.name == "classes")
    known = honest(file)
    assert known.contract is not None
    assert "method deposit" in known.contract["solution.Account()"]
