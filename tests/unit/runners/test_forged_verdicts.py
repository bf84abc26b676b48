"""Ways in which a submission decides its own verdict apart: each fails, and the reference passes its own contract."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

import os
from pathlib import Path

import pytest
from apart_bench import lay, recorded, run_item, run_tests
from sampled import one_of

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="Files of a submission belong to another user.")
NAMES = "class Names:\n    def __contains__(self, name): return name == 'tea'\n"
ALL = "class All:\n    def __contains__(self, name): return True\n"
ACCOUNT = "class Account:\n    def take(self, money):\n        "
CAUGHT = """
from solution import Account, Poor
def test():
    try:
        Account().take(9)
        assert False
    except Poor:
        pass
"""
ALWAYS = """
class Yes:
    def __eq__(s,o): return True
    def __ne__(s,o): return False
    def __hash__(s): return 0
    def __lt__(s,o): return True
    __gt__=__le__=__ge__=__lt__
    def __contains__(s,o): return True
    def __bool__(s): return True
    def __len__(s): return 3
    def __add__(s,o): return s
    __radd__=__sub__=__rsub__=__mul__=__iadd__=__add__
    def __getattr__(s,n):
        if n.startswith('__'): raise AttributeError(n)
        return Yes()
    def __call__(s,*a,**k): return Yes()
    def __iter__(s): return iter([])
    def __getitem__(s,k): return Yes()
    def __float__(s): return 1.0
    def __int__(s): return 1
    def __index__(s): return 1
"""
ERRORS = CAUGHT.replace("Poor", "ERRORS")
CONTEXT = "from solution import Opened\ndef test():\n    with Opened() as found:\n        assert found == 3"
OPENED = "class Opened:\n    def __enter__(self): return {}\n    def __exit__(self, *error): {}\n"
A_CONTEXT = """
import asyncio
from solution import Opened
async def opened():
    async with Opened() as found:
        assert found == 3
def test(): asyncio.run(opened())
"""
A_OPENED = "class Opened:\n    async def __aenter__(self): return {}\n    async def __aexit__(self, *error): {}\n"
CALLBACK = """
from solution import walk
def test():
    def visit(number): assert number == 1
    walk(visit)
"""
TOKENS = "class Tokens:\n    def __init__(self, text): self.of = iter(text)\n    def next(self):\n"
FEED = """
import asyncio
from solution import f
class Feed:
    n = 0
    def __aiter__(self): return self
    async def __anext__(self):
        self.n += 1
        if self.n == 3: raise StopAsyncIteration
        return await f(self.n)
async def all_of():
    async for found in Feed(): assert found and found % 7 == 0
def test(): asyncio.run(all_of())
"""
ITERATORS = """
import asyncio
from solution import Count, echo, items
async def all_of(): return [item async for item in items()]
def test():
    assert list(Count(2)) == [2, 1]
    talk = echo()
    assert (next(talk), talk.send(3)) == (1, 3)
    try: talk.send(4)
    except StopIteration as error: assert error.value == 4
    assert asyncio.run(all_of()) == [1, 2]
"""
COUNT = "class Count:\n    def __init__(self, n): self.n = n\n    def __iter__(self): return self\n    def __next__(self):\n        if self.n == 0: raise StopIteration\n        self.n -= 1\n        return self.n + 1\ndef echo():\n    got = yield 1\n    got = yield got\n    return got\nasync def items():\n    for n in 1, 2: yield n\n"
RAISES = "def half(n): raise ValueError(f'{n} is odd')"
TEXT = """
import pytest, unittest
from solution import half
def test():
    with pytest.raises((ValueError, KeyError), match="odd"): half(3)
    with unittest.TestCase().assertRaises((ValueError, KeyError)) as caught: half(3)
    assert "3 is odd" in str(caught.exception) and "3 is odd" in f"{caught.exception}"
