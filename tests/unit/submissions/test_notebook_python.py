"""The Python of a notebook's cells: what is a command of the notebook, and what is Python."""

from __future__ import annotations

import ast
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.submissions.notebook_python import FileCell, cell_code, definitions, first_lines, plain

LIBRARY = sorted(Path(os.__file__).parent.glob("*.py"))[::4]


def ran(code: str, **names: Any) -> dict[str, Any]:
    exec(compile(code, "x", "exec", dont_inherit=True), names)
    return names


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.name)
def test_what_is_python_stays_as_it_is(path: Path) -> None:
    code = path.read_text("utf-8").replace("from __future__", "from  the_future")
    assert plain(code) == code


@pytest.mark.parametrize(
    "code",
    [
        'x = (\n    "%s"\n    % 1\n)',
        'x = """\n%time\n!ls\nx?\n"""',
        "x = 7 \\\n% 4",
        "x = [\n  # it's (\n  7\n  % 4]\n",
        "x = 'a\\\n%b'",
    ],
)
def test_within_a_statement_no_line_is_a_command(code: str) -> None:
    assert plain(code) == code
    compile(code, "x", "exec")


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("  %ls", "  pass  # %ls"),
        ("!ls \\\n  'a\nx = 1", "pass  # !ls \\\n#   'a\nx = 1"),
        ("f?\n?f\nf.a?? # why", "pass  # f?\npass  # ?f\npass  # f.a?? # why"),
        ("pip install x", "pass  # pip install x"),
        ("files = !ls it's", "files = []  # files = !ls it's"),
        ("  t = %timeit -o f()", "  t = None  # t = %timeit -o f()"),
        ("%time x = f(\n  1)\n%time", "x = f(\n  1)\npass  # %time"),
        ("from __future__ import (annotations,\n division); x = 1", "pass; x = 1"),
        ("from __future__ import no_such_thing", "from __future__ import no_such_thing"),
    ],
)
def test_commands_become_statements_that_do_nothing(cell: str, code: str) -> None:
    assert plain(cell) == code


def test_awaiting_outside_functions_is_done() -> None:
    cell = "import asyncio\nasync def one():\n    await asyncio.sleep(0)\n    return 1\n"
    assert plain(cell) == cell
    code = plain(f"{cell}# later\nx = await one()\nfor i in range(2):\n    x += await one()\n%who\n")
    assert ran(code)["x"] == 3


@pytest.mark.parametrize("text", ['x = "await"', "# await f()", "def f(): pass  # await"])
def test_a_word_in_text_awaits_nothing(text: str) -> None:
    assert plain(text) == text


def test_imports_of_the_future_come_first_with_what_jupyter_defines() -> None:
    cells = (
        "x = 1\nfrom __future__ import annotations\ndisplay(x, y=2); get_ipython().run_line_magic('a', 'b'); print(_)"
    )
    code = first_lines(cells) + plain(cells)
    assert code.startswith("from __future__ import annotations\n")
    ran(code)
    assert not first_lines("a = 1")


def test_of_a_cell_its_definitions() -> None:
    cell = (
        "import a\nx = 1\n@b\n@c\ndef f():\n    x = (\n1)\n\n    return x\nif x:\n    import e\nclass D:\n    pass\nx()"
    )
    found = ["import a\n", "@b\n@c\ndef f():\n    x = (\n1)\n\n    return x\n", "class D:\n    pass\n"]
    assert [*definitions(cell)] == found


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("\n%%time\nx", "x"),
        ("%%bash\nx", ""),
        ("%%writefile a/b.py\nx\n", FileCell("a/b.py", "x\n", is_more=False)),
        ("%%file -a b.py\nx", FileCell("b.py", "x", is_more=True)),
        ("%%writefile ../b.py\nx", ""),
        ("%%writefile /b.py\nx", ""),
        ("%%writefile {name}\nx", ""),
    ],
)
def test_the_first_line_says_what_a_cell_is(cell: str, code: str | FileCell) -> None:
    assert cell_code(cell) == code


@given(st.text("aw%!?=()[]\"'\\#\n\t :\N{NO-BREAK SPACE}") | st.text())
def test_any_text_is_read(cell: str) -> None:
    plain(cell)
    assert "".join(definitions(cell)).count("\n") <= cell.count("\n")


@given(st.text("ax%=()\"'\\#\n :"))
def test_a_cell_that_is_python_is_not_changed(cell: str) -> None:
    try:
        ast.parse(cell)
    except (SyntaxError, ValueError):
        return
    assert plain(cell) == cell


def test_a_long_cell_takes_no_long_time() -> None:
    for piece in (" ", "\t", "a", "a.", '"', "'", "(", "\\", "\\\n", "%", "%%time ", "x = ", "a,", "\n", '"""', "#"):
        plain(piece * 100_000)
