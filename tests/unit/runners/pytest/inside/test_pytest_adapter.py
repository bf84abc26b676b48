"""The adapter of pytest, on this machine: what it reports."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_runner import PYTHON, run_adapted, write

COMMAND = (PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py")


@pytest.mark.parametrize(
    ("test", "status", "done"),
    [
        ("def test_it():\n    assert 1 == 1\n", 0, (1, 0)),
        ("def test_it():\n    assert 1 == 2\n", 1, (1, 1)),
        ("import pytest\n\n@pytest.mark.skip\ndef test_it():\n    pass\n", 0, (0, 0)),
        (
            "import unittest\n\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(1, 1)\n",
            0,
            (1, 0),
        ),
        ("import os\n\ndef test_it():\n    os._exit(0)\n", 0, None),
        ("import sys\nsys.exit(0)\n", 3, (0, 0)),
    ],
)
def test_the_end_is_reported_with_its_counts(
    test: str, status: int, done: tuple[int, int] | None, tmp_path: Path
) -> None:
    write(tmp_path, test_it=test)
    ran, report = run_adapted(*COMMAND, directory=tmp_path)
    assert (ran.status, report.done, report.controls) == (status, done, ()), ran.printed


def test_a_patched_report_is_reported(tmp_path: Path) -> None:
    write(
        tmp_path,
        work="import _pytest.runner\n\n_pytest.runner.pytest_runtest_call = lambda item: None\n",
        test_it="import work\n\ndef test_it():\n    assert 1 == 2\n",
    )
    ran, report = run_adapted(*COMMAND, directory=tmp_path)
    assert ran.status == 1, ran.printed
    assert report.done == (1, 1)


def test_a_file_that_cannot_be_loaded_is_one_failure_and_takes_away_no_passed_test(tmp_path: Path) -> None:
    write(tmp_path, test_it="def test_one():\n    pass\n\n\ndef test_two():\n    pass\n", test_more="import nothing\n")
    command = (*COMMAND, "test_more.py", "--continue-on-collection-errors")
    ran, report = run_adapted(*command, directory=tmp_path)
    assert (ran.status, report.done) == (1, (3, 1)), ran.printed