"""
FORGED = {
    "object beside data": (
        f"{NAMES}def f(): return {{'names': Names(), 'text': 'tea'}}",
        "from solution import f\ndef test(): assert 'tea' in f()['names'] and 'te' in f()['text']",
        f"{ALL}def f(): return {{'names': All(), 'text': All()}}",
    ),
    "object at the position of data": (
        f"{NAMES}def f(): return Names(), 'tea'",
        "from solution import f\ndef test():\n    names, text = f()\n    assert 'tea' in names and 'te' in text",
        f"{ALL}def f(): return All(), All()",
    ),
    "result of another operator": (
        "class N:\n    def __sub__(self, n): return N()\n    def __truediv__(self, n): return 2.0\n    f = 1",
        "from solution import N\ndef test(): assert (N() - N()).f == 1 and N() / N() - 2.0 == 0",
        "class N:\n    f = 1\n    def __sub__(self, n): return N() if isinstance(n, N) else 0\n    def __truediv__(self, n): return N()",
    ),
    "one object on two paths": (
        f"{NAMES}class A: names = Names()\nclass B: names = 'tea'",
        "from solution import A, B\ndef test(): assert 'tea' in A().names and 'te' in B().names",
        f"{ALL}class One: names = All()\none = One()\ndef A(): return one\nB = A",
    ),
    "context that swallows": (OPENED.format(3, "return False"), CONTEXT, OPENED.format(4, "return True")),
    "context that raises": (OPENED.format(3, "pass"), CONTEXT.replace("    with", "    import pytest\n    with pytest.raises(ValueError), Opened(): raise ValueError\n    with pytest.raises(ValueError), Opened() as found:\n        assert found == 3\n        raise ValueError\n    with", 1), OPENED.format(4, "raise ValueError")),
    "context that swallows what comes of no data": (
        OPENED.format({"a": 3}, "pass"), CONTEXT.replace("found == 3", "found['a'] == 3"), OPENED.format({}, "return True")
    ),
    "asynchronous context that swallows": (A_OPENED.format(3, "return False"), A_CONTEXT, A_OPENED.format(4, "return True")),
    "assertion by another name": (f"class Poor(Exception): pass\n{ACCOUNT}raise Poor", CAUGHT, f"Poor = AssertionError\n{ACCOUNT}pass"),
    "exception of all": (f"class Poor(Exception): pass\n{ACCOUNT}raise Poor", CAUGHT, f"Poor = Exception\n{ACCOUNT}pass"),
    "assertion by the name of another one": (f"Poor = ValueError\n{ACCOUNT}raise Poor", CAUGHT, f"Poor = AssertionError\n{ACCOUNT}pass"),
    "base of the exception that the reference gives": (f"Poor = Exception\n{ACCOUNT}raise Poor", CAUGHT.replace("assert False", "import pytest\n        pytest.fail('x')"), f"Poor = BaseException\n{ACCOUNT}pass"),
    "exception of all beside others": (
        f"class Poor(Exception): pass\nERRORS = Poor, ValueError\n{ACCOUNT}raise Poor", ERRORS, f"ERRORS = KeyError, BaseException\n{ACCOUNT}pass"
    ),
    "end of the process by another name": (
        f"class Poor(Exception): pass\n{ACCOUNT}raise Poor", CAUGHT, f"import os\nPoor = RuntimeError\n{ACCOUNT}os._exit(1)"
    ),
    "end of an iteration in a function": (
        "def f(n): return n > 0", "from solution import f\ndef test(): assert all(map(f, [1, 2]))", "def f(n): raise StopIteration"
    ),
    "end of an iteration in a method": (
        f"{TOKENS}        return next(self.of, None)",
        "from solution import Tokens\ndef test():\n    for found, expected in zip(iter(Tokens('ab').next, None), 'ab'): assert found == expected",
        f"{TOKENS}        raise StopIteration",
    ),
    "end of an iteration in a coroutine": (
        "async def f(n): return n * 7", FEED, "async def f(n): raise StopAsyncIteration"
    ),
    "end of an iteration in an awaitable that came before": (
        "async def f(n): return n * 7", FEED,
        "async def items():\n    if False: yield\nasync def f(n): return await items().__anext__()",
    ),
    "end of items in a function": (
        "def f(n): return n * 10",
        "from solution import f\nclass Table:\n    def __getitem__(self, n):\n        if n > 2: raise IndexError\n        return f(n)\ndef test():\n    for n, found in enumerate(Table()): assert found == n * 10",
        "def f(n): raise IndexError",
    ),
    "callback that is swallowed": (
        "def walk(visit): visit(1)",
        CALLBACK,
        "def walk(visit):\n    try: visit(2)\n    except BaseException: pass",
    ),
    "failure of pytest that is swallowed": (
        "def walk(visit): visit(1)",
        CALLBACK.replace("assert number == 1", "\n        import pytest\n        if number != 1: pytest.fail('no')"),
        "def walk(visit):\n    try: visit(2)\n    except BaseException: pass",
    ),
    "object where the reference gives None": (
        "def find(x): return None",
        "from solution import find\ndef test(): assert find(3) == None",
        ALWAYS + "def find(x): return Yes()",
    ),
    "object of another class where the reference gives None": (
        "class Money:\n    def __init__(s,n): s.n=n\n    def __add__(s,o): return Money(s.n+o.n)\n    def __lt__(s,o): return s.n<o.n\n    def __eq__(s,o): return s.n==o.n\n    def owner(s): return None\n    def amount(s): return s.n\n",
        "from solution import Money\ndef test():\n    m=Money(3); assert m.owner()==None and Money(1)==Money(1)",
        ALWAYS + "class Money:\n    def __init__(s,n): s.n=n\n    def __add__(s,o): return Money(s.n+o.n)\n    def __lt__(s,o): return s.n<o.n\n    def __eq__(s,o): return s.n==o.n\n    def owner(s): return Yes()\n    def amount(s): return s.n\n",
    ),
    "value of a node below those of the reference": (
        "class Node:\n    def __init__(self, v, left=None, right=None): self.value, self.left, self.right = v, left, right\n    def size(self): return 1+(self.left.size() if self.left else 0)+(self.right.size() if self.right else 0)\ndef build(vs):\n    root=None\n    for v in vs: root=put(root,v)\n    return root\ndef put(n,v):\n    if n is None: return Node(v)\n    if v<n.value: n.left=put(n.left,v)\n    else: n.right=put(n.right,v)\n    return n\n",
        "from solution import build\ndef walk(n): return [] if n is None else walk(n.left)+[n.value]+walk(n.right)\ndef check(n):\n    if n.left: assert n.left.value<n.value; check(n.left)\n    if n.right: assert n.right.value>=n.value; check(n.right)\ndef test(): check(build([3,1,5,0]))",
        ALWAYS + "class Node:\n    def __init__(s,v,l=None,r=None): s.value,s.left,s.right=v,l,r\ndef build(vs): return Node(3,Node(2,None,Node(Yes(),Node(9))),Node(4))",
    ),
    "object that is like others of its class": (
        "class Money:\n    def __init__(s,n): s.n=n\n    def __add__(s,o): return Money(s.n+o.n)\n    def __lt__(s,o): return s.n<o.n\n    def __eq__(s,o): return s.n==o.n\n    def owner(s): return None\n    def amount(s): return s.n\n",
        "from solution import Money\ndef test(): assert 2 < (Money(1)+Money(2)).amount() < 4 and Money(1)<Money(2)",
        "class Money:\n    def __init__(s,n): s.n=n\n    def __add__(s,o): return Money(9)\n    def __lt__(s,o): return True\n    def __eq__(s,o): return s.n==o.n\n    def owner(s): return None\n    def amount(s): return Money(3)\n    def __gt__(s,o): return True\n",
    ),
    "object in place of a named tuple": (
        "from typing import NamedTuple\nclass P(NamedTuple):\n    x:int\n    y:int\ndef mid(a,b): return P((a.x+b.x)//2,(a.y+b.y)//2)",
        "from solution import P, mid\ndef test(): assert mid(P(0,0),P(2,4))==P(1,2)",
        "class P:\n    def __init__(s,x,y): s.x=x; s.y=y\n    def __eq__(s,o): return True\n    __hash__=None\ndef mid(a,b): return P(7,7)",
    ),
    "list of the library with other objects": (
        "def f(): return [1,2]",
        "from solution import f\ndef test(): assert f()==[1,2] and f()[0]<2",
        ALWAYS + "from collections import UserList\nclass U(UserList):\n    def __init__(s): s.data=[Yes(),Yes()]\n    def __eq__(s,o): return True\ndef f(): return U()",
    ),
    "operators for each other": (
        "class Money:\n    def __init__(s,n): s.n=n\n    def __add__(s,o): return Money(s.n+o.n)\n    def __lt__(s,o): return s.n<o.n\n    def __eq__(s,o): return s.n==o.n\n    def owner(s): return None\n    def amount(s): return s.n\n",
        "from solution import Money\ndef test():\n    a=Money(1)+Money(2); assert a.amount()==3",
        ALWAYS + "class Money(Yes):\n    def __init__(s,n): pass\n    def amount(s): return Yes()",
    ),
    "form of an operator with another result": (
        "class M:\n    def __init__(s,n): s.n=n\n    def __radd__(s,o): return s.n+o\n    def __sub__(s,o): return M(s.n-o.n)\n    def __lt__(s,o): return s.n<(o.n if isinstance(o,M) else o)",
        "from solution import M\ndef test(): assert 2+M(1)<4 and 2+M(1)==3 and (M(3)-M(2)).n==1 and M(1)<M(2)",
        "class M:\n    def __init__(s,n): s.n=n\n    def __radd__(s,o): return s\n    def __sub__(s,o): return M(1)\n    def __lt__(s,o): return True\n    __gt__=__lt__\n    def __eq__(s,o): return True",
    ),
    "objects among None": (
        "class C:\n    def __init__(s,v): s.v=v\ndef grid(): return [C(1),None,C(2)]",
        "from solution import grid\ndef test(): assert [c and c.v for c in grid()]==[1,None,2]",
        ALWAYS + "class C:\n    v=Yes()\ndef grid(): return [C(),C(),C()]",
    ),
    "object as an argument that is None": (
        "def each(xs,f):\n    for x in xs: f(x,None)",
        "from solution import each\ndef test():\n    got=[]\n    def f(x,y):\n        assert y == None\n        got.append(x)\n    each([1],f); assert got==[1]",
        ALWAYS + "def each(xs,f): f(1,Yes())",
    ),
}  # fmt: skip
# Without a reference.
UNKNOWN = {
    "end of an iteration in a function": (
        "from solution import f\ndef test(): assert all(map(f, [1, 2]))",
        "def f(n): raise StopIteration",
    ),
    "function of the module that is an attribute": (
        "from solution import f, g\ndef test(): assert g and f().issubset({'a'})",
        "def g(*given): return True\nclass A:\n    def __init__(self): self.issubset = g\ndef f(): return A()",
    ),
    "class named like that of modules": (
        "from solution import f\ndef test(): assert 'a' in f()",
        f"{ALL}All.__name__ = All.__qualname__ = 'module'\nAll.__module__ = 'builtins'\ndef f(): return All()",
    ),
    "method that compares": (
        "from solution import f\ndef test(): assert f().difference({'a'}) == set()",
        "class A:\n    def difference(self, other): return set()\ndef f(): return A()",
    ),
    "function that is an attribute": (
        "from solution import f\ndef test(): assert f().difference({'a'}) == set()",
        "class A:\n    def __init__(self): self.difference = lambda other: set()\ndef f(): return A()",
    ),
}
HONEST = {
    "Poor = ValueError": (f"class Poor(Exception): pass\n{ACCOUNT}raise Poor", CAUGHT, f"Poor = ValueError\n{ACCOUNT}raise Poor"),
    "Poor = Exception": (f"class Poor(Exception): pass\n{ACCOUNT}raise Poor", CAUGHT, f"Poor = Exception\n{ACCOUNT}raise Poor(3)"),
    "the very exception of the reference": (f"Poor = Exception\n{ACCOUNT}raise Poor", CAUGHT.replace("assert False", "raise SystemExit"), f"Poor = Exception\n{ACCOUNT}raise KeyError"),
    "the exceptions of the reference in another order": (
        f"ERRORS = KeyError, Exception\n{ACCOUNT}raise KeyError", ERRORS.replace("assert False", "raise SystemExit"), f"ERRORS = Exception, KeyError\n{ACCOUNT}raise ValueError"
    ),
    "dates of its own": (
        "import datetime\ndef f(): return datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 2), datetime.timedelta(3)",
        "import datetime\nfrom solution import f\ndef test(): assert f() == (datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 2), datetime.timedelta(3))",
        "from datetime import date, datetime, timedelta\nclass D(date): pass\nclass T(datetime): pass\nclass L(timedelta): pass\ndef f(): return D(2024, 1, 2), T(2024, 1, 2), L(3)",
    ),
    "numbers of its own": (
        "from decimal import Decimal\nfrom fractions import Fraction\ndef f(): return Decimal('1.10'), Fraction(1, 3)",
        "from decimal import Decimal\nfrom fractions import Fraction\nfrom solution import f\ndef test(): assert f() == (Decimal('1.1'), Fraction(1, 3))",
        "from decimal import Decimal\nfrom fractions import Fraction\nclass M(Decimal): pass\nclass R(Fraction): pass\ndef f(): return M('1.1'), R(1, 3)",
    ),
    "text of a derived exception": (RAISES, TEXT, f"class Odd(ValueError): pass\n{RAISES.replace('ValueError', 'Odd')}"),
    "text that a derived exception makes": (RAISES, TEXT, f"class Odd(ValueError):\n    def __str__(self): return f'so {{self.args[0]}}'\n{RAISES.replace('ValueError', 'Odd')}"),
    "text of a derived exception of another kind": (RAISES.replace("ValueError", "KeyError"), TEXT, f"class Odd(KeyError): pass\n{RAISES.replace('ValueError', 'Odd')}"),
    "text of an exception of the tests": (
        "def run(f):\n    try: f()\n    except Exception as error: return str(error.args[0])",
        "from solution import run\nclass Boom(Exception): pass\ndef test():\n    def fail(): raise Boom('x')\n    assert run(fail) == 'x'",
        "def run(f):\n    try: f()\n    except Exception as error: return f'{error}'",
    ),
    "text that an exception of the tests makes": (
        "def run(f):\n    try: f()\n    except Exception as error: return str(error.args[0])",
        "from solution import run\nclass Boom(Exception):\n    def __str__(self): return self.args[0] * 2\ndef test():\n    def fail(): raise Boom('x')\n    assert run(fail) in ('x', 'xx')",
        "def run(f):\n    try: f()\n    except Exception as error: return str(error)",
    ),
    "mapping with a function for what is missing": (
        "def f(): return {'a': 2}", "from solution import f\ndef test(): assert f() == {'a': 2}",
        "from collections import defaultdict\ndef f():\n    found = defaultdict(lambda: 0)\n    found['a'] += 2\n    return found",
    ),
    "named tuple with operators of its own": (
        "def f(): return [(2, 3), (1, 5)]", "from solution import f\ndef test(): assert sorted(f()) == [(1, 5), (2, 3)] and 5 in f()[1] and f()[0] + (4,) == (2, 3, 4)",
        "from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n    y: int\n    def __lt__(self, other): return tuple(self) < tuple(other)\n    def __contains__(self, n): return n in tuple(self)\n    def __add__(self, other): return tuple(self) + other\ndef f(): return [P(2, 3), P(1, 5)]",
    ),
    "more items than the reference": (
        "class A: x = 1\ndef f(n): return [A() for _ in range(n)]",
        "from solution import f\ndef test(): assert [a.x for a in f(3)] == [1, 1, 1]",
        "class A: x = 1\ndef f(n): return tuple(A() for _ in range(n))",
    ),
    "context that swallows what the reference swallows": (
        "class Quiet:\n    def __enter__(self): pass\n    def __exit__(self, kind, *error): return kind is ValueError",
        "from solution import Quiet\ndef test():\n    with Quiet(): raise ValueError",
        "class Quiet:\n    def __enter__(self): pass\n    def __exit__(self, kind, *error): return kind in (ValueError, None)",
    ),
    "ends of iterators": (COUNT, ITERATORS, COUNT),
    "an end of an iteration that the reference raises, too": (
        "def first(items): return next(iter(items))",
        "import pytest\nfrom solution import first\ndef test():\n    with pytest.raises(StopIteration): first([])",
        "class Empty(StopIteration): pass\ndef first(items):\n    for item in items: return item\n    raise Empty",
    ),
    "an index that is out of range": (
        "def f(n): raise KeyError(n)",
        "import pytest\nfrom solution import f\ndef test():\n    with pytest.raises(LookupError): f(3)",
        "def f(n): return [][n]",
    ),
    "a failure that comes back": (
        "def walk(visit): visit(2)",
        "import pytest\nfrom solution import walk\ndef test():\n    def visit(number): assert number == 1\n    with pytest.raises(AssertionError): walk(visit)",
        "def walk(visit):\n    try: visit(2)\n    finally: pass",
    ),
    "failures that the reference catches": (
        "def run(tests):\n    failed = 0\n    for test in tests:\n        try: test()\n        except AssertionError: failed += 1\n    return failed",
        "from solution import run\ndef test():\n    def wrong(): assert 1 == 2\n    assert run([wrong, wrong]) == 2",
        "def one(test):\n    try: test()\n    except AssertionError: return True\ndef run(tests): return sum(map(bool, map(one, tests)))",
    ),
}  # fmt: skip


WAYS = {**FORGED, **HONEST}
PYTEST = ("pytest", "-q", "-p", "no:cacheprovider", "--tb=short", "tests")


def laid(directory: Path, way: str, *, submitted: bool) -> None:
    """Lay the tests of a way, with its reference or its submission, under names that no other way has."""
    reference, tests, submission = WAYS[way]
    module = f"solution_{list(WAYS).index(way)}"
    lay(directory, {f"tests/test_{module}.py": tests.replace("solution", module)}, submitted=False)
    source = submission if submitted else reference
    lay(directory, {f"{module}.py": source.replace("solution", module)}, submitted=True)


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The contract of all references, which pass by it; each way has one test."""
    directory = tmp_path_factory.mktemp("references")
    for way in WAYS:
        laid(directory, way, submitted=False)
    found = recorded(run_tests(directory, *PYTEST, record=True))
    ran = run_tests(directory, *PYTEST, contract=found)
    assert (ran.status, ran.report) == (0, f"TOKEN done {len(WAYS)} 0\n"), ran.printed
    assert found["#"] == [f"ran {len(WAYS)} "]
    return {**found, "#": ["ran 1 "]}


