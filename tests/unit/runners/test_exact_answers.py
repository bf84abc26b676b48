"""With `contract: exact`, nothing but the reference's answers passes a test, however its runner runs the test."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from apart_bench import RanApart, lay, recorded, run_tests
from sampled import one_of

from gradebox.graders.languages.boundary_report import with_reworded
from gradebox.graders.model.crossing import Contract

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="Files of a submission belong to another user.")


class Way(NamedTuple):
    """Tests, a reference, and a submission that passes the tests without its answers."""

    tests: dict[str, str]
    reference: str
    forged: str
    runner: str = "pytest"
    # How many tests a submission passes that does nothing else.
    others: int = 0


ROWS = "def rows(text): return text.split(';')\n"
ONES = "def rows(text): return [1] * (text.count(';') + 1)\n"
UP = "def up(text): return text.upper()\n"
DESCRIBED = """
import collections
def total(rows, start=0):
    "It has the total."
    return start + sum(rows)
class Cart:
    "It has a total."
class Row(collections.namedtuple("Row", "count")):
    "It has a row."
class Wrong(ValueError):
    "It has a text."
"""
WAYS = {
    "a test that is tried again": Way(
        {
            "conftest.py": """
from _pytest.runner import runtestprotocol
def pytest_runtest_protocol(item, nextitem):
    for _ in range(3):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if not any(each.failed for each in reports):
            break
    for each in reports:
        item.ihook.pytest_runtest_logreport(report=each)
    return True
""",
            "test_a.py": "import solution\ndef test_rows(): assert len(solution.rows('a;b')) == 2\n",
        },
        ROWS,
        f"seen = []\n{ONES}def plain(text, rows=rows): return rows(text)\n"
        "def rows(text):\n    seen.append(text)\n    if len(seen) == 1: raise RuntimeError\n    return plain(text)\n",
    ),
    "a fixture that is made for each class": Way(
        {
            "test_a.py": """
import pytest, solution
@pytest.fixture(scope="class")
def rows(request): return solution.rows(request.cls.TEXT)
class TestTwo:
    TEXT = "a;b"
    def test_rows(self, rows): assert len(rows) == 2
class TestThree:
    TEXT = "a;b;c"
    def test_rows(self, rows): assert len(rows) == 3
"""
        },
        ROWS,
        ONES,
    ),
    "parameters of a fixture": Way(
        {
            "test_a.py": """
import pytest, solution
@pytest.fixture(scope="module")
def rows(request): return solution.rows(request.param)
@pytest.mark.parametrize("rows", ["a;b"], indirect=True)
def test_two(rows): assert len(rows) == 2
@pytest.mark.parametrize("rows", ["a;b;c"], indirect=True)
def test_three(rows): assert len(rows) == 3
"""
        },
        ROWS,
        ONES,
    ),
    "tests of one name": Way(
        {
            "test_a.py": """
import unittest, solution
class Rows(unittest.TestCase):
    def __init__(self, text): super().__init__(); self.text = text
    def runTest(self): self.assertEqual(len(solution.rows(self.text)), self.text.count(";") + 1)
def load_tests(loader, tests, pattern): return unittest.TestSuite([Rows("a;b"), Rows("a;b;c")])
"""
        },
        ROWS,
        ONES,
        "unittest",
    ),
    "a fixture that a cached one asks for": Way(
        {
            "test_a.py": """
import pytest, solution
@pytest.fixture(scope="session")
def rows(): return solution.rows("a;b")
@pytest.fixture(scope="module")
def count(request): return len(request.getfixturevalue("rows"))
def test_first(count): assert count == 2
def test_second(count): assert (count, solution.rows("c")) == (2, ["c"])
"""
        },
        ROWS,
        "def rows(text): return [text] * (text.count(';') + 1)\n",
    ),
    "a test that may fail": Way(
        {
            "test_a.py": """
import pytest, solution
def test_plain(): assert solution.up("a") == "A"
@pytest.mark.xfail(reason="not everywhere")
def test_two(): assert solution.up("bc") == "BC"
"""
        },
        UP,
        "def up(text): return 'A'\n",
        others=1,
    ),
    "files that tests read": Way(
        {
            "test_a.py": """
