"""Honest work that differs from the reference loses nothing apart, under the contract that the reference gives."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from alternatives import Alternative, alternatives, renamed
from apart_bench import QUICK, lay, recorded, run_tests

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="Files of a submission belong to another user.")
ALL = tuple(alternatives())
OPTIONS = ("-q", "-p", "no:cacheprovider", "--tb=short", "tests")


def lay_all(directory: Path, chosen: Sequence[Alternative]) -> None:
    for each in chosen:
        case, submitted = each.files
        lay(directory, case, submitted=False)
        lay(directory, submitted, submitted=True)


def failed(printed: str) -> list[str]:
    return sorted(set(re.findall(r"^(?:FAILED|ERROR) tests/test_(\w+)\.py", printed, re.MULTILINE)))


def test_there_are_a_hundred_of_them() -> None:
    assert len({each.module for each in ALL}) == len(ALL)
    assert len([each for each in ALL if each.name != "reference"]) >= 100


def test_all_of_them_pass_in_one_process(tmp_path: Path) -> None:
    lay_all(tmp_path, ALL)
    command, env = [sys.executable, "-m", "pytest", *OPTIONS], os.environ | QUICK
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120, env=env)
    assert (done.returncode, failed(done.stdout)) == (0, []), done.stdout


def test_all_of_them_pass_apart_with_the_contract_of_the_reference(tmp_path: Path) -> None:
    references = [each for each in ALL if each.name == "reference"]
    (tmp_path / "recorded").mkdir()
    (tmp_path / "judged").mkdir()
    lay_all(tmp_path / "recorded", references)
    ran = run_tests(tmp_path / "recorded", "pytest", *OPTIONS, record=True)
    assert failed(ran.printed) == []
    noted = recorded(ran)
    lay_all(tmp_path / "judged", ALL)
    contract: dict[str, list[str]] = {}
    for each in ALL:
        contract |= renamed(noted, f"{each.case}_reference".replace("-", "_"), each.module)
    ran = run_tests(tmp_path / "judged", "pytest", *OPTIONS, contract=contract)
    assert failed(ran.printed) == [], ran.printed
