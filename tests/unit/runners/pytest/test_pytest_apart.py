"""pytest in one process and the submission in another: ordinary tests hold, and nothing of a candidate's steers them."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from apart_bench import RanApart, exercises, lay, run_tests

from graders.languages.language import MODULES
from graders.languages.python_operators import operator_classes

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="Files of a submission belong to another user.")
OPTIONS = ("-q", "-p", "no:cacheprovider", "--tb=short")
EXERCISES = tuple(exercises())
# What does not hold there, with the reason.
EXCEPTIONS: dict[str, str] = {}


def judged(directory: Path, solution: str, tests: str, **submitted: str) -> RanApart:
    lay(directory, {"tests/test_it.py": tests}, submitted=False)
    named = {name.replace("__", "/") + ".py": text for name, text in submitted.items()}
    lay(directory, {"solution.py": solution, **named}, submitted=True)
    return run_tests(directory, "pytest", *OPTIONS, "tests")


def test_references_of_exercises_with_objects_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    telling = operator_classes(each.reference for each in EXERCISES)
    assert telling is not None
    monkeypatch.setenv(MODULES, " ".join(f"={name}" for name in ("", *telling)))
    assert len(EXERCISES) == len({each.name for each in EXERCISES}) >= 100
    lay(tmp_path, {f"tests/test_{each.name}.py": each.tests for each in EXERCISES}, submitted=False)
    lay(tmp_path, {f"{each.name}.py": each.reference for each in EXERCISES}, submitted=True)
    ran = run_tests(tmp_path, "pytest", *OPTIONS, "tests")
    broken = set(re.findall(r"^(?:FAILED|ERROR) tests/test_(\w+)\.py", ran.printed, re.MULTILINE))
    assert broken == set(EXCEPTIONS), ran.printed
    assert len(broken) <= 0.05 * len(EXERCISES)


# A basket that is a number whenever one asks.
CHAMELEON = """class Basket:
    def total(self): return self
    def __sub__(self, other): return self
    __rsub__ = __abs__ = lambda self, *other: self
    def __round__(self, digits=None): return 0
    def __lt__(self, other): return True
    __gt__ = __le__ = __contains__ = __lt__
basket = Basket
"""
TOTAL = "from solution import Basket\ndef test(): assert abs(Basket().total() - 4) < 1e-6"


@pytest.mark.parametrize(
    ("tests", "known", "status"),
    [
        (TOTAL, "=", 1),
        (TOTAL, "= =Basket", 0),
        (TOTAL, "", 0),
        (TOTAL.replace("Basket", "basket"), "", 1),
        ("from solution import Basket\ndef test(): assert 4 in Basket().total()", "=", 1),
    ],
)
def test_only_objects_with_operators_in_the_solution_are_told_what_is_expected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tests: str, known: str, status: int
) -> None:
    monkeypatch.setenv(MODULES, known)
    assert judged(tmp_path, CHAMELEON, tests).status == status


@pytest.mark.parametrize(
    ("solution", "tests"),
    [
        ("def f(): return 1", "from solution import f\ndef test(): assert f() == 2"),
        ("import os\nos._exit(0)", "from solution import f\ndef test(): assert f() == 2"),
        ("import pytest\npytest.skip('x', allow_module_level=True)", "from solution import f\ndef test(): assert f() == 2"),
        ("import pytest\ndef f(): pytest.skip('x')", "from solution import f\ndef test(): assert f() == 2"),
        ("import pytest\ndef f(): pytest.xfail('x')", "from solution import f\ndef test(): assert f() == 2"),
        ("import unittest\ndef f(): raise unittest.SkipTest", "from solution import f\ndef test(): assert f() == 2"),
        ("import pytest\ndef f(): pytest.exit('x', returncode=0)", "from solution import f\ndef test(): assert f() == 2"),
        ("def f(): raise KeyboardInterrupt", "from solution import f\ndef test(): assert f() == 2"),
        ("raise SystemExit(0)", "from solution import f\ndef test(): assert f() == 2"),
        ("pytestmark = 1\ndef pytest_runtest_call(item): pass\ntest = None\ndef f(): return 1",
         "from solution import *\ndef test(): assert f() == 2"),
        ("import builtins\nclass P: pass\ndef f(): return P()\nclass pytest:\n    approx = lambda *a: 1",
         "import pytest\nfrom solution import *\ndef test(): assert f() == pytest.approx(1)"),
    ],
)  # fmt: skip
def test_a_forgery_fails(tmp_path: Path, solution: str, tests: str) -> None:
    ran = judged(tmp_path, solution, tests)
    assert ran.status != 0
    assert "TOKEN done 1 0" not in ran.report


def test_files_of_the_submission_are_neither_collected_nor_loaded(tmp_path: Path) -> None:
    evil = "import os\nos._exit(0)\ndef test_evil(): pass"
    ran = judged(
        tmp_path, "x = 1", "import solution\ndef test(): assert solution.x == 1", tests__test_evil=evil, conftest=evil,
        tests__conftest=evil, tests__helper=evil, pytest_evil=evil,
    )  # fmt: skip
    assert (ran.status, ran.report) == (0, "TOKEN done 1 0\n")


def test_conftest_and_helpers_of_the_case_run_beside_the_tests(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {
            "conftest.py": "import pytest\nfrom solution import Box\n@pytest.fixture\ndef box(): return Box()",
            "tests/helper.py": "import os\nPID = os.getpid()\ndef check(x): assert x == 3",
        },
        submitted=False,
    )
    tests = "import os\nfrom helper import PID, check\ndef test(box):\n    check(box.three())\n    assert PID == os.getpid() != box.pid()"
    ran = judged(
        tmp_path, "import os\nclass Box:\n    def three(self): return 3\n    def pid(self): return os.getpid()", tests
    )
    assert (ran.status, ran.report) == (0, "TOKEN done 1 0\n"), ran.printed


def test_a_process_that_ends_fails_its_test_and_the_next_gets_another(tmp_path: Path) -> None:
    solution = "import os\nclass A:\n    def one(self): return 1\ndef end(): os._exit(7)\ndef one(): return 1"
    tests = (
        "import solution\nfrom solution import A, end, one\ndef test_end(): end()\n"
        "def test_next(): assert one() == A().one() == solution.one() == 1"
    )
    ran = judged(tmp_path, solution, tests)
    assert ran.report == "TOKEN done 2 1\n"
    assert "CandidateDied: the process of the submission ended with exit status 7" in ran.printed


def test_a_failure_shows_values_and_where_in_the_submission_an_error_was(tmp_path: Path) -> None:
    tests = "from solution import f, g\ndef test_f(): assert f() == [1, 2]\ndef test_g(): g()"
    ran = judged(tmp_path, "def f(): return [1, 3]\ndef g():\n    return {}['k']", tests)
    assert "assert [1, 3] == [1, 2]" in ran.printed
    assert 'solution.py", line 3, in g' in ran.printed


def test_a_skip_for_an_error_of_the_submission_is_reported(tmp_path: Path) -> None:
    tests = "import pytest\nsolution = pytest.importorskip('solution', exc_type=ImportError)\ndef test(): assert solution.x == 1"
    ran = judged(tmp_path, "raise ImportError('no')", tests)
    assert "TOKEN skipped" in ran.report
