"""Items that judge a submission in another process: what honest ones may do, and what the others cannot."""

# ruff: noqa: E501, ISC004 - programs of a line each

from __future__ import annotations

import os
from pathlib import Path

import pytest
from apart_bench import RanApart, lay, run_item

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="Files of a submission belong to another user.")


def judged(directory: Path, solution: str, item: str, **files: str) -> RanApart:
    lay(directory, {"solution.py": solution, **files}, submitted=True)
    return run_item(directory, item)


@pytest.mark.parametrize(
    ("solution", "item"),
    [
        ("def f(x): return x + 1", "from solution import f\nassert f(1) == 2"),
        ("def f(x): x.append(3); return x", "from solution import f\na = [1]\nassert f(a) is a and a == [1, 3]"),
        ("def f(x): return x is x", "import solution\nassert solution.f([[1], {2: 3}])"),
        ("def f(a, b): a.append(1); return a is b", "from solution import f\nx = []\nassert f(x, x) and x == [1]"),
        ("def f(call): return call(2)", "from solution import *\nassert f(lambda x: x * 2) == 4"),
        ("import json\ndef f(): return json.dumps({'a': 1})", "import json, solution\nassert solution.f() == '{\"a\": 1}'"),
        ("class A:\n    x = 1", "from solution import A\nassert A().x == A.x == 1 and type(A()) is A"),
        ("_x = []\ndef f():\n    _x.append(1)\n    return _x", "from solution import f\na = f()\nf()\nassert a == [1, 1]"),
        ("def f(m):\n    m[0][0] = 5", "from solution import f\nrow = [1]\nf([row])\nassert row == [5]"),
        ("class E(Exception): pass\ndef f(): raise E(3)",
         "from solution import E, f\ntry: f()\nexcept E as e: assert e.args == (3,)\nelse: assert 0"),
        ("class A:\n    def __contains__(self, x): return x == 3", "from solution import A\nassert 3 in A() and 4 not in A()"),
        ("def f(n): return n if n < 2 else f(n - 1) + f(n - 2)", "from solution import f\nassert f(15) == 610"),
    ],
)  # fmt: skip
def test_honest_work_passes(tmp_path: Path, solution: str, item: str) -> None:
    ran = judged(tmp_path, solution, item)
    assert ran.passed, ran


EVIL = """
class Evil:
    def __getattr__(self, name): return lambda *args: True
for _name in "eq ne lt le gt ge contains bool call".split():
    setattr(Evil, f"__{_name}__", lambda self, *args: True)
for _name in "add radd sub rsub mul rmul abs round neg".split():
    setattr(Evil, f"__{_name}__", lambda self, *args: 0)
Evil.__hash__ = lambda self: 0
def f(*args): return Evil()
"""


@pytest.mark.parametrize(
    ("solution", "item"),
    [
        ("def f(x): return x", "from solution import f\nassert f(1) == 2"),
        (EVIL, "from solution import f\nassert f(1) == 2"),
        (EVIL, "from solution import f\nassert 2 == f(1)"),
        (EVIL, "from solution import f\nassert not f(1) != 2"),
        (EVIL, "from solution import f\nassert f(1) in [1, 2]"),
        (EVIL, "from solution import f\nassert 5 in f(1)"),
        (EVIL, "from solution import f\nassert abs(f(1) - 3.5) < 0.1"),
        (EVIL, "from solution import f\nassert f(1) < 3"),
        (EVIL, "from solution import f\nassert 0 < f(1) < 3"),
        (EVIL, "from solution import f\nassert f(1).startswith('abc')"),
        (EVIL, "from solution import f\nassert isinstance(f(1), int)"),
        (EVIL, "from solution import f\nassert f(1) == [1] or f(1) == {'a': 1}"),
        ("import os\nos._exit(0)", "import solution"),
        ("import sys\nsys.exit(0)", "import solution"),
        ("import os, signal\ndef f(): os.kill(os.getppid(), 0)\nimport sys\nsys.modules['__main__'].x = 1\ndef g(): return 1",
         "from solution import g\nassert g() == 2"),
        ("import builtins\nbuiltins.AssertionError = ValueError\nbuiltins.len = lambda x: 5\ndef f(): return 1",
         "from solution import f\nassert f() == 2"),
        ("__all__ = ['len', 'abs', 'isinstance']\ndef len(x): return 3\nabs = isinstance = len",
         "from solution import *\nassert len([]) == 3"),
        ("import gc\nfor o in gc.get_objects():\n    if isinstance(o, dict) and 'expected' in o: o['expected'] = 1\ndef f(): return 1",
         "from solution import f\nexpected = 2\nassert f() == expected"),
        ("def f(g):\n    g.__globals__['expected'] = 1\n    return 1",
         "from solution import f\nexpected = 2\nassert f(lambda: 1) == expected"),
        ("def f(o):\n    o.__class__.__eq__ = lambda *a: True\n    return 1",
         "from solution import f\nclass O: pass\nassert f(O()) == 2"),
        ("import sys, os, threading\ndef f():\n    for fd in range(3, 200):\n        try: os.write(fd, b'x' * 100)\n"
         "        except OSError: pass\n    return 1", "from solution import f\nassert f() == 2"),
        (EVIL, "from solution import *\nassert abs(f(1) - 3.5) < 0.1"),
        ("def f(test):\n    test.skipTest('x')", "import unittest\nfrom solution import f\nclass T(unittest.TestCase): pass\ntry: f(T())\nexcept unittest.SkipTest: pass"),
        ("import os\ndef f(): os._exit(3)\ndef g(): return 1",
         "import solution\ntry: solution.f()\nexcept Exception as e: assert 'status 3' in str(e)\nassert solution.g() == 1"),
        ("raise SystemExit", "try:\n    import solution\nexcept ImportError:\n    pass"),
    ],
)  # fmt: skip
def test_a_forgery_fails(tmp_path: Path, solution: str, item: str) -> None:
    ran = judged(tmp_path, solution, item)
    assert not ran.passed
    assert "TOKEN" not in ran.report.split("\n")


