"""pytest and unittest, adapted, in the image: honest tests find nothing changed, and what bends them is seen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pytest
from adapter_bench import Ran, Yard, open_yard

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference

HONEST = """
import dataclasses, enum, logging, os, subprocess, sys, threading, unittest, unittest.mock, warnings
import pytest
from work import Point, shout, wildcards

class Array:
    def __init__(self, *values): self.values = values
    def __eq__(self, other): return Array(*(a == b for a, b in zip(self.values, other.values)))
    def __bool__(self): raise ValueError("ambiguous")
    def all(self): return all(self.values)

@pytest.fixture(autouse=True)
def around():
    print("before")
    yield
    print("after")

@pytest.mark.parametrize("n", [1, 2])
def test_parameter(n, tmp_path): assert [n] == [n] and tmp_path.exists()

def test_surroundings():
    main = sys.modules["__main__"]
    print(sys.argv, sys.path, main.__file__, main.__spec__ and main.__spec__.name, main.__package__, sys.orig_argv)
    print(sorted(set(os.environ) - {"PWD"}), os.environ.get("PYTHONPATH"), sys.flags, os.getcwd(), os.listdir("."))
    print(sorted(number for number in range(3, 400) if os.path.exists(f"/proc/self/fd/{number}")))

@pytest.mark.xfail
def test_xfail(): assert 1 == 2

@pytest.mark.skip
def test_skip(): pass

def test_skip_of_its_own(): pytest.skip("not here")

def test_import_or_skip(): pytest.importorskip("nosuch")

def test_any(): assert {"a": unittest.mock.ANY, "b": [1]} == {"a": object(), "b": [1]}

def test_array(): assert (Array(1, 2) == Array(1, 2)).all()

def test_approx(): assert {"a": 0.1 + 0.2} == pytest.approx({"a": 0.3})

def test_equality_of_the_candidate():
    assert Point(1, 2) == Point(1, 2)
    assert Point(1, 2) != Point(2, 1)
    assert [shout("a")] == ["A"]

def test_enum():
    Colour = enum.Enum("Colour", "RED")
    assert Colour.RED == Colour["RED"]

def test_children(tmp_path):
    line = "import sys; sys.exit(sys.stdin.read() != 'x')"
    assert subprocess.run([sys.executable, "-c", line], input="x", text=True).returncode == 0
    (tmp_path / "test_inner.py").write_text("def test():\\n    assert 1 == 1")
    inner = subprocess.run([sys.executable, "-m", "pytest", "-q", "test_inner.py"], cwd=tmp_path, stdout=-3)
    assert inner.returncode == 0

def test_fork():
    child = os.fork()
    if child == 0:
        os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3

def test_thread():
    thread = threading.Thread(target=print)
    thread.start()
    thread.join()

def test_patched(monkeypatch, caplog, recwarn):
    monkeypatch.setattr("builtins.sum", lambda things: 3)
    logging.warning("seen")
    warnings.warn("seen")
    assert caplog.messages == ["seen"]

class TestCase(unittest.TestCase):
    def test_unit(self):
        self.assertEqual([1], [1])
        with self.subTest():
            self.assertIn(1, [1])

    def test_mock(self):
        mock = unittest.mock.Mock()
        mock(1, b=2)
        mock.assert_called_once_with(unittest.mock.ANY, b=2)
        self.assertEqual(mock.call_args, unittest.mock.call(1, b=2))
"""
# What could be taken for tests that were exchanged, and is none: wrapped, bound twice, patched for a while.
DEFINED = """
import dataclasses, functools, sys, unittest, unittest.mock
import pytest
import work

def twice(function):
    def run(*arguments):
        function(*arguments)
        return function(*arguments)
    return run

def wrapped(function):
    @functools.wraps(function)
    def run(*arguments): return function(*arguments)
    return run

def helper(): return 1
def constant(): return 1
def other(): return 2

@twice
def test_twice(): assert helper() == 1

@wrapped
@pytest.mark.filterwarnings("error")
def test_wrapped(): assert helper() == 1

@work.decorated
def test_decorated_by_the_candidate(): assert helper() == 1

@unittest.mock.patch("work.wildcards", [1])
def test_patched(): assert work.wildcards == [1]

def test_bound_twice(): assert False
def test_bound_twice(): assert helper() == 1

def test_replaced_by_the_file(): assert False
test_replaced_by_the_file = functools.partial(test_wrapped).func

@pytest.fixture
def patched():
    with unittest.mock.patch("test_defined.helper", lambda: 4), unittest.mock.patch("test_defined.other", work.three):
        yield

def test_fixture(patched): assert (helper(), other()) == (4, 3)

