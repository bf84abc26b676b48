"""What test authors write: all of it works in one process, and apart it works or says that it is a limit."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from apart_bench import QUICK, recorded, run_tests
from idioms import Idiom, idioms

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="Files of a submission belong to another user.")
IDIOMS = idioms()
RUNNERS = ("pytest", "unittest")
LIMIT = "a limit of `isolation: apart`: "
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?)\.py|^(?:FAIL|ERROR): \w+ \((\S+?)\.Test", re.MULTILINE)


def chosen(runner: str) -> tuple[Idiom, ...]:
    return tuple(idiom for idiom in IDIOMS if idiom.runner == runner)


def arguments(runner: str, idioms: tuple[Idiom, ...], directory: Path) -> list[str]:
    """Lay the idioms, and return the arguments of the runner."""
    files = [idiom.lay(directory) for idiom in idioms]
    if runner == "pytest":
        return ["-q", "-p", "no:cacheprovider", "--tb=short", "--continue-on-collection-errors", *files]
    return [file.removesuffix(".py").replace("/", ".") for file in files]


def failed(idioms: tuple[Idiom, ...], printed: str) -> set[str]:
    """Return the names of those that a runner's output says have failed."""
    modules = {(match[1] or match[2]).replace("/", ".") for match in _FAILED.finditer(printed)}
    return {idiom.name for idiom in idioms if any(module.endswith(f"test_{idiom.module}") for module in modules)}


@pytest.mark.parametrize("runner", RUNNERS)
def test_every_idiom_works_in_one_process(tmp_path: Path, runner: str) -> None:
    words = arguments(runner, chosen(runner), tmp_path)
    command, env = [sys.executable, "-m", runner, *words], os.environ | QUICK
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120, env=env)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("runner", RUNNERS)
def test_every_idiom_works_apart_or_says_that_it_is_a_limit(tmp_path: Path, runner: str) -> None:
    idioms = chosen(runner)
    words = arguments(runner, idioms, tmp_path)
    contract = recorded(run_tests(tmp_path, runner, *words, record=True))
    ran = run_tests(tmp_path, runner, *words, contract=contract)
    broken = failed(idioms, ran.printed)
    assert broken <= {idiom.name for idiom in idioms if idiom.limit}, ran.printed
    for idiom in idioms:
        assert idiom.name not in broken or f"{LIMIT}{idiom.limit}" in ran.printed, ran.printed


def test_there_are_enough_of_them_and_few_limits() -> None:
    assert len({idiom.name for idiom in IDIOMS}) == len(IDIOMS) >= 150
    assert len([idiom for idiom in IDIOMS if not idiom.limit]) >= 140 / 150 * len(IDIOMS)