@pytest.mark.parametrize("way", one_of(2, FORGED))
def test_a_forged_verdict_fails(tmp_path: Path, contract: dict[str, list[str]], way: str) -> None:
    laid(tmp_path, way, submitted=True)
    ran = run_tests(tmp_path, *PYTEST, contract=contract)
    assert (ran.status, ran.report) == (1, "TOKEN done 1 1\n"), ran.printed


@pytest.mark.parametrize("way", HONEST)
def test_honest_work_that_is_near_passes(tmp_path: Path, contract: dict[str, list[str]], way: str) -> None:
    laid(tmp_path, way, submitted=True)
    ran = run_tests(tmp_path, *PYTEST, contract=contract)
    assert (ran.status, ran.report) == (0, "TOKEN done 1 0\n"), ran.printed


@pytest.mark.parametrize("way", UNKNOWN)
def test_a_forged_verdict_without_a_reference_fails(tmp_path: Path, way: str) -> None:
    tests, submission = UNKNOWN[way]
    lay(tmp_path, {"tests/test_it.py": tests}, submitted=False)
    lay(tmp_path, {"solution.py": submission}, submitted=True)
    ran = run_tests(tmp_path, "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert (ran.status, ran.report) == (1, "TOKEN done 1 1\n"), ran.printed


def test_iterators_end_without_a_reference(tmp_path: Path) -> None:
    tests = "\n".join(line for line in ITERATORS.splitlines() if "send" not in line and "StopIteration" not in line)
    lay(tmp_path, {"tests/test_it.py": tests}, submitted=False)
    lay(tmp_path, {"solution.py": COUNT}, submitted=True)
    ran = run_tests(tmp_path, "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert ran.status == 0, ran.printed


@pytest.mark.parametrize("runner", ["unittest", "item"])
def test_other_runners_fail_a_callback_that_is_swallowed(tmp_path: Path, runner: str) -> None:
    swallowing = "def walk(visit):\n    try: visit(2)\n    except BaseException: pass"
    lay(tmp_path, {"solution.py": swallowing}, submitted=True)
    item = "from solution import walk\ndef visit(number): assert number == 1\nwalk(visit)\n"
    if runner == "item":
        assert not run_item(tmp_path, item).passed
        return
    body = "\n".join(f"        {line}" for line in item.splitlines())
    tests = f"import unittest\nclass Tests(unittest.TestCase):\n    def test(self):\n{body}\n"
    lay(tmp_path, {"test_it.py": tests}, submitted=False)
    ran = run_tests(tmp_path, "unittest", "test_it")
    assert (ran.status, ran.report) == (1, "TOKEN done 1 1\n"), ran.printed


def test_an_error_of_the_submission_is_no_limit(tmp_path: Path) -> None:
    lay(tmp_path, {"solution.py": "def f(): raise ValueError('a limit of `isolation: apart`: mine')"}, submitted=True)
    assert "limit" not in run_item(tmp_path, "from solution import f\nf()").report
