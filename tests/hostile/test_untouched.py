"""The untouched workspace of a case accuses nobody: of cases that we ship, that `grade init` writes, and of bases."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from _pytest import nodes
from corpus import BASES, HERE, RUNTIME

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.authoring.templates import template_files, with_template
from gradebox.graders.model.submission import UNTOUCHED
from gradebox.graders.model.verdict import Status
from gradebox.graders.submissions.source import read_submission

_BASES = ("bun-tests", "items-bash", "json", "node-test", "pytest-all", "pytest-hidden", "unittest")

# A case about pytest itself: tests of the workspace run in the pytest of the workspace.
_ABOUT_PYTEST = """
input: Fix pytest.
image: gradebox/python
env: {PYTHONPATH: src}
assertions: [{name: tests, type: code-grader, command: [python3, -m, pytest, -q, testing]}]
"""
_ITS_TEST = """
def test_outcomes(pytester):
    pytester.makepyfile("def test_a(): pass\\ndef test_b(): assert 0")
    pytester.runpytest_inprocess().assert_outcomes(passed=1, failed=1)
"""


def _about_pytest(directory: Path) -> Path:
    """Write the case and return its path."""
    for package in ("pytest", "_pytest", "pluggy", "iniconfig"):
        source = Path(pytest.__file__).parents[1] / package
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, directory / "workspace/src" / package, ignore=ignored)
    testing = directory / "workspace/testing"
    testing.mkdir()
    (testing / "conftest.py").write_text("pytest_plugins = ['pytester']\n", "utf-8")
    (testing / "test_it.py").write_text(_ITS_TEST, "utf-8")
    (directory / "case.yaml").write_text(_ABOUT_PYTEST, "utf-8")
    return directory


@pytest.mark.timeout(900)
@pytest.mark.parametrize("of", ["bases", pytest.param("templates and shipped cases", marks=pytest.mark.thorough)])
def test_an_untouched_workspace_is_not_accused(tmp_path: Path, runtime: str, of: str) -> None:
    cases = [BASES / name for name in _BASES]
    if of != "bases":
        for language in with_template():
            for name, text in template_files(language).items():
                (tmp_path / language / name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / language / name).write_text(text, "utf-8")
        # They take minutes. test_check.py and test_shipped_cases.py grade most of them, too.
        shipped = [path.parent for path in (HERE.parents[1] / "cases").glob("*/case.yaml")]
        cases = [*sorted(path.parent for path in tmp_path.glob("*/case.yaml")), *shipped]
    assert (len(cases) >= 5, RUNTIME in (None, runtime)) == (True, True)
    # gVisor supports no services.
    loaded = [case for case in map(load_case, cases) if runtime != "runsc" or not case.services]
    with Grader(runtime=RUNTIME) as grader:
        results = grader.grade_many([Task(case, UNTOUCHED) for case in loaded], jobs=2)
    graded = {case.directory: one.verdict for case, one in zip(loaded, results, strict=True)}
    bad = {case: each for case, each in graded.items() if each.tampering or each.status is Status.ERROR}
    assert {case.name: (each.tampering, each.reasons) for case, each in bad.items()} == {}


@pytest.mark.timeout(300)
def test_work_on_pytest_is_graded_by_that_pytest_and_not_accused(tmp_path: Path, runtime: str) -> None:
    case = load_case(_about_pytest(tmp_path / "case"))
    work = tmp_path / "work/src/_pytest"
    work.mkdir(parents=True)
    (work / "__init__.py").write_text("__version__ = version = '9.9.9'\nversion_tuple = (9, 9, 9)\n", "utf-8")
    (work / "nodes.py").write_text(Path(nodes.__file__).read_text("utf-8") + "\nFIXED = True\n", "utf-8")
    tasks = [Task(case, UNTOUCHED), Task(case, read_submission(tmp_path / "work"))]
    with Grader(runtime=RUNTIME) as grader:
        verdicts = [one.verdict for one in grader.grade_many(tasks, jobs=2)]
    assert RUNTIME in (None, runtime)
    assert [(one.status, one.tampering) for one in verdicts] == [(Status.PASSED, ())] * 2
