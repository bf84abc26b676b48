"""JSON text -> `Node` tree, with the positions that Python's own reader does not give.

Stricter than that reader: no key twice, no `NaN`, no half of a surrogate pair, and a limit of depth and of nodes.
"""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn

from graders.documents.diagnostics import shown
from graders.documents.positions import (
    MAX_DEPTH,
    MAX_NODES,
    Malformed,
    Node,
    Problem,
    note,
)
from graders.documents.scalars import WrittenFloat

_SPACE = re.compile(r"[ \t\r\n]*")
# Possessive, so that a long string with many escapes costs no memory for ways back.
_TEXT = re.compile(r'"([^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+)*+)"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z_]+")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_MOST_DIGITS = 300


def read_json(text: str, problems: list[Problem], *, first_line: int = 1) -> Node:
    """Read one JSON value.

    Args:
        text: The whole file, or one line of it.
        problems: Gets what is wrong but does not keep the rest from being read.
        first_line: Number of the text's first line in its file.

    Raises:
        Malformed: It is not JSON, or not JSON that is accepted here.
    """
    scanner = _Scanner(text, problems, first_line)
    node = scanner.value(0)
    scanner.end()
    return node


class _Scanner:
    """Reads values one after the other; recursion is limited by `MAX_DEPTH`."""

    def __init__(self, text: str, problems: list[Problem], first_line: int) -> None:
        self._text = text
        self._problems = problems
        self._at = 0
        self._line = first_line
        self._line_start = 0
        self._nodes = 0

    def value(self, depth: int) -> Node:
        self._skip()
        line, column = self._position()
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise Malformed(line, column, f"the document has more than {MAX_NODES} values", "Split it.")
        if depth > MAX_DEPTH:
            raise Malformed(line, column, f"this is nested deeper than {MAX_DEPTH} levels", "Flatten it.")
        char = self._text[self._at : self._at + 1]
        if char == "{":
            return Node(self._mapping(depth), line, column)
        if char == "[":
            return Node(self._list(depth), line, column)
        if char == '"':
            return Node(self._string(), line, column)
        return Node(self._scalar(), line, column)

    def end(self) -> None:
        self._skip()
        if self._at < len(self._text):
            self._fail("something follows the end of the JSON value", "Remove it, or write one value per line.")

    def _mapping(self, depth: int) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        self._at += 1
        while not self._closes("}", first=not entries):
            self._skip()
            line, column = self._position()
            if self._text[self._at : self._at + 1] != '"':
                self._fail("a key in double quotes is expected here", "Check commas and quotes.")
            key = self._string()
            self._skip()
            if self._text[self._at : self._at + 1] != ":":
                self._fail("`:` is expected after the key", "Write `:` between key and value.")
            self._at += 1
            node = self.value(depth + 1)
            if key in entries:
                message = f"the key `{shown(key)}` is written twice, first in line {entries[key].key_line}"
                note(self._problems, Problem(line, column, message, "Keep one of the two."))
            else:
                entries[key] = Node(node.value, node.line, node.column, line, column)
        return entries

    def _list(self, depth: int) -> list[Node]:
        items: list[Node] = []
        self._at += 1
        while not self._closes("]", first=not items):
            items.append(self.value(depth + 1))
        return items

    def _closes(self, bracket: str, *, first: bool) -> bool:
        self._skip()
        char = self._text[self._at : self._at + 1]
        if char == bracket:
            self._at += 1
            return True
        if first:
            return False
        if char != ",":
            self._fail(f"`,` or `{bracket}` is expected here", "Check commas and brackets.")
        self._at += 1
        self._skip()
        if self._text[self._at : self._at + 1] == bracket:
            self._fail(f"a comma stands before `{bracket}`", "Remove the comma.")
        return False

    def _string(self) -> str:
        match = _TEXT.match(self._text, self._at)
        if match is None:
            self._fail("this string is not closed, or holds a control character", 'Close it with `"` in the same line.')
        inner = match[1]
        if "\\" in inner:
            try:
                inner = json.loads(match[0])
            except ValueError:
                self._fail("this string holds an escape that JSON does not have", "Write `\\\\` for a backslash.")
            if _SURROGATE.search(inner):
                self._fail("this string holds half of a surrogate pair", "Write both halves, or the character itself.")
        self._at = match.end()
        return inner

    def _scalar(self) -> int | float | bool | None:
        number = _NUMBER.match(self._text, self._at)
        if number:
            text = number[0]
            if len(text) > _MOST_DIGITS:
                self._fail("this number is too long", "Write fewer digits, or quote it.")
            whole = number[1] is None and number[2] is None
            value = int(text) if whole else float(text)
            if not math.isfinite(value):
                self._fail("this number is too large", "Write a smaller one, or quote it.")
            self._at = number.end()
            if whole:
                return value
            return value if repr(value) == text else WrittenFloat(text)
        word = _WORD.match(self._text, self._at)
        if word and word[0] in _WORDS:
            self._at = word.end()
            return _WORDS[word[0]]
        if self._at >= len(self._text):
            self._fail("the JSON ends too early", "Check quotes and brackets.")
        what = f"`{shown(word[0])}` is not JSON" if word else "a value is expected here"
        return self._fail(what, "Write text in double quotes.")

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self._at)
        if match and match.end() > self._at:
            newlines = self._text.count("\n", self._at, match.end())
            if newlines:
                self._line += newlines
                self._line_start = self._text.rindex("\n", self._at, match.end()) + 1
            self._at = match.end()

    def _position(self) -> tuple[int, int]:
        return self._line, self._at - self._line_start + 1

    def _fail(self, message: str, hint: str) -> NoReturn:
        line, column = self._position()
        raise Malformed(line, column, message, hint)