import os, solution
def test_content(tmp_path): solution.save(tmp_path / "x"); assert "a" in (tmp_path / "x").read_text()
def test_listed(tmp_path): solution.save(tmp_path / "x"); assert any(each.name for each in tmp_path.iterdir())
def test_entry(tmp_path): solution.size(tmp_path / "x"); assert next(os.scandir(tmp_path)).stat().st_size
def test_moved(tmp_path, tmp_path_factory):
    solution.save(tmp_path / "x"); own = tmp_path_factory.mktemp("own") / "y"
    os.rename(tmp_path / "x", own); assert "a" in own.read_text()
def test_size(tmp_path): solution.save(tmp_path / "x"); assert os.path.getsize(tmp_path / "x")
def test_link(tmp_path): solution.link(tmp_path / "x"); assert os.readlink(tmp_path / "x")
def test_held(tmp_path):
    with (tmp_path / "x").open("w+") as file: solution.save(tmp_path / "x"); assert "a" in file.read()
def test_names(tmp_path): solution.size(tmp_path / "x"); assert os.stat(tmp_path / "x").st_nlink
def test_own(tmp_path): (tmp_path / "x").write_text("a"); assert solution.count(tmp_path / "x") == 1
"""
        },
        "import os\ndef save(path): path.write_text('ab')\ndef link(path): os.symlink('a', path)\n"
        "def count(path): return len(path.read_text())\ndef size(path): path.write_text('a')\n",
        "import os\ndef link(path): os.symlink('b', path)\ndef count(path): return 1\n"
        "def size(path): path.write_text('a'); os.link(path, path.with_name('y'))\n"
        "def save(path): path.write_text('any a'); path.with_name('y').touch()\n",
        others=1,
    ),
    "a test that must fail": Way(
        {
            "test_a.py": """
import unittest, solution
class Up(unittest.TestCase):
    @unittest.expectedFailure
    def test_sharp(self): self.assertEqual(solution.up("\\u00df"), "\\u1e9e")
    def test_plain(self): self.assertEqual(solution.up("a"), "A")
"""
        },
        UP,
        "def up(text): return 'A'\n",
        "unittest",
        others=1,
    ),
    "causes and notes": Way(
        {
            "test_a.py": """
import pytest
from solution import fail
def error():
    with pytest.raises(ValueError) as caught: fail()
    return caught.value
def test_cause(): assert all(type(line) is int for line in error().__cause__.args[0])
def test_context(): assert error().__context__.args[0] > 0
def test_notes(): assert error().__notes__[0].isascii()
def test_plain(): assert type(error()) is ValueError
"""
        },
        """
def fail():
    made = ValueError("wrong")
    made.__cause__, made.__context__ = KeyError([1, 2]), IndexError(3)
    made.add_note("see")
    raise made
""",
        """
def fail():
    made = ValueError("other")
    made.__cause__, made.__context__ = KeyError([8]), IndexError(4)
    made.add_note("any")
    raise made
""",
        others=1,
    ),
    "how texts compare with each other, and how many notes there are": Way(
        {
            "test_a.py": """
import pytest
from solution import fail
def error(row):
    with pytest.raises(ValueError) as caught: fail(row)
    return caught.value
def test_unlike(): assert len({str(error(row)) for row in range(4)}) == 4
def test_alike(): assert str(error(5)) == str(error(5))
def test_sorted(): found = [str(error(row)) for row in range(3)]; assert found == sorted(found)
def test_sorted_down(): found = [str(error(-row)) for row in range(3)]; assert found == sorted(found)[::-1]
def test_below(): assert str(error(6)) <= str(error(7))
def test_count(): assert len(error(8).__notes__) < 9
def test_whether(): assert hasattr(error(9), "__notes__")
def test_any(): assert any(error(9).__notes__)
def test_plain(): assert type(error(1)) is ValueError
"""
        },
        "def fail(row):\n    made = ValueError(f'row {row + 2}')\n    made.add_note('see')\n    raise made\n",
        "def fail(row):\n    made = ValueError(f'{row + 2}')\n    made.add_note('saw')\n    raise made\n",
        others=1,
    ),
    "docstrings and signatures": Way(
        {
            "test_a.py": """