def test_a_failure_shows_its_source_and_the_values(tmp_path: Path) -> None:
    ran = judged(tmp_path, "def f(x): return [x, x]", "from solution import f\nassert f(1) == [1, 2]")
    assert "assert f(1) == [1, 2]" in ran.printed
    assert "AssertionError: [1, 1] == [1, 2]" in ran.printed


def test_an_error_of_the_submission_shows_where_it_came_from(tmp_path: Path) -> None:
    ran = judged(tmp_path, "def f(x):\n    return 1 / x", "from solution import f\nf(0)")
    assert 'solution.py", line 2, in f' in ran.printed
    assert "ZeroDivisionError: division by zero" in ran.printed


def test_what_the_candidate_prints_is_printed(tmp_path: Path) -> None:
    ran = judged(
        tmp_path,
        "import os\ndef f():\n    print('a', flush=True)\n    os.system('echo b')",
        "from solution import f\nf()",
    )
    assert ran.passed
    assert ran.printed == "a\nb\n"


def test_files_of_the_case_run_here_and_the_library_comes_first(tmp_path: Path) -> None:
    lay(tmp_path, {"helper.py": "import os\npid = os.getpid()"}, submitted=False)
    item = "import os, helper, json, solution\nassert helper.pid == os.getpid() != solution.pid\nassert json.dumps([]) == '[]'"
    assert judged(tmp_path, "import os\npid = os.getpid()", item, **{"json.py": "def dumps(x): return 'forged'"}).passed


def test_a_link_to_a_file_of_root_is_no_file_of_the_case(tmp_path: Path) -> None:
    lay(tmp_path, {"real.py": "import os\npid = os.getpid()"}, submitted=False)
    (tmp_path / "solution.py").symlink_to(tmp_path / "real.py")
    assert run_item(tmp_path, "import os, solution\nassert solution.pid != os.getpid()").passed


def test_a_second_name_of_a_file_of_root_is_no_file_of_the_case(tmp_path: Path) -> None:
    lay(tmp_path, {"real.py": "import os\npid = os.getpid()"}, submitted=False)
    (tmp_path / "solution.py").hardlink_to(tmp_path / "real.py")
    assert run_item(tmp_path, "import os, solution\nassert solution.pid != os.getpid()").passed


def test_a_flood_of_output_is_cut(tmp_path: Path) -> None:
    ran = judged(tmp_path, "def f(): print('x' * (20 << 20))", "from solution import f\nf()")
    assert ran.passed
    assert len(ran.printed) < 9 << 20
    assert "bytes left out" in ran.printed[-100:]


def test_a_missing_import_of_the_case_is_reported(tmp_path: Path) -> None:
    ran = run_item(tmp_path, "pass", imports=["no_such_module"])
    assert (ran.status, ran.report) == (90, "TOKEN missing no_such_module\n")


def test_a_module_is_read_again_after_a_change(tmp_path: Path) -> None:
    item = (
        "import importlib, sys, solution\nassert solution.x == 1\n"
        "open('solution.py', 'w').write('x = 2  # longer')\nimportlib.reload(solution)\nassert solution.x == 2\n"
        "del sys.modules['solution']\nimport solution\nassert solution.x == 2"
    )
    assert judged(tmp_path, "x = 1", item).passed


def test_a_package_is_loaded_there(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {"pkg/__init__.py": "from .core import f", "pkg/core.py": "def f(): return 1", "plain/m.py": "y = 2"},
        submitted=True,
    )
    assert run_item(
        tmp_path, "import pkg.core, plain.m\nfrom pkg import f\nassert f() == pkg.core.f() == 1 and plain.m.y == 2"
    ).passed


def test_a_module_of_the_case_with_a_name_of_the_library_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADEBOX_MODULES", "!calendar")
    item = "import calendar, solution\nfrom calendar import f\nassert calendar.f() == f() == 5\nimport http.cookiejar as c\nassert c.timegm((1970, 1, 1, 0, 0, 0)) == 0"
    assert judged(tmp_path, "x = 1", item, **{"calendar.py": "def f(): return 5"}).passed


@pytest.mark.parametrize("name", ["solution", "calendar"])
@pytest.mark.parametrize(
    "item",
    [
        "from unittest import mock\nimport {0}\nwith mock.patch('{0}.size', return_value=3): assert {0}.use() == 3",
        "from unittest import mock\n@mock.patch('{0}.size', return_value=3)\ndef f(size):\n    import {0}\n"
        "    assert {0}.use() == 3\nf()",
        "import importlib, {0}\nimportlib.reload({0})\nassert importlib.import_module('{0}').use() == {0}.use() == 1",
    ],
)
def test_a_module_is_replaced_in_and_loaded_again_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, item: str, name: str
) -> None:
    lay(tmp_path, {f"{name}.py": "def size(): return 1\ndef use(): return size()"}, submitted=True)
    monkeypatch.setenv("GRADEBOX_MODULES", f"!{name}")
    ran = run_item(tmp_path, item.format(name))
    assert ran.passed, ran.printed
