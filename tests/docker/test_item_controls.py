"""The item runner of Python: what shows after an item that the candidate's code bent what judges it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from forgery_search import SEARCH
from item_bench import Workshop, open_workshop

from gradebox.graders.languages.item_protocol import controls
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

ANY = "class Any:\n    def __eq__(self, other): return True\n    __hash__ = object.__hash__\n"
SHAPED = "add = lambda a, b: a + b\n"
# Comparisons in places where not everything can stand, and some of which are never worked out.
SHAPES = """
import asyncio

async def later(n): return n
async def run():
    assert await later(1) == 1 and (n := add(1, 2)) == 3 and n
asyncio.run(run())

def ask():
    assert (yield 1) == 2
talk = ask()
next(talk)
try:
    talk.send(2)
except StopIteration: pass

class A:
    x = 3
    assert add(1, 2) == x and x in (3, 4) and 3 == x == 3 and (add(1, 1) == 3) in [False]

import unittest
case = unittest.TestCase()
case.assertEqual(*(1, 1))
case.assertEqual(first=1, second=1)
case.assertIn(1, [1], "with a message")
case.assertAlmostEqual(1.0, 1.001, places=2)
case.assertEqual((n := 2), n)

order = []
def note(n):
    order.append(n)
    return n
assert note(1) == note(1) and not note(2) == note(3) and not note(4) == note(5) == note(6)
assert order == [1, 1, 2, 3, 4, 5]
"""
WORK = {
    "always_equal": (ANY + "def add(a, b): return Any()", "assert add(1, 2) == 3", "equal to anything"),
    "hidden_in_a_list": (ANY + "def add(a, b): return [{'a': Any()}]", "assert [{'a': 3}] == add(1, 2)", "equal to"),
    "truthy": (
        "class Any:\n    def __eq__(self, other): return 1\ndef add(a, b): return [Any()]",
        "assert add(1, 2) == [3]",
        "equal to anything",
    ),
    "truthy_in_a_data_class": (
        (
            "import dataclasses\nclass Any:\n    def __eq__(self, other): return object()\n"
            "@dataclasses.dataclass\nclass Sum:\n    value: object\ndef add(a, b): return Sum(Any())"
        ),
        "assert add(1, 2) == Sum(3)",
        "equal to anything",
    ),
    "in_a_function": (
        ANY + "def add(a, b): return Any()",
        "def test():\n    assert add(1, 2) == 3\ntest()",
        "equal to",
    ),
    "in_a_part_of_an_assertion": (
        ANY + "def add(a, b): return Any()",
        "assert add(1, 2) == 3 and 3 == add(2, 1) == 3",
        "equal to anything",
    ),
    "in_many": (ANY + "def add(a, b): return Any()", "assert all(add(n, n) == n for n in (1, 2))", "equal to anything"),
    "in_a_list": (
        ANY + "def add(a, b): return Any()",
        "assert not (add(1, 2) not in [3]) and add(1, 2) in [3]",
        "equal to",
    ),
    "in_a_slot": (
        ANY + "class Sum:\n    __slots__ = ('value',)\n    def __init__(self): self.value = Any()\n"
        "    def __eq__(self, other): return self.value == other.value\n"
        "import types\nadd = lambda a, b: types.SimpleNamespace(sum=Sum(), list=type('L', (list,), {})([Any()]))",
        "import types\nassert add(1, 2) == types.SimpleNamespace(sum=add(3, 4).sum, list=[3])",
        "equal to anything",
    ),
    "wildcard": (
        "from unittest.mock import ANY\ndef add(a, b): return [ANY]",
        "assert add(1, 2) == [3]",
        "equal to anything",
    ),
    "on_both_sides": (
        "class P:\n    def __init__(self, x): self.x = x\n    def __eq__(self, other): return True\n",
        "assert P(1) == P(2)",
        "equal to anything",
    ),
    "given_to_a_method": (
        ANY + "def add(a, b): return Any()",
        "import unittest\nunittest.TestCase().assertListEqual([add(1, 2)], [3], 'not three')",
        "equal to anything",
    ),
    "no_assert": (
        "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\nadd = max",
        "import unittest\nunittest.TestCase().assertEqual(add(1, 2), 3)",
        "unittest's assertEqual accepts what is wrong",
    ),
    "builtin": (
        "import builtins\nbuiltins.all = lambda things: True\nadd = max",
        "assert all([add(1, 2) == 3])",
        "builtins.all was replaced",
    ),
    "searches": (
        SEARCH + "\nclass Shown:\n    def __eq__(self, other):\n        search('')\n        os._exit(0)\n"
        "def add(a, b): return Shown()",
        "assert add(1, 2) == 3",
        "",
    ),
}
HONEST = {
    "calls_once": (
        "calls = []\ndef add(a, b):\n    calls.append(a)\n    return a + b",
        "assert add(1, 2) == 3\nassert calls == [1]",
    ),
    "names": ("add = max", "assert add(1, 2) == 2\nassert not [name for name in globals() if name.startswith('@')]"),
    "own_equality": (
        (
            "import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\n"
            "class Q:\n    def __eq__(self, other): return other.x == 1\n"
        ),
        "assert P(1) == P(1)\nassert Q() == P(1)\nclass A:\n    assert P(2) == P(2)",
    ),
    "shapes": (SHAPED, SHAPES),
    "any": ("add = lambda a, b: {'a': object()}", "from unittest.mock import ANY\nassert add(1, 2) == {'a': ANY}"),
    "arrays": (
        (
            "class A:\n    def __eq__(self, other): return [True]\n"
            "class N:\n    def __eq__(self, other): return N()\n"
            "    def __bool__(self): raise ValueError('ambiguous')\n"
        ),
        "assert (A() == 1) == [True]\nassert str(N() == N())\ntry:\n    assert N() == N()\nexcept ValueError: pass",
    ),
    # What compares two columns is an expression, which a query makes no truth of.
    "expressions": (
        (
            "class Column:\n    def __eq__(self, other): return ('=', self, other)\n"
            "class Query:\n    def __init__(self, *columns): self.columns = [*columns]\n"
            "    def __eq__(self, other): return isinstance(other, Query) and len(self.columns) == len(other.columns)\n"
        ),
        "assert Query(Column()) == Query(Column())\nassert (Column() == 1)[2] == 1",
    ),
    # What has no contents finds no difference.
    "empty": (
        (
            "class Bag:\n    def __init__(self, *items): self.items = [*items]\n"
            "    def __eq__(self, other): return all(item in other.items for item in self.items)\n"
            "class Record:\n    def __init__(self, **fields): self.__dict__.update(fields)\n"
            "    def __eq__(self, other): return all(getattr(other, k) == v for k, v in self.__dict__.items())\n"
        ),
        "assert Bag() == Bag() and [Record()] == [Record()]\nassert Bag() in [Bag(1), Bag()] and Bag(1) == Bag(1)",
    ),
    "patched_and_back": (
        "add = max",
        "from unittest import mock\nwith mock.patch('builtins.sum', lambda x: 3):\n    assert sum([]) == 3",
    ),
}


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    engine = DockerEngine()
    yield from open_workshop(engine, "python", {f"{name}.py": row[0] for name, row in (WORK | HONEST).items()})
    engine.close()


@pytest.mark.parametrize("name", WORK)
def test_what_bends_an_item_is_told(workshop: Workshop, name: str) -> None:
    _, item, what = WORK[name]
    ran = workshop.run(f"from {name} import *", item=item)
    assert not ran.passed
    said = controls(ran.token, ran.outcome.report.content())
    assert [what in text for text in said] == ([True] if what else []), ran.printed
    assert ran.outcome.exit_code == (1 if what else 0)


@pytest.mark.parametrize("name", HONEST)
def test_honest_work_is_not_accused(workshop: Workshop, name: str) -> None:
    ran = workshop.run(f"from {name} import *", item=HONEST[name][1])
    assert controls(ran.token, ran.outcome.report.content()) == ()
    assert ran.passed, ran.printed


def test_in_a_shared_process_the_item_that_was_bent_is_named(workshop: Workshop) -> None:
    items = ["x = 1", "from always_equal import add\nassert add(1, 2) == 3", "assert x == 1"]
    assert workshop.share(*items) == ([True, False, True], True)