import inspect
from solution import Cart, Row, Wrong, total
def test_function(): assert len(total.__doc__) > 5
def test_alike(): assert total.__doc__ != Cart.__doc__
def test_class(): assert "total" in Cart.__doc__
def test_object(): assert "total" in Cart().__doc__
def test_tuple(): assert "row" in inspect.getdoc(Row)
def test_error(): assert Wrong.__doc__.isascii()
def test_names(): assert all(len(name) < 9 for name in inspect.signature(total).parameters)
def test_plain(): assert total([1, 2]) == 3
"""
        },
        DESCRIBED,
        DESCRIBED.replace("rows,", "a,").replace("(rows)", "(a)").replace("It has", "It has, or not,"),
        others=1,
    ),
}


def graded(directory: Path, way: Way, work: str, **told: Any) -> RanApart:
    lay(directory, {f"grading/{name}": text for name, text in way.tests.items()}, submitted=False)
    lay(directory, {"solution.py": work}, submitted=True)
    words = (
        ("-q", "-p", "no:cacheprovider", f"--rootdir={directory}", f"--confcutdir={directory}", "grading")
        if way.runner == "pytest"
        else ("grading/test_a.py",)
    )
    return run_tests(directory, way.runner, *words, **{"exact": True, **told})


def counts(ran: RanApart) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ran.answers.partition("answers ")[2] or "{}")
    return {name: found.get(name) for name in ("same", "other", "unknown")}


@pytest.mark.parametrize("name", one_of(2, WAYS))
def test_a_submission_passes_by_the_answers_of_the_reference_alone(tmp_path: Path, name: str) -> None:
    way = WAYS[name]
    contract = contract_of(tmp_path, way)
    right = graded(tmp_path, way, f"\n\nimport re\n{way.reference}", contract=contract, exact=True)
    assert right.status == 0, right.printed
    assert counts(right)["other"] == counts(right)["unknown"] == 0
    # With `record`, tests may request anything.
    told = {"#answers": contract["#answers"]}
    forged = graded(tmp_path, way, way.forged, contract=told, record=True, exact=True)
    assert forged.status != 0, forged.printed
    assert counts(forged) == {"same": way.others, "other": 0, "unknown": 0}
    # pytest says once that a test has failed.
    assert "ERROR at teardown" not in forged.printed


LISTING = """
import glob, os, pathlib, solution
def test_listed(): solution.save("a"); assert "a.txt" in os.listdir()
def test_globbed(): solution.save("b"); assert "b.txt" in glob.glob("*.txt")
def test_found(): solution.save("c"); assert any(each.name == "c.txt" for each in pathlib.Path(".").iterdir())
def test_walked(): solution.save("d"); assert "d.txt" in next(os.walk("."))[2]
def test_plain(): assert solution.save("f") is None
"""


def test_files_that_a_test_lists_are_not_compared(tmp_path: Path) -> None:
    way = Way({"test_a.py": LISTING}, "def save(name): open(f'{name}.txt', 'w').close()\n", "")
    contract = recorded(graded(tmp_path, way, way.reference, record=True))
    ran = graded(tmp_path, way, way.reference, contract=contract, exact=True)
    assert (
        ran.printed.count("FAILED")
        == ran.report.count("it also observes programs, connections, databases, the list of the workspace or the like")
        == 4
    )
    assert counts(ran) == {"same": 1, "other": 0, "unknown": 0}


ASYNC = """
import asyncio, pytest, solution
def test_run(): assert asyncio.run(solution.three()) == 3
def test_gathered():
    async def one(): return 1
    assert asyncio.run(solution.all_of([one(), one()])) == [1, 1]
def test_error():
    with pytest.raises(ValueError): solution.fail()
def test_text():
    with pytest.raises(ValueError, match="line 3"): solution.fail()
"""
ASYNC_WORK = """
import asyncio
async def three(): return 3
async def all_of(some): return await asyncio.gather(*some)
def fail(): raise ValueError("in line 3")
"""


def _as_sets(contract: dict[str, list[str]]) -> Contract:
    return {path: frozenset(words) for path, words in contract.items()}


def contract_of(directory: Path, way: Way) -> dict[str, list[str]]:
    """Return the contract of a reference, which is judged with other texts of exceptions, too."""
    contract, *others = (recorded(graded(directory, way, way.reference, record=True, reword=how)) for how in range(3))
    reworded = with_reworded(_as_sets(contract), map(_as_sets, others))
    return {path: sorted(words) for path, words in reworded.items()}


CONSTANTS = """
import solution
from solution import Color, stop
def test_first(): assert solution.Light().color is Color.RED
def test_turned(): assert solution.Light().turned() is Color.GREEN
def test_function(): assert solution.route("/stop") is stop
def test_plain(): assert solution.up("a") == "A"
"""
CONSTANTS_WORK = """
import enum
class Color(enum.Enum): RED, GREEN = 1, 2
class Light:
    color = Color.RED
    def turned(self): return Color.GREEN
