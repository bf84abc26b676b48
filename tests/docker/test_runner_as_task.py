"""A case about pytest itself: the pytest of the workspace runs the tests, and nothing that it replaces is tampering."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from adapter_bench import Yard, open_yard

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference

SITE = Path(pytest.__file__).parents[1]
WORK = {
    f"src/{path.relative_to(SITE)}": path.read_text("utf-8")
    for top in ("pytest", "_pytest", "pluggy", "iniconfig")
    for path in (SITE / top).rglob("*.py")
}
TESTS = """
import pytest

def test_in_this_process(pytester):
    pytester.makepyfile("def test_a(): assert 1\\ndef test_b(): assert [1] == [2]")
    pytester.runpytest_inprocess().assert_outcomes(passed=1, failed=1)

def test_patched(monkeypatch):
    import _pytest.runner
    monkeypatch.setattr(_pytest.runner, "pytest_runtest_setup", lambda *a: None)

@pytest.mark.skipif(True, reason="by its mark")
def test_skipped_by_a_mark(): assert False

def test_skipped_by_itself(): pytest.skip("here")

def test_raises():
    with pytest.raises(ValueError, match="x"):
        raise ValueError("x")
    assert [1.0] == pytest.approx([1.0])
"""
JUDGE = {"testing/conftest.py": "pytest_plugins = ['pytester']\n", "testing/test_it.py": TESTS}


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    yield from open_yard(DockerEngine(), reference("python"))


@pytest.mark.parametrize("command", [("pytest",), ("python3", "-m", "pytest")], ids=" ".join)
def test_pytest_under_test_runs_its_tests_and_is_not_accused(yard: Yard, command: tuple[str, ...]) -> None:
    ran = yard.run(*command, "-q", "testing", work=WORK, judge=JUDGE, env={"PYTHONPATH": "src"})
    assert (ran.passed, ran.report.done, ran.judged.tampering) == (True, (3, 0), ()), ran.printed
