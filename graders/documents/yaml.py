"""Parses YAML text into a `Node` tree, from events and without constructing objects.

The text is hostile input, so depth, nodes, and nodes repeated by aliases are limited. It must be one document without
tags, directives and duplicate keys. `scalars.py` reads plain scalars. Merge keys (``<<``) work as in YAML 1.1: entries
of the mapping itself take precedence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field
from typing import Any

import yaml

from gradebox.graders.documents.diagnostics import shown
from gradebox.graders.documents.positions import MAX_DEPTH, MAX_NODES, Malformed, Node, Problem, Value, note
from gradebox.graders.documents.scalars import plain_scalar
from gradebox.sandbox.records import dataclass

MAX_REPEATED_NODES = 100_000

# The C parser is ten times faster. Without libyaml, the Python parser gives the same events.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DIRECTIVE = re.compile(r"^%(?:YAML|TAG)\b", re.MULTILINE)
# List entries that are meant as text, such as lines of a program: `- "a" == f(1)`, and `- f({a: 1})`.
_GOES_ON_AFTER_QUOTES = re.compile(r"""\s*-\s+(?:"(?:[^"\\]|\\.)*"|'[^']*')\s*[^\s:#,]""")
_COLON_IN_TEXT = re.compile(r"\s*-\s+[^\s\"'{\[:]+[({\[].*:\s")
_MERGE = "<<"
_STANDARD_TAG = "tag:yaml.org,2002:"


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not been reached."""

    node: Node
    anchor: str | None
    nodes_before: int
    key: Node | None = None
    # The depth of the nodes inside.
    height: int = 0
    merges: list[tuple[Node, Node]] = field(default_factory=list)


def read_yaml(text: str, problems: list[Problem]) -> Node:
    """Read one YAML document.

    Mistakes that do not prevent reading the rest are added to `problems`.

    Raises:
        Malformed: If it is not YAML, or uses features that are not accepted.
    """
    directive = _DIRECTIVE.search(text)
    if directive:
        line = text.count("\n", 0, directive.start()) + 1
        raise Malformed(line, 1, "YAML directives are not accepted", "Remove the line.")
    loader = _LOADER(text)
    try:
        return _Composer(loader, problems).compose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        context = error.context
        if context and error.context_mark and error.context_mark.line + 1 < line:
            context += f" that begins in line {error.context_mark.line + 1}"
        what = ", ".join(part for part in (context, error.problem) if part)
        if "maximum nesting depth" in what:
            # Since 0.2.6, libyaml has its own limit, and it reads ahead of our check.
            raise _too_deep(line, column) from None
        hint = _syntax_hint(what, text.split("\n", line)[line - 1 :][:1], column)
        raise Malformed(line, column, f"this is not YAML: {what}", hint) from None
    except yaml.reader.ReaderError as error:
        # The C parser counts bytes, so the position is computed again.
        found = yaml.reader.Reader.NON_PRINTABLE.search(text)
        before = text[: found.start() if found else error.position]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise Malformed(line, column, f"this is not YAML: {error.reason}", "Remove the control character.") from None
    finally:
        loader.dispose()


def _too_deep(line: int, column: int) -> Malformed:
    return Malformed(line, column, f"this is nested deeper than {MAX_DEPTH} levels", "Flatten it.")


def _syntax_hint(what: str, line: list[str], column: int) -> str:
    if line and line[0][column - 1 : column] == "\t":
        return "A tab cannot indent YAML; use spaces."
    if line and _GOES_ON_AFTER_QUOTES.match(line[0]):
        return "A text that begins with a quote ends with the next one: put all of it between quotes of the other kind."
    if "mapping values are not allowed" in what or (line and _COLON_IN_TEXT.match(line[0])):
        return "Quote text that contains `: `, and check the indentation."
    if "block mapping" in what or "block end" in what or "block collection" in what:
        return "Check the indentation of this line and the one before it."
    if "cannot start any token" in what:
        return "Quote text that starts with a special character such as `@`, `` ` `` or `%`."
    return "Check quotes, brackets and indentation."


class _Composer:
    """Builds nodes from the events of one document, without recursion."""

    def __init__(self, loader: Any, problems: list[Problem]) -> None:
        self._loader = loader
        self._problems = problems
        self._anchors: dict[str, tuple[Node, int, int]] = {}
        self._open: list[_Open] = []
        self._nodes = 0
        self._repeated = 0
        self._root: Node | None = None

    def compose(self) -> Node:
        handlers: dict[type, Callable[[Any], None]] = {
            yaml.DocumentStartEvent: self._document,
            yaml.ScalarEvent: self._scalar,
            yaml.SequenceStartEvent: lambda event: self._start(event, []),
            yaml.MappingStartEvent: lambda event: self._start(event, {}),
            yaml.SequenceEndEvent: self._end,
            yaml.MappingEndEvent: self._end,
            yaml.AliasEvent: self._alias,
        }
        while True:
            event = self._loader.get_event()
            kind = type(event)
            if kind in handlers:
                handlers[kind](event)
            elif kind is yaml.StreamEndEvent:
                break
        if self._root is None or self._root.value == plain_scalar(""):
            raise Malformed(1, 1, "the file is empty", "Write a case in it.")
        return self._root

    def _document(self, event: Any) -> None:
        if self._root is not None:
            mark = event.start_mark
            message = "a second YAML document starts here"
            raise Malformed(mark.line + 1, mark.column + 1, message, "Write one document per file.")

    def _scalar(self, event: Any) -> None:
        self._refuse_tag(event)
        mark = event.start_mark
        line, column = mark.line + 1, mark.column + 1
        text, plain = event.value, event.style in (None, "")
        if self._open and self._expects_key():
            if plain and not text:
                raise Malformed(line, column, "a key is missing before `:`", "Write the key, or quote the text.")
            # Keys are always text: `on:` is the key "on".
            self._place(Node(text, line, column), event.anchor, 1, 1)
        else:
            self._place(Node(plain_scalar(text) if plain else text, line, column), event.anchor, 1, 1)

    def _start(self, event: Any, value: Value) -> None:
        self._refuse_tag(event)
        mark = event.start_mark
        node = Node(value, mark.line + 1, mark.column + 1)
        if len(self._open) >= MAX_DEPTH:
            raise _too_deep(node.line, node.column)
        if self._open and self._expects_key():
            raise Malformed(node.line, node.column, "a key must be text", "Write the key as one word or quote it.")
        self._open.append(_Open(node, event.anchor, self._nodes))

    def _end(self, _: Any) -> None:
        done = self._open.pop()
        for key, merged in done.merges:
            self._merge(done.node, key, merged)
        self._place(done.node, done.anchor, 1, self._nodes - done.nodes_before + 1, done.height + 1)

    def _alias(self, event: Any) -> None:
        mark = event.start_mark
        line, column = mark.line + 1, mark.column + 1
        if event.anchor not in self._anchors:
            message = f"the alias `*{shown(event.anchor)}` has no anchor before it"
            raise Malformed(line, column, message, f"Write `&{shown(event.anchor)}` where it is defined.")
        node, size, height = self._anchors[event.anchor]
        if len(self._open) + height > MAX_DEPTH:
            raise _too_deep(line, column)
        self._repeated += size
        if self._repeated > MAX_REPEATED_NODES:
            message = f"aliases repeat more than {MAX_REPEATED_NODES} values"
            raise Malformed(line, column, message, "Write the values out, or fewer of them.")
        if self._open and self._expects_key() and not isinstance(node.value, str):
            raise Malformed(line, column, "a key must be text", "Write the key as one word or quote it.")
        self._place(node._replace(line=line, column=column), None, size, size, height)

    def _refuse_tag(self, event: Any) -> None:
        if event.tag is not None:
            mark = event.start_mark
            message = f"the YAML tag `{shown(event.tag.replace(_STANDARD_TAG, '!!'))}` is not accepted"
            hint = "Remove the tag; quote the value if it is text."
            note(self._problems, Problem(mark.line + 1, mark.column + 1, message, hint))

    def _expects_key(self) -> bool:
        top = self._open[-1]
        return isinstance(top.node.value, dict) and top.key is None

    def _place(self, node: Node, anchor: str | None, added: int, size: int, height: int = 0) -> None:
        """Add a complete node to the open list or mapping, as a value or a key, or make it the root."""
        self._nodes += added
        if self._nodes > MAX_NODES:
            message = f"the document has more than {MAX_NODES} values"
            raise Malformed(node.line, node.column, message, "Split it into several files.")
        if anchor is not None:
            self._anchors[anchor] = (node, size, height)
        if not self._open:
            self._root = node
            return
        top = self._open[-1]
        top.height = max(top.height, height)
        value = top.node.value
        if isinstance(value, list):
            value.append(node)
        elif isinstance(value, dict):
            if top.key is None:
                top.key = node
            else:
                self._entry(top, value, top.key, node)
                top.key = None

    def _entry(self, top: _Open, mapping: dict[str, Node], key: Node, node: Node) -> None:
        name = str(key.value)
        if name == _MERGE and not top.merges:
            top.merges.append((key, node))
        elif name in mapping or name == _MERGE:
            line = top.merges[0][0].line if name == _MERGE else mapping[name].key_line
            message = f"the key `{shown(name)}` is written twice, first in line {line}"
            note(self._problems, Problem(key.line, key.column, message, "Keep one of the two."))
        else:
            mapping[name] = Node(node.value, node.line, node.column, key.line, key.column)

    def _merge(self, target: Node, key: Node, source: Node) -> None:
        """Add the entries that ``<<`` names to a mapping, unless it has the same keys."""
        sources = source.value if isinstance(source.value, list) else [source]
        for entry in sources:
            if not isinstance(entry.value, dict):
                message = "`<<` takes a mapping or a list of mappings"
                note(self._problems, Problem(key.line, key.column, message, "Write `<<: *name`."))
                return
            assert isinstance(target.value, dict)
            for name, node in entry.value.items():
                target.value.setdefault(name, node)
