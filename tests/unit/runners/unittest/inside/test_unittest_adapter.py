"""The adapter of unittest, on this machine: what it reports."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_runner import PYTHON, run_adapted, write

HEAD = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        "


@pytest.mark.parametrize(
    ("body", "status", "done"),
    [
        ("self.assertEqual(1, 1)", 0, (1, 0)),
        ("self.assertEqual(1, 2)", 1, (1, 1)),
        ("import os; os._exit(0)", 0, None),
        ("raise SystemExit(0)", 1, (1, 1)),
    ],
)
def test_the_end_is_reported_with_its_counts(
    body: str, status: int, done: tuple[int, int] | None, tmp_path: Path
) -> None:
    write(tmp_path, test_it=f"{HEAD}{body}\n")
    ran, report = run_adapted(PYTHON, "-m", "unittest", "test_it", directory=tmp_path)
    assert (ran.status, report.controls) == (status, ()), ran.printed
    assert "SystemExit" in body or report.done == done


def test_a_patched_assertion_is_reported(tmp_path: Path) -> None:
    write(
        tmp_path,
        work="import unittest\n\nunittest.TestCase.assertEqual = lambda *_: None\n",
        test_it=f"import work\n{HEAD}self.assertEqual(1, 2)\n",
    )
    ran, report = run_adapted(PYTHON, "-m", "unittest", "test_it", directory=tmp_path)
    assert ran.status == 0
    assert any("assertEqual" in what or "lets a test pass" in what or "let a test" in what for what in report.controls)


CLOSE_ALL = """
import os

os.closerange(3, 1 << 16)
for fd in range(3, 4096):
    try:
        os.close(fd=fd)
    except OSError:
        pass
"""


def test_who_closes_all_descriptors_is_reported_all_the_same(tmp_path: Path) -> None:
    write(tmp_path, work=CLOSE_ALL, test_it=f"import work\n{HEAD}self.assertEqual(1, 1)\n")
    ran, report = run_adapted(PYTHON, "-m", "unittest", "test_it", directory=tmp_path)
    assert (ran.status, report.done) == (0, (1, 0)), ran.printed
