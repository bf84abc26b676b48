"""Which tests pytest was requested to run."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_runner import PYTHON, run_adapted, write

COMMAND = (PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider")
TESTS = "def test_one():\n    assert 1 == 1\n\n\ndef test_two():\n    assert 1 == 1\n"


@pytest.mark.parametrize(
    ("arguments", "ran"), [((), 2), (("test_it.py",), 2), (("test_it.py::test_one",), 1), (("-k", "two"), 1)]
)
def test_what_the_author_selects_is_left_out_by_nobody(arguments: tuple[str, ...], ran: int, tmp_path: Path) -> None:
    write(tmp_path, test_it=TESTS)
    found, report = run_adapted(*COMMAND, *arguments, directory=tmp_path)
    assert (found.status, report.done, report.controls) == (0, (ran, 0), ()), found.printed


def test_a_mark_beside_a_test_is_a_reason_to_leave_it_out(tmp_path: Path) -> None:
    write(tmp_path, test_it="import pytest\n\n\n@pytest.mark.skip\n" + TESTS)
    found, report = run_adapted(*COMMAND, directory=tmp_path)
    assert (found.status, report.done, report.controls, report.skipped) == (0, (1, 0), (), ()), found.printed