@pytest.fixture(scope="module", autouse=True)
def patched_for_all():
    with unittest.mock.patch("test_defined.constant"):
        yield

class TestMethods:
    value = staticmethod(helper)
    def setup_method(self): self.made = [1]
    def test_method(self): assert self.made == [1] and self.value() == 1
    @classmethod
    def test_class(cls): assert cls.value() == 1
    def __private(self): return 1
    def test_private(self): assert self.__private() == 1

class TestInherited(TestMethods):
    def test_method(self): assert super().value() == 1

def added(cls):
    cls.test_added = lambda self: self.assertEqual(1, 1)
    return cls

@added
class TestAdded(unittest.TestCase):
    def setUp(self): self.addCleanup(print)

def test_traced():
    lines = []
    sys.settrace(lambda *event: lines.append(event))
    helper()
    sys.settrace(None)
    assert lines

async def coroutine(): return 1

@dataclasses.dataclass
class Pair:
    one: int
    def total(self): return self.one

def test_pair(): assert Pair(1) == Pair(1) and Pair(1).total() == 1
"""
# The same in ways that no statement shows.
MADE = """
import sys, types
import work

def helper(): return 1
def constant(): return 1
def other(): return 2

exec("def test_of_text(): assert helper() == 1")
test_lambda = lambda: helper()
for number in range(2):
    globals()[f"test_made_{number}"] = types.FunctionType(other.__code__, globals(), f"test_made_{number}")

def test_helper_is_patched(monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "helper", work.three)
    assert helper() == 3

def test_code_is_patched(monkeypatch):
    monkeypatch.setattr(constant, "__code__", other.__code__)
    assert constant() == 2

"""
# Tests that are not run, each for a reason of its file's or of pytest's own.
LEFT_OUT = {
    "tests/conftest.py": "import pytest\n@pytest.fixture\ndef network(): pytest.skip('there is none')\n",
    "tests/test_needs.py": "import pytest\npytest.importorskip('nosuch')\ndef test_it(): assert False\n",
    "tests/test_network.py": "def test_it(network): assert False\n",
    "tests/build/test_built.py": "def test_it(): assert False\n",
    "tests/test_more.py": """
from __future__ import annotations
import unittest
import pytest

def test_it(): pass
def test_documented():
    'Nothing else.'
def test_early():
    if test_it: return
    assert False
async def coroutine(): return 1
@pytest.mark.parametrize("n", [])
def test_empty(n): assert False
@pytest.mark.xfail(run=False)
def test_not_run(): assert False
def test_expected(): pytest.xfail("wrong")
class TestMade:
    def __init__(self): pass
    def test_it(self): assert False
class Helper:
    def test_it(self): assert False
class TestOuter:
    class TestInner:
        def test_it(self): pass
