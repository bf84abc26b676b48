"""The Python of a notebook's cells, without what only Jupyter understands. Pure.

A line is a command of the notebook only where a statement begins: within brackets, text or a continued line it is
Python. No code is run or parsed here: pieces of text suffice to find where statements begin.
"""

from __future__ import annotations
import __future__

import re
from collections.abc import Iterator
from typing import NamedTuple

# A cell that begins with one of these magics is still Python code.
_HARMLESS = ("%%time", "%%timeit", "%%capture", "%%prun")
_FILE = re.compile(r"%%(?:write)?file[ \t]+(-a[ \t]+)?([\w.-]{1,100}(?:/[\w.-]{1,100}){0,9})[ \t]*")
_PIECE = re.compile(
    r"""(\"{3}|'{3})(?:\\?.)*?(?:\1|\Z)"""
    r"""|(["'])(?:\\\n|\\?[^\n])*?(?:\2|(?=\n)|\Z)"""
    r"""|\#[^\n]*|\\\n|\n|[^"'\#\\()\[\]{}\n]+|.""",
    re.DOTALL,
)
_DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
# `%time STATEMENT` runs the statement where it is.
_TIMED = re.compile(r"([ \t]*+)%time[ \t]++(?=[^\s#])")
_COMMAND = re.compile(
    r"([ \t]*+)(?!%time[ \t]+[^\s#])"
    r"(?:([\w.,\[\]* \t]++=[ \t]*+)([%!])|[%!?]|(?:pip3?|conda) install\b|[\w.*]++\?\??[ \t]*+(?=[#;\n]|\Z))"
    r"(?:\\\n|[^\n])*\n?"
)
_FUTURE = re.compile(r"(?m:^)from[ \t]+__future__[ \t]+import[ \t]*+(\([^()]*\)|[\w, \t]*)")
_DEFINITION = re.compile(r"(?:def|class|import|from|async[ \t]+def)\b|@")
_COROUTINE = re.compile(r"([ \t]*+)async[ \t]+def\b")
_AWAIT = re.compile(r"\bawait\b|\basync[ \t]+(?:for|with)\b")
_GIVEN = {
    "display": "def display(*values, **_):\n    print(*values)\n",
    "get_ipython": "def get_ipython():\n"
    "    return type('Nothing', (), {'__getattr__': lambda self, name: lambda *args, **kwargs: None})()\n",
    "_": "_ = None\n",
}
"""What Jupyter defines, by name."""


class FileCell(NamedTuple):
    """A cell that Jupyter writes to a file."""

    path: str
    text: str
    is_more: bool  # Whether it goes to the end of the file.


def cell_code(text: str) -> str | FileCell:
    """Return a cell without its cell magic, or the file that it makes; "" if it is in another language."""
    first, _, rest = text.lstrip().partition("\n")
    if not first.startswith("%%"):
        return text
    if (found := _FILE.fullmatch(first)) and not {"", ".", ".."} & {*found[2].split("/")}:
        return FileCell(found[2], rest, bool(found[1]))
    return rest if first.startswith(_HARMLESS) else ""


def plain(cell: str) -> str:
    """Return the code of a cell without its commands. Code that awaits outside functions gets a loop of events."""
    lines = [*map(_plain, _statements(cell))]
    code = "".join(lines)
    if not _awaits(lines):
        return code
    # The names are imported where nobody else's can be in the way.
    flag = "__import__('ast').PyCF_ALLOW_TOP_LEVEL_AWAIT"
    wait = "(lambda done: done and __import__('asyncio').run(done))"
    return f"{wait}(eval(compile({code!r}, 'a cell', 'exec', {flag}), globals()))\n"


def definitions(code: str) -> Iterator[str]:
    """Yield the functions, classes and imports of code, each with its decorators."""
    kept: list[str] = []
    is_decorated = False
    for line in _statements(code):
        if line[:1] not in " \t\r\n#":
            if kept and not is_decorated:
                yield "".join(kept)
                kept = []
            kept += [""] * bool(_DEFINITION.match(line))
            is_decorated = line.startswith("@")
        kept += [line] * bool(kept)
    if kept:
        yield "".join(kept)


def first_lines(code: str) -> str:
    """Return what must come before code: imports of the future, and what Jupyter defines."""
    futures = sorted({name for found in _FUTURE.finditer(code) for name in _features(found)})
    words = {*re.findall(r"\b\w+\b", code)}
    given = [text for name, text in _GIVEN.items() if name in words]
    return "".join([f"from __future__ import {', '.join(futures)}\n\n"] * bool(futures) + given)


def _features(found: re.Match[str]) -> list[str]:
    """Return the features of a statement that imports from the future; none if one of them does not exist."""
    names = re.findall(r"\w+", found[1])
    return names if {*names} <= {*__future__.all_feature_names} else []


def _statements(cell: str) -> Iterator[str]:
    """Yield the lines of code. A line that goes on, in brackets or text or after a backslash, is one with the next."""
    begin = place = depth = 0
    while place < len(cell):
        command = _COMMAND.match(cell, place) if place == begin else None
        found = command or _PIECE.match(cell, place)
        assert found is not None
        place = found.end()
        depth = max(0, depth + _DEPTH.get(found[0], 0))
        if command or (found[0] == "\n" and not depth):
            yield cell[begin:place]
            begin = place
    if begin < place:
        yield cell[begin:]


def _plain(line: str) -> str:
    """Return a statement; in place of a command a `pass` statement or an empty value, with the same indentation."""
    if timed := _TIMED.match(line):
        line = timed[1] + line[timed.end() :]
    if (command := _COMMAND.match(line)) is None:
        future = _FUTURE.match(line)
        return f"pass{line[future.end() :]}" if future and _features(future) else line
    indent, names, sign = command.groups()
    shown = line.strip().replace("\n", "\n# ")
    if not names:
        return f"{indent}pass  # {shown}{line[len(line.rstrip()) :]}"
    return f"{indent}{names.rstrip()} {'[]' if sign == '!' else None}  # {shown}{line[len(line.rstrip()) :]}"


def _awaits(lines: list[str]) -> bool:
    """Return whether a line awaits outside coroutines."""
    within: int | None = None
    for line in lines:
        code = "".join(piece[0] for piece in _PIECE.finditer(line) if piece[0][0] not in "\"'#")
        if not code.strip():
            continue
        if within is not None and len(line) - len(line.lstrip()) <= within:
            within = None
        if within is None:
            if found := _COROUTINE.match(line):
                within = len(found[1])
            elif _AWAIT.search(code):
                return True
    return False