def go(): pass
def stop(): pass
def route(path): return {"/go": go, "/stop": stop}[path]
def up(text): return text.upper()
"""
LATE_CONSTANTS = """
import enum, types
last = None
class Late(enum.EnumMeta):
    def __getattribute__(cls, name):
        return last if name.isupper() and last is not None else super().__getattribute__(name)
class Color(enum.Enum, metaclass=Late): RED, GREEN = 1, 2
def fresh():
    global last
    last = object.__new__(Color)
    last._value_ = last._name_ = 0
    return last
class Light:
    color = property(lambda self: fresh())
    def turned(self): return fresh()
def route(path):
    global routed
    routed = types.FunctionType((lambda: None).__code__, {})
    return routed
def __getattr__(name):
    if name == "stop": return globals().get("routed", print)
    raise AttributeError(name)
def up(text): return text.upper()
"""


def test_constants_are_what_they_were_when_they_were_imported(tmp_path: Path) -> None:
    way = Way({"test_a.py": CONSTANTS}, CONSTANTS_WORK, "")
    contract = contract_of(tmp_path, way)
    honest = CONSTANTS_WORK.replace("return Color.GREEN", "return [*Color][1]").replace(
        "def go", "def other(): pass\ndef go"
    )
    for work, same in ((honest, 4), (LATE_CONSTANTS, 1)):
        ran = graded(tmp_path, way, work, contract=contract)
        assert (counts(ran), ran.printed.count("\nFAILED")) == ({"same": same, "other": 0, "unknown": 0}, 4 - same), (
            ran.printed
        )


NESTED = """
import pytest, solution
from solution import Door
def test_nested(): assert solution.state() is Door.State.OPEN
def test_end():
    with pytest.raises(BaseException): solution.leave()
def test_again(): assert solution.color() is solution.Color.RED
"""
NESTED_WORK = """
import enum, os
class Door:
    class State(enum.Enum): OPEN = 1
class Color(enum.Enum): RED = 1
def state(): return Door.State.OPEN
def color(): return Color.RED
def leave(): os._exit(3)
"""
LATE_NESTED = """
import os
class Late(type):
    def __getattr__(cls, name):
        if not name.isupper(): raise AttributeError(name)
        setattr(cls, name, last)
        return last
class Color(metaclass=Late):
    def __bool__(self): return True
class Door:
    class State(metaclass=Late):
        def __bool__(self): return True
last = None
def state():
    global last
    last = Door.State()
    return last
def color():
    global last
    last = Color()
    return last
def leave(): os._exit(3)
"""


def test_constants_of_inner_classes_and_of_a_new_process_are_not_decided_later(tmp_path: Path) -> None:
    way = Way({"test_a.py": NESTED}, NESTED_WORK, "")
    contract = contract_of(tmp_path, way)
    for work, same in ((NESTED_WORK, 3), (LATE_NESTED, 1)):
        ran = graded(tmp_path, way, work, contract=contract)
        assert counts(ran) == {"same": same, "other": 0, "unknown": 0}, ran.printed


NAMED = """
import solution, unittest
class Rules(unittest.TestCase):
    def test_right(self): self.assertTrue(solution.check(lambda: 3))
    def test_wrong(self): self.assertFalse(solution.check(lambda: 5))
"""
PATHS = """
import solution
def test_right(tmp_path): assert solution.check(lambda: 3, tmp_path)
def test_wrong(tmp_path):
    class Wrong:
        def value(self): return 5
    assert not solution.check(lambda: 5, tmp_path, Wrong, Wrong().value)
"""


@pytest.mark.parametrize(("runner", "tests"), [("unittest", NAMED), ("pytest", PATHS)])
def test_the_names_of_tests_do_not_reach_the_submission(tmp_path: Path, runner: str, tests: str) -> None:
    told = """
