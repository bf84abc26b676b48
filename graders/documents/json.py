"""Parses JSON text into a `Node` tree. Python's parser validates it; a walk over the lexemes adds the positions.

Also refused: duplicate keys, `NaN`, too large numbers, half of a surrogate pair, and too many levels or values.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

from gradebox.graders.documents.diagnostics import shown
from gradebox.graders.documents.positions import MAX_DEPTH, MAX_NODES, Malformed, Node, Problem, note
from gradebox.graders.documents.scalars import Scalar, WrittenFloat

# Lexemes of valid JSON, so commas and colons can be skipped. Possessive, so that a long string is read only once.
_LEXEME = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]|[^\s\[\]{}:,"]++')
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
MOST_DIGITS = 300
_HINTS = {
    "Expecting value": "Write text in double quotes, and no comma after the last value.",
    "Expecting property name": "Write the key in double quotes, and no comma after the last value.",
    "Expecting ','": "Check commas and brackets.",
    "Expecting ':'": "Write `:` between key and value.",
    "Illegal trailing comma": "Remove the comma.",
    "Extra data": "Remove what follows the value, or write one value per line.",
    "Unterminated string": 'Close it with `"` in the same line.',
    "Invalid control character": "Write it as an escape, such as `\\n`.",
    "Invalid \\": "Write `\\\\` for a backslash.",
}


def read_json(text: str, problems: list[Problem], *, first_line: int = 1) -> Node:
    """Read one JSON value.

    Mistakes that do not prevent reading the rest are added to `problems`. Raises Malformed if it is not JSON, or not
    accepted here.
    """
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        hint = next(
            (hint for start, hint in _HINTS.items() if error.msg.startswith(start)), "Check quotes and brackets."
        )
        message = f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:].removesuffix(' at')}"
        raise Malformed(error.lineno + first_line - 1, error.colno, message, hint) from None
    except RecursionError:
        raise Malformed(first_line, 1, f"this is nested deeper than {MAX_DEPTH} levels", "Flatten it.") from None
    walk = _Walk(text, problems, first_line)
    return walk.value(walk.lexeme(), 0)


class _Walk:
    """Makes nodes from the lexemes of JSON text, in order; `MAX_DEPTH` limits the recursion."""

    def __init__(self, text: str, problems: list[Problem], first_line: int) -> None:
        self._text = text
        self._lexemes: Iterator[re.Match[str]] = _LEXEME.finditer(text)
        self._problems = problems
        self._has_lines = "\n" in text
        self._at = 0
        self._line = first_line
        self._line_start = 0
        self._nodes = 0

    def lexeme(self) -> str:
        """Return the next lexeme, and make its position the current one."""
        match = next(self._lexemes)
        start = match.start()
        if self._has_lines and (newlines := self._text.count("\n", self._at, start)):
            self._line += newlines
            self._line_start = self._text.rindex("\n", self._at, start) + 1
        self._at = start
        return match[0]

    def value(self, lexeme: str, depth: int) -> Node:
        """Return the node of the value that begins with a lexeme."""
        line, column = self._line, self._at - self._line_start + 1
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise Malformed(line, column, f"the document has more than {MAX_NODES} values", "Split it.")
        if depth > MAX_DEPTH:
            raise Malformed(line, column, f"this is nested deeper than {MAX_DEPTH} levels", "Flatten it.")
        if lexeme == "{":
            return Node(self._mapping(depth), line, column)
        if lexeme == "[":
            return Node(self._list(depth), line, column)
        return Node(self._text_of(lexeme) if lexeme[0] == '"' else self._scalar(lexeme), line, column)

    def _mapping(self, depth: int) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        while (lexeme := self.lexeme()) != "}":
            key = self._text_of(lexeme)
            line, column = self._line, self._at - self._line_start + 1
            node = self.value(self.lexeme(), depth + 1)
            if key in entries:
                message = f"the key `{shown(key)}` is written twice, first in line {entries[key].key_line}"
                note(self._problems, Problem(line, column, message, "Keep one of the two."))
            else:
                entries[key] = Node(node.value, node.line, node.column, line, column)
        return entries

    def _list(self, depth: int) -> list[Node]:
        items: list[Node] = []
        while (lexeme := self.lexeme()) != "]":
            items.append(self.value(lexeme, depth + 1))
        return items

    def _text_of(self, lexeme: str) -> str:
        if "\\" not in lexeme:
            return lexeme[1:-1]
        text = str(json.loads(lexeme))
        if _SURROGATE.search(text):
            hint = "Write both halves, or the character itself."
            raise self._malformed("this string holds half of a surrogate pair", hint)
        return text

    def _scalar(self, lexeme: str) -> Scalar:
        if lexeme in _WORDS:
            return _WORDS[lexeme]
        if lexeme[-1].isalpha():
            raise self._malformed(f"`{shown(lexeme)}` is not JSON", "Write text in double quotes.")
        if len(lexeme) > MOST_DIGITS:
            raise self._malformed("this number is too long", "Write fewer digits, or quote it.")
        if lexeme.lstrip("-").isdigit():
            return int(lexeme)
        value = float(lexeme)
        if not math.isfinite(value):
            raise self._malformed("this number is too large", "Write a smaller one, or quote it.")
        return value if repr(value) == lexeme else WrittenFloat(lexeme)

    def _malformed(self, message: str, hint: str) -> Malformed:
        return Malformed(self._line, self._at - self._line_start + 1, message, hint)