class Later(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("not here")
    def test_it(self): self.fail()
""",
}
CHOSEN = {
    "tests/conftest.py": "collect_ignore = ['test_old.py']\ndef pytest_collection_modifyitems(items): del items[1:]\n",
    "tests/test_a.py": "def test_a(): pass\ndef test_b(): assert False\n",
    "tests/test_old.py": "def test_c(): assert False\n",
}
CHOSEN_CASES = {
    "tests/test_chosen.py": """
import unittest

class A(unittest.TestCase):
    def test_a(self): pass
class B(unittest.TestCase):
    def test_b(self): self.fail()
def load_tests(loader, tests, pattern): return unittest.TestSuite([A("test_a")])
""",
    "tests/test_skipped.py": """
import unittest

class Later(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("not here")
    def test_it(self): self.fail()
@unittest.skip("not now")
class Never(unittest.TestCase):
    def test_it(self): self.fail()
class Now(unittest.IsolatedAsyncioTestCase):
    async def test_it(self): self.assertEqual(1, 1)
    def test_skips(self): self.skipTest("not now")
    class Inner(unittest.TestCase):
        def test_it(self): self.fail()
""",
    "tests/test_nowhere.py": "import unittest\nraise unittest.SkipTest('not here')\n",
    "tests/data/test_data.py": "raise ValueError\n",
}
UNIT = """
import sys, unittest, unittest.mock
from work import Point, shout

class TestWork(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(Point(1, 2), Point(1, 2))
        self.assertEqual({"a": unittest.mock.ANY}, {"a": 1})
    def test_parts(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertLess(n, 3)
    @unittest.skip("not now")
    def test_skipped(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    def test_skips(self): raise unittest.SkipTest("not here")
    def test_surroundings(self):
        main = sys.modules["__main__"]
        print(sys.argv, sys.path, main.__file__, main.__spec__.name, main.__package__, sys.orig_argv)
"""
WORK = """
import dataclasses

@dataclasses.dataclass
class Point:
    x: int
    y: int

class shout(str):
    def __eq__(self, other): return self.upper() == other.upper()
    __hash__ = str.__hash__

wildcards = []

def decorated(function): return lambda: function()
def three(): return 3
"""


@dataclass(frozen=True)
class Honest:
    """A command, and what its adapter must say.

    Attributes:
        done: How many tests ran, and how many failed; None if the runner has no end of its own.
        status: Its exit status.
    """

    command: tuple[str, ...]
    done: tuple[int, int] | None
    status: int = 0
    judge: Mapping[str, str] = field(default_factory=lambda: {"tests/test_work.py": HONEST})
    env: Mapping[str, str] = field(default_factory=dict)


PATH = {"PYTHONPATH": "src"}
FAILING = {"tests/test_work.py": "import work\ndef test_a(): assert work.Point(1, 2) == 3\ndef test_b(): pass\n"}
EMPTY = {"tests/test_work.py": "import nosuchmodule\n"}
CASES = {"tests/test_unit.py": UNIT}
DEFINING = {"tests/test_defined.py": DEFINED, "tests/test_made.py": MADE}
HONEST_RUNS = {
    "module": Honest(("python3", "-m", "pytest", "-rA", "-v", "tests"), (15, 0), env=PATH),
    "script": Honest(("pytest", "-rA", "--color=yes", "tests"), (15, 0), env=PATH),
    "isolated": Honest(("python3", "-I", "-B", "-m", "pytest", "-o", "pythonpath=src", "-rA", "tests"), (15, 0)),
    "line": Honest(
        ("sh", "-c", 'cd tests && PYTHONPATH="../src" timeout 50 pytest -sp no:cacheprovider *.py 2>&1'), (15, 0)
    ),
    "defined": Honest(("python3", "-m", "pytest", "-rA", "tests"), (22, 0), 0, DEFINING, PATH),
    "defined-plain": Honest(("python3", "-m", "pytest", "--assert=plain", "tests"), (22, 0), 0, DEFINING, PATH),
    "left-out": Honest(("python3", "-m", "pytest", "-rA", "tests"), (6, 0), 0, LEFT_OUT),
    "chosen": Honest(("python3", "-m", "pytest"), (1, 0), 0, CHOSEN),
    "one-of-them": Honest(("pytest", "tests/test_a.py::test_a"), (1, 0), 0, CHOSEN),
    "failing": Honest(("python3", "-m", "pytest", "-x", "tests"), (1, 1), 1, FAILING, PATH),
    "broken": Honest(("python3", "-m", "pytest", "tests"), (1, 1), 2, EMPTY, PATH),
    "nothing": Honest(("pytest", "-k", "nosuch", "tests"), (0, 0), 5, FAILING, PATH),
    "usage": Honest(("pytest", "--nosuch"), (0, 0), 4),
    "unittest": Honest(("python3", "-m", "unittest", "discover", "-v", "-s", "tests"), (4, 0), 0, CASES, PATH),
    "unittest-chosen": Honest(("python3", "-m", "unittest", "discover", "tests"), (2, 0), 0, CHOSEN_CASES, PATH),
    "unittest-one": Honest(
        ("python3", "-m", "unittest", "-k", "test_a", "tests/test_chosen.py"), (1, 0), 0, CHOSEN_CASES
    ),
    "unittest-failing": Honest(
        ("python3", "-m", "unittest", "tests.test_unit.TestWork", "tests.nosuch"), (5, 1), 1, CASES, PATH
    ),
}


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    engine = DockerEngine()
    yield from open_yard(engine, reference("python"))
    engine.close()


@pytest.mark.parametrize("name", HONEST_RUNS)
def test_honest_tests_find_nothing_changed(yard: Yard, name: str) -> None:
    honest = HONEST_RUNS[name]
    work = {"src/work.py": WORK, "solution.py": "pass\n"}
    adapted, plain = (
        yard.run(*honest.command, work=work, judge=honest.judge, env=honest.env, adapter=adapter)
        for adapter in ("auto", "none")
    )
    assert adapted.step.token
    assert (adapted.outcome.exit_code, adapted.report.done) == (honest.status, honest.done), adapted.printed
    assert _steady(adapted) == _steady(plain)
    assert adapted.judged.tampering == ()
    assert adapted.judged.reason == ""


def _steady(ran: Ran) -> str:
    """Return what was printed without what no two runs share."""
    return re.sub(r"\d+\.\d+s|0x[0-9a-f]+|cache-files-\w+", "", ran.printed)
