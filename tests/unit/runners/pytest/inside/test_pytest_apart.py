"""pytest in one process and the submission in another: ordinary tests hold, and nothing of a candidate's steers them."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

import os
import re
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from apart_bench import RanApart, exercises, finds, lay, recorded, run_tests

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="Files of a submission belong to another user.")
OPTIONS = ("-q", "-p", "no:cacheprovider", "--tb=short")
EXERCISES = tuple(exercises())
FINDS = tuple(finds())


def judged(directory: Path, solution: str, tests: str, **submitted: str) -> RanApart:
    lay(directory, {"tests/test_it.py": tests}, submitted=False)
    named = {name.replace("__", "/") + ".py": text for name, text in submitted.items()}
    lay(directory, {"solution.py": solution, **named}, submitted=True)
    return run_tests(directory, "pytest", *OPTIONS, "tests")


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return how the references of the exercises cross the boundary."""
    return recorded(run_exercises(tmp_path_factory.mktemp("recorded"), record=True))


def run_exercises(directory: Path, **told: Any) -> RanApart:
    lay(directory, {f"tests/test_{each.name}.py": each.tests for each in EXERCISES}, submitted=False)
    lay(directory, {f"{each.name}.py": each.reference for each in EXERCISES}, submitted=True)
    return run_tests(directory, "pytest", *OPTIONS, "tests", **told)


@pytest.mark.parametrize("is_known", [True, pytest.param(False, marks=pytest.mark.thorough)])
def test_references_of_exercises_with_objects_pass(
    tmp_path: Path, contract: dict[str, list[str]], is_known: bool
) -> None:
    assert len(EXERCISES) == len({each.name for each in EXERCISES}) >= 100
    assert len(contract) >= 500
    ran = run_exercises(tmp_path, contract=contract if is_known else None)
    # Without a reference, generators are objects of a class that no test names, and no function raises StopIteration.
    given = set() if is_known else {"builtin_errors", "generator_cleanup", "generator_send", "generator_throw"}
    assert set(re.findall(r"FAILED tests/test_(\w+)", ran.printed)) == given, ran.printed
    assert ran.report == f"TOKEN done 325 {len(given)}\n"


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


DATA = {
    "solution": ["get Basket"],
    "solution.Basket": ["call", "class"],
    "solution.Basket()": ["object", "method total"],
}


@pytest.mark.parametrize(
    ("tests", "words", "status"),
    [
        (TOTAL, ["data"], 1),
        (TOTAL, ["object", "operator sub"], 1),
        (TOTAL, ["object", "operator sub", "operator abs", "operator lt"], 0),
        (TOTAL, None, 0),
        (TOTAL.replace("Basket", "basket"), None, 1),
        ("from solution import Basket\ndef test(): assert 4 in Basket().total()", ["data"], 1),
    ],
)
def test_only_objects_with_operators_in_the_reference_are_told_what_is_expected(
    tmp_path: Path, tests: str, words: list[str] | None, status: int
) -> None:
    lay(tmp_path, {"tests/test_it.py": tests}, submitted=False)
    lay(tmp_path, {"solution.py": CHAMELEON}, submitted=True)
    contract = words and {**DATA, "solution.Basket().total()": words, "solution.Basket().total()+": words}
    assert run_tests(tmp_path, "pytest", *OPTIONS, "tests", contract=contract).status == status


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


def test_the_name_of_a_test_and_its_parameters_stay_here(tmp_path: Path) -> None:
    tests = (
        "import os, pytest\nfrom solution import f, start\n"
        "@pytest.mark.parametrize('expected', ['secret'])\ndef test(expected):\n"
        "    os.environ['SET'] = 'x'\n    assert start == [] and f() == ['SET=x']\n"
    )
    solution = (
        "import os\ndef f(): return [f'{name}={text}' for name, text in os.environ.items() if 'secret' in text or "
        "name in ('SET', 'PYTEST_CURRENT_TEST')]\nstart = f()\n"
    )
    ran = judged(tmp_path, solution, tests)
    assert ran.report == "TOKEN done 1 0\n", ran.printed