def check(use, *others):
    use()
    return "wrong" not in str([getattr(each, "__qualname__", each) for each in (use, *others)])
"""
    way = Way({"test_a.py": tests}, "def check(use, *others): return use() < 4\n", told, runner)
    contract = contract_of(tmp_path, way)
    assert graded(tmp_path, way, way.reference, contract=contract).status == 0
    assert graded(tmp_path, way, way.forged, contract=contract).status != 0


CIRCLES = """
import pytest, solution
from solution import Inner, Outer
def test_circle(): assert Outer.inner is Inner and Inner.outer is Outer and Outer.inner.outer.inner is Inner
def test_end():
    with pytest.raises(BaseException): solution.leave()
def test_again(): assert solution.Inner.outer is solution.Outer and solution.stop is not solution.leave
"""
CIRCLES_WORK = """
import os
class Inner: pass
class Outer: inner = Inner
Inner.outer = Outer
def leave(): os._exit(3)
def stop(): pass
"""


def test_constants_may_lead_back_and_come_from_another_process(tmp_path: Path) -> None:
    way = Way({"test_a.py": CIRCLES}, CIRCLES_WORK, "")
    contract = recorded(graded(tmp_path, way, way.reference, record=True))
    ran = graded(tmp_path, way, way.reference, contract=contract)
    assert (ran.status, counts(ran)) == (0, {"same": 3, "other": 0, "unknown": 0}), ran.printed


def test_other_lines_and_texts_that_no_test_reads_are_the_same_answers(tmp_path: Path) -> None:
    way = Way({"test_a.py": ASYNC}, ASYNC_WORK, "")
    contract = contract_of(tmp_path, way)
    other = ASYNC_WORK.replace("in line 3", "lines 1, line 2, line 3")
    ran = graded(tmp_path, way, f"\n\n\n{other}", contract=contract, exact=True)
    assert counts(ran) == {"same": 3, "other": 0, "unknown": 0}, ran.printed
    assert ("FAILED grading/test_a.py::test_text" in ran.printed, ran.printed.count("FAILED")) == (True, 1)


LOGGED = """
import pytest, solution
def test_error(caplog):
    solution.run("a")
    assert "bad a" in caplog.text
def test_other_error(caplog):
    solution.run("b")
    assert "bad b" in caplog.text
"""
LOGGING = """
import logging
def run(row):
    try:
        raise ValueError(f"bad {row}")
    except ValueError:
        logging.getLogger("rows").exception("a row is wrong")
"""


@pytest.mark.parametrize(
    "forged",
    [
        LOGGING.replace("bad {row}", "bad a, bad b"),
        f"source = {LOGGING.replace(' {row}', '')!r}\nexec(compile(source, 'bad a, bad b', 'exec'), globals())\n",
    ],
    ids=["its text", "its place"],
)
def test_a_logged_error_shows_nothing_but_what_is_compared(tmp_path: Path, forged: str) -> None:
    way = Way({"test_a.py": LOGGED}, LOGGING, forged)
    contract = contract_of(tmp_path, way)
    right = graded(tmp_path, way, f"\n\n{way.reference}", contract=contract, exact=True)
    assert (right.status, counts(right)["same"]) == (0, 2), right.printed
    # Without `exact`, the forged texts pass.
    assert graded(tmp_path, way, forged, contract=contract, exact=False).status == 0
    wrong = graded(tmp_path, way, forged, contract=contract, exact=True)
    assert (wrong.status, counts(wrong)["same"]) == (1, 0), wrong.printed


LENT = """
import solution
class Item: pass
def test_first(): solution.add(solution.Cart(), Item())
def test_second():
    first, second = Item(), Item()
    assert solution.last(first, second) is second
"""
LENT_WORK = """
class Cart: pass
def add(cart, item): pass
def last(first, second): return second
"""
AWAITED = """
import asyncio, solution
async def one(): return 1
def test_first(): asyncio.run(solution.twice(one)); solution.end()
def test_second(): assert asyncio.run(solution.twice(one)) == 2
"""
AWAITED_WORK = """
async def twice(one):
    async def again(): return await one() + await one()
    return await again()
def end(): pass
"""
CAUGHT = """
import pytest, solution
def test_error():
    with pytest.raises(ValueError): solution.fail()
    assert solution.Cart().total == 1
