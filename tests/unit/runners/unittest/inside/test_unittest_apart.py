"""unittest in one process and the submission in another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from apart_bench import RanApart, lay, recorded, run_tests

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="Files of a submission belong to another user.")
TESTS = """
import io
import unittest
from unittest.mock import patch
from solution import Account, Broke

class AccountTest(unittest.TestCase):
    def setUp(self):
        self.account = Account(10)

    def test_withdraw(self):
        self.account.withdraw(4)
        self.assertEqual(self.account.balance, 6)
        self.assertIsInstance(self.account, Account)

    def test_broke(self):
        with self.assertRaisesRegex(Broke, "only 10"):
            self.account.withdraw(20)

    def test_printed(self):
        with patch("sys.stdout", new_callable=io.StringIO) as out:
            self.account.show()
        self.assertEqual(out.getvalue(), "10\\n")

    @patch("solution.fee", return_value=1)
    def test_fee(self, fee):
        for amount in (1, 2):
            with self.subTest(amount=amount):
                self.assertEqual(Account(amount).after_fee(), amount - 1)
        self.assertEqual(fee.call_count, 2)

if __name__ == "__main__":
    unittest.main()
"""
SOLUTION = """
class Broke(Exception): pass
def fee(): return 5
class Account:
    def __init__(self, balance): self.balance = balance
    def withdraw(self, n):
        if n > self.balance: raise Broke(f"only {self.balance}")
        self.balance -= n
    def show(self): print(self.balance)
    def after_fee(self): return self.balance - fee()
"""


def judged(directory: Path, solution: str, *words: str, tests: str = TESTS) -> RanApart:
    lay(directory, {"tests/test_it.py": tests, "tests/__init__.py": ""}, submitted=False)
    lay(directory, {"solution.py": solution, "tests/test_evil.py": "import os\nos._exit(0)"}, submitted=True)
    return run_tests(directory, "unittest", *words)


@pytest.mark.parametrize(
    "words", [("tests.test_it",), ("discover", "-s", "tests", "-t", "."), ("-v", "tests/test_it.py")]
)
def test_an_ordinary_test_case_passes(tmp_path: Path, words: tuple[str, ...]) -> None:
    ran = judged(tmp_path, SOLUTION, *words)
    assert (ran.status, ran.report) == (0, "TOKEN done 4 0\n"), ran.printed


PACKAGES = {
    "tests/unit/__init__.py": "",
    "tests/unit/test_mine.py": "import unittest\nclass T(unittest.TestCase):\n    def test(self): pass\n",
    "tests/other/__init__.py": "def load_tests(loader, tests, pattern): raise SystemExit(0)\n",
    "tests/part/__init__.py": "raise SystemExit(0)\n",
}
FAILING = "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.fail()\n"


@pytest.mark.parametrize("case", [{}, {"tests/part/test_more.py": FAILING}], ids=["apart", "in one directory"])
def test_packages_of_the_submission_are_no_tests_and_hide_none(tmp_path: Path, case: dict[str, str]) -> None:
    lay(tmp_path, case, submitted=False)
    lay(tmp_path, PACKAGES, submitted=True)
    ran = judged(tmp_path, SOLUTION, "discover", "-s", "tests", "-t", ".")
    # A file of the case in a package of the submission's is not left out: it cannot be loaded.
    end = (1, "TOKEN done 5 1") if case else (0, "TOKEN done 4 0")
    assert (ran.status, ran.report.splitlines()[-1]) == end, ran.printed


@pytest.mark.parametrize(
    "solution",
    [
        SOLUTION.replace("-= n", "-= 1"),
        SOLUTION + "import os\nos._exit(0)",
        SOLUTION + "import unittest\nraise unittest.SkipTest",
        SOLUTION.replace("print(self.balance)", "__import__('unittest').TestCase().skipTest('x')"),
        SOLUTION.replace("print(self.balance)", "raise SystemExit"),
        SOLUTION
        + "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\nAccount.withdraw = lambda *a: None",
        SOLUTION.replace("self.balance = balance", "self.balance = type('E', (), {'__eq__': lambda *a: True})()"),
    ],
)
def test_a_forgery_fails(tmp_path: Path, solution: str) -> None:
    ran = judged(tmp_path, solution, "tests.test_it")
    assert ran.status != 0
    assert "done 4 0" not in ran.report


def test_a_failure_shows_values_and_where_in_the_submission_an_error_was(tmp_path: Path) -> None:
    ran = judged(tmp_path, SOLUTION.replace("-= n", "-= n / 0"), "tests.test_it")
    assert "In the submission:" in ran.printed
    assert 'solution.py", line 8, in withdraw' in ran.printed
    assert ran.report == "TOKEN done 4 1\n"


FIXTURES = """
import unittest
from solution import close
def check(): raise AssertionError
class First(unittest.TestCase):
    {0}
    def test_first(self): pass
class Second(unittest.TestCase):
    def test_second(self): pass
    {1}
{2}
"""
FIXTURE = "@classmethod\n    def {}(cls): close(check)"


@pytest.mark.parametrize(
    "place",
    [
        (FIXTURE.format("setUpClass"), "", ""),
        (FIXTURE.format("tearDownClass"), "", ""),
        ("", FIXTURE.format("tearDownClass"), ""),
        ("", "", "def setUpModule(): close(check)"),
        ("", "", "def tearDownModule(): close(check)"),
        ("", "", "close(check)"),
    ],
    ids=str,
)
def test_a_failure_that_is_caught_in_a_fixture_fails(tmp_path: Path, place: tuple[str, str, str]) -> None:
    caught = "def close(check):\n    try: check()\n    except BaseException: pass\n"
    ran = judged(tmp_path, caught, "tests.test_it", tests=FIXTURES.format(*place))
    assert (ran.status, ran.report) == (1, "TOKEN done 2 1\n"), ran.printed
    assert "AssertionError" in ran.printed


SUBTESTS = """
import unittest, solution
class Twice(unittest.TestCase):
    def test(self):
        for number in solution.numbers():
            with self.subTest(number): self.assertEqual(solution.twice(number), 2 * number)
"""


def test_as_many_parts_of_a_test_run_as_with_the_reference(tmp_path: Path) -> None:
    lay(tmp_path, {"test_it.py": SUBTESTS}, submitted=False)
    lay(tmp_path, {"solution.py": "def numbers(): return [1, 2]\ndef twice(n): return 2 * n"}, submitted=True)
    contract = recorded(run_tests(tmp_path, "unittest", "test_it", record=True))
    assert contract["#"] == ["ran 1 ", "ran 2 test_it.Twice.test"]
    for numbers, lines in (("[5, 6, 7]", ""), ("()", "TOKEN skipped 2 of the 2 tests of test_it.Twice.test that ")):
        lay(tmp_path, {"solution.py": f"def numbers(): return {numbers}\ndef twice(n): return 2 * n"}, submitted=True)
        ran = run_tests(tmp_path, "unittest", "test_it", contract=contract)
        assert ran.report == (f"{lines}the reference has\n" if lines else "") + "TOKEN done 1 0\n", ran.printed