@pytest.mark.parametrize("scope", ["module", "session"])
def test_a_failure_that_is_caught_in_a_fixture_fails(tmp_path: Path, scope: str) -> None:
    tests = f"""
import pytest
from solution import close
def check(): raise AssertionError
@pytest.fixture(scope="{scope}", autouse=True)
def closed():
    yield
    close(check)
def test_first(): pass
def test_second(): pass
"""
    ran = judged(tmp_path, "def close(check):\n    try: check()\n    except BaseException: pass", tests)
    assert (ran.status, ran.report) == (1, "TOKEN done 3 1\n"), ran.printed


def test_a_failure_that_is_caught_at_the_end_of_the_session_fails(tmp_path: Path) -> None:
    hook = "def check(): raise AssertionError\ndef pytest_sessionfinish():\n    from solution import close\n    close(check)"
    lay(tmp_path, {"tests/conftest.py": hook}, submitted=False)
    caught = "def close(check):\n    try: check()\n    except BaseException: pass"
    assert judged(tmp_path, caught, "import solution\ndef test(): pass").status == 1


def test_a_directory_is_lent_until_its_test_has_ended(tmp_path: Path) -> None:
    work = "def one(*given): return 1\n"
    tests = (
        "from solution import one\ndef test_first(tmp_path): assert one() == 1\ndef test_second(): assert one() == 1\n"
    )
    ran = judged(tmp_path, work, f"{tests}def test_third(tmp_path): assert one(tmp_path / 'x') == 1\n")
    assert ran.status == 0, ran.printed
    assert len(ran.lent) > len(set(ran.lent)) == 2
    assert [*dict.fromkeys(ran.lent)] == [path for path, _ in groupby(ran.lent)]


def test_a_directory_of_a_test_does_not_name_its_parameters(tmp_path: Path) -> None:
    tests = """
import pytest, re
from solution import name
@pytest.mark.parametrize("expected", ["tea", "coffee"])
def test(tmp_path, expected):
    assert re.fullmatch(r"test\\d+", name(tmp_path)) and not list(tmp_path.iterdir())
def test_others(tmp_path, tmpdir, tmp_path_factory):
    assert str(tmp_path) == str(tmpdir)
    assert name(tmp_path_factory.mktemp("own", numbered=False)) == "own"
    assert tmp_path_factory.mktemp("test") != tmp_path
"""
    ran = judged(tmp_path, "def name(path): return path.name", tests)
    assert (ran.status, ran.report) == (0, "TOKEN done 3 0\n"), ran.printed


PARAMETRIZED = """
import pytest, solution
@pytest.mark.parametrize("number", solution.numbers())
def test_twice(number): assert solution.twice(number) == 2 * number
@pytest.mark.skipif(not solution.IS_FAST, reason="slow")
def test_fast(): assert solution.twice(3) == 6
"""
FEWER, OTHERS = "TOKEN skipped ", "tests that the reference has\n"
TWICE = "def numbers(): return [1, 2, 3]\nIS_FAST = True\ndef twice(number): return 2 * number\n"


@pytest.mark.parametrize(
    ("changed", "report"),
    [
        (("[1, 2, 3]", "[7, 9, 8, 5]"), "TOKEN done 5 0\n"),
        (
            ("[1, 2, 3]", "[0]"),
            f"{FEWER}2 of the 4 {OTHERS}{FEWER}2 of the 3 tests of tests/test_it.py::test_twice {OTHERS[6:]}TOKEN done 2 0\n",
        ),
        (("True", "False"), f"{FEWER}1 of the 4 {OTHERS}TOKEN done 3 0\n"),
    ],
)
def test_as_many_tests_run_as_with_the_reference(tmp_path: Path, changed: tuple[str, str], report: str) -> None:
    words = {"#": ["ran 3 tests/test_it.py::test_twice", "ran 4 ", "ran 6 tests/test_it.py::test_twice", "ran 7 "]}
    lay(tmp_path, {"tests/test_it.py": PARAMETRIZED}, submitted=False)
    lay(tmp_path, {"solution.py": TWICE}, submitted=True)
    ran = run_tests(tmp_path, "pytest", *OPTIONS, "tests", record=True)
    assert recorded(ran)["#"] == words["#"][:2]
    lay(tmp_path, {"solution.py": TWICE.replace(*changed)}, submitted=True)
    ran = run_tests(tmp_path, "pytest", *OPTIONS, "tests", contract={**recorded(ran), **words})
    assert (ran.status, ran.report) == (0, report), ran.printed