"""
CAUGHT_WORK = """
class Cart: total = 1
def fail():
    try:
        raise KeyError([Cart])
    except KeyError:
        raise ValueError("no cart")
"""
STARRED = "from solution import *\ndef test_up(): assert up('a') == 'A'\n"
WRAPPED = """
import functools, pytest
from solution import Cart, fail, total
def test_wrapped():
    @functools.wraps(total)
    def twice(rows): return 2 * total(rows)
    assert twice([1]) == 2
def test_called(): assert total([1, 2]) == 3
def test_object(): assert isinstance(Cart(), Cart)
def test_error():
    with pytest.raises(ValueError): fail()
def test_read(): assert "total" in total.__doc__
"""
WRAPPED_WORK = f"{DESCRIBED}\ndef fail(): raise ValueError('no rows')\n"


class Same(NamedTuple):
    """Tests, a reference, and work that gives the same answers; how many of the tests fail with it."""

    tests: str
    reference: str
    other: str
    failing: int = 0


SAME = {
    "other helpers for import *": Same(STARRED, f"import re\ndef a(): pass\n{UP}", f"{UP}def z(): pass\nimport json\n"),
    "another order of __all__": Same(
        STARRED, f"__all__ = ['up', 'a']\na = 1\n{UP}", f"__all__ = ['a', 'up']\na = 1\n{UP}"
    ),
    "a cached function": Same(STARRED, UP, f"from functools import cache\n@cache\n{UP}"),
    "a class that was lent before": Same(
        LENT, LENT_WORK, LENT_WORK.replace("class Cart: pass", "def Cart(): 1 / 0"), 1
    ),
    "less that was awaited before": Same(
        AWAITED,
        AWAITED_WORK,
        f"begun = []\n{AWAITED_WORK}".replace("    async", "    begun.append(1) or begun[1:] or begun[1]\n    async"),
        1,
    ),
    "more that was awaited before": Same(AWAITED, AWAITED_WORK, AWAITED_WORK.replace("def end(): pass", "end = 1"), 1),
    "another inner name": Same(AWAITED, AWAITED_WORK, AWAITED_WORK.replace("again", "attempt")),
    "other docstrings and texts, which one test reads": Same(
        WRAPPED, WRAPPED_WORK, WRAPPED_WORK.replace("It has", "Has").replace("no rows", "none"), 1
    ),
    "no docstrings": Same(
        WRAPPED.partition("def test_read")[0],
        WRAPPED_WORK,
        re.sub('"It has .*"', "", WRAPPED_WORK).replace(":\n    \n", ":\n    pass\n"),
    ),
    "copies and removals of files": Same(
        "import shutil, tempfile\nfrom pathlib import Path\nfrom solution import up\ndef test_removed():\n"
        "    with tempfile.TemporaryDirectory() as place: (Path(place) / 'a').mkdir(); assert up('a') == 'A'\n"
        "def test_copied(tmp_path):\n    (tmp_path / 'a').touch(); shutil.copy2(tmp_path / 'a', tmp_path / 'b')\n"
        "    assert up('b') == 'B'\n",
        UP,
        f"import re\n{UP}",
    ),
    "another number of texts": Same(
        "import pytest\nfrom solution import fail\ndef test_class():\n    with pytest.raises(ValueError): fail()\n"
        "def test_args():\n    with pytest.raises(ValueError) as found: fail()\n    assert found.value.args\n",
        "def fail(): raise ValueError('no', 'rows')\n",
        "def fail(): raise ValueError\n",
        1,
    ),
    "another cause": Same(CAUGHT, CAUGHT_WORK, CAUGHT_WORK.replace("KeyError([Cart])", "KeyError(1)")),
}


@pytest.mark.parametrize("name", one_of(2, SAME))
def test_what_no_test_reads_does_not_count(tmp_path: Path, name: str) -> None:
    same = SAME[name]
    way = Way({"test_a.py": same.tests}, same.reference, "")
    ran = graded(tmp_path, way, same.other, contract=contract_of(tmp_path, way), exact=True)
    assert len(re.findall("^(?:FAILED|ERROR) ", ran.printed, re.MULTILINE)) == same.failing, ran.printed
    assert counts(ran)["other"] == counts(ran)["unknown"] == 0