def run_finds(directory: Path, work: str, **told: Any) -> RanApart:
    lay(directory, {f"tests/test_{each.name}.py": each.tests for each in FINDS}, submitted=False)
    goldens = ("goldens", "site", "served", "unserved", "unopened")
    lay(directory, {f"tests/{name}_expected.txt": "wanted" for name in goldens}, submitted=False)
    (directory / "tests").chmod(0o700)
    lay(directory, {f"{each.name}.py": getattr(each, work) for each in FINDS}, submitted=True)
    return run_tests(directory, "pytest", *OPTIONS, "tests", **told)


@pytest.fixture(scope="module")
def recorded_finds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[str]]]:
    directory = tmp_path_factory.mktemp("finds")
    ran = run_finds(directory, "reference", record=True)
    assert ran.status == 0, ran.printed
    return directory, recorded(ran)


@pytest.fixture(scope="module")
def contract_of_finds(recorded_finds: tuple[Path, dict[str, list[str]]]) -> dict[str, list[str]]:
    directory, contract = recorded_finds
    # The golden file has the path that it has in every run.
    return {path: [word.replace(str(directory), "DIRECTORY") for word in words] for path, words in contract.items()}


def failed(directory: Path, work: str, contract: dict[str, list[str]]) -> tuple[set[str], str]:
    held = {path: [word.replace("DIRECTORY", str(directory)) for word in words] for path, words in contract.items()}
    ran = run_finds(directory, work, contract=held)
    return set(re.findall(r"^FAILED tests/test_(\w+)", ran.printed, re.MULTILINE)), ran.printed


def test_references_pass_by_their_own_contracts(tmp_path: Path, contract_of_finds: dict[str, list[str]]) -> None:
    found, printed = failed(tmp_path, "reference", contract_of_finds)
    assert found == set(), printed


def test_other_honest_work_passes(tmp_path: Path, contract_of_finds: dict[str, list[str]]) -> None:
    found, printed = failed(tmp_path, "other", contract_of_finds)
    assert found == {each.name for each in FINDS if each.failing}, printed
    assert printed.count("FAILED tests") == len(found)


def test_forged_work_fails(tmp_path: Path, contract_of_finds: dict[str, list[str]]) -> None:
    found, printed = failed(tmp_path, "forged", contract_of_finds)
    assert found == {each.name for each in FINDS if each.forged.strip() != each.reference.strip()}, printed


@pytest.fixture(scope="module")
def exact_answers(recorded_finds: tuple[Path, dict[str, list[str]]]) -> dict[str, list[str]]:
    contract = recorded(run_finds(recorded_finds[0], "reference", record=True, exact=True))
    return {path: contract[path] for path in ("#answers", "#did", "#open")}


@pytest.mark.parametrize("work", ["reference", "forged"])
def test_exact_answers_alone_fail_forged_work(
    recorded_finds: tuple[Path, dict[str, list[str]]], exact_answers: dict[str, list[str]], work: str
) -> None:
    # With `record`, tests may request anything.
    ran = run_finds(recorded_finds[0], work, contract=exact_answers, record=True, exact=True)
    found = set(re.findall(r"^(?:FAILED|ERROR) tests/test_(\w+)", ran.printed, re.MULTILINE))
    forged = {each.name for each in FINDS if getattr(each, work).strip() != each.reference.strip()}
    # Files of some tests, and objects of others, cannot be compared.
    unknown = set(re.findall(r"cannot compare the answers of tests/test_(\w+)", ran.printed))
    assert found >= forged | unknown, ran.printed
    assert forged or (found == unknown and 0 < len(unknown) < len(FINDS) / 4), ran.printed
