"""Documents with positions: the content of a file, and the line and column of each part.

Readers of YAML, JSON and TOML return `Node` trees. All other code uses plain data, and gets the place of a path from
the `Document`. A path may use the first name of a field although the file uses another spelling (`also`); `find`
follows the spellings of the file and returns the path as written there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from gradebox.graders.documents.diagnostics import DocumentPath, written_path
from gradebox.graders.documents.entries import all_spellings
from gradebox.graders.documents.scalars import Scalar
from gradebox.graders.model.case import Place
from gradebox.sandbox.records import dataclass

MAX_DEPTH = 100
MAX_NODES = 400_000
MAX_PROBLEMS = 100

Value: TypeAlias = "Scalar | list[Node] | dict[str, Node]"


class Node(NamedTuple):
    """A part of a document and its line and column, which begin at 1."""

    value: Value  # A scalar, or a list or mapping of nodes.
    # Where the value starts.
    line: int
    column: int
    # Where the key of the value starts; 0 without a key.
    key_line: int = 0
    key_column: int = 0


class Found(NamedTuple):
    """The result of following a path: the last node that exists, and the path as the document writes it."""

    node: Node
    path: DocumentPath
    complete: bool


class Problem(NamedTuple):
    """A mistake in one place of a text that can still be read."""

    line: int
    column: int
    message: str
    hint: str = ""


class Malformed(Exception):
    """A file cannot be read as a document at all. The code that opened the file catches this."""

    def __init__(self, line: int, column: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.line = line
        self.column = column
        self.message = message
        self.hint = hint


def note(problems: list[Problem], problem: Problem) -> None:
    """Add a problem to the list. Raises Malformed if there are MAX_PROBLEMS already."""
    if len(problems) >= MAX_PROBLEMS:
        raise Malformed(problem.line, problem.column, "too many mistakes before this", "Fix those first.")
    problems.append(problem)


@dataclass(frozen=True, slots=True)
class Document:
    """The content of a file, or of one line of it."""

    file: Path
    root: Node
    prefix: DocumentPath = ()  # The path of `root` in the file, if the document is a part of the file.
    foreign: bool = False  # Whether the document comes from a foreign format.

    def place(self, path: DocumentPath = (), *, of_key: bool = False) -> Place:
        """Return the place of a path's value or key. If the path does not exist, take its longest existing part."""
        found = find(self.root, path)
        node, written = found.node, written_path(self.prefix + found.path)
        if of_key and node.key_line:
            return Place(self.file, node.key_line, node.key_column, written)
        return Place(self.file, node.line, node.column, written)

    def part(self, path: DocumentPath) -> Document:
        """Return the part of this document at a path as a document."""
        found = find(self.root, path)
        return Document(self.file, found.node, self.prefix + found.path, self.foreign)

    def written(self, path: DocumentPath) -> DocumentPath:
        """Return the path with the names that the file uses."""
        found = find(self.root, path)
        rest: DocumentPath = () if found.complete else path[-1:]
        return self.prefix + found.path + rest

    @property
    def data(self) -> Any:
        return data(self.root)


def data(node: Node) -> Any:
    """Return the plain data of a node. Mappings and lists are copies, even if the document shares them."""
    value = node.value
    if type(value) is dict:
        return {key: data(child) for key, child in value.items()}
    if type(value) is list:
        return [data(child) for child in value]
    return value


def find(root: Node, path: DocumentPath) -> Found:
    """Follow a path as far as it exists.

    Two kinds of parts are skipped: parts that start with ``|``, which name an alternative of a type, and an index into
    a value that is not a list, since a single value may stand for a list of one.
    """
    node, value = root, root.value
    # Most paths use the spellings of the document.
    for part in path:
        if (type(value) is dict and part in value) or (type(value) is list and type(part) is int and part < len(value)):
            node = value[part]  # type: ignore[index]
            value = node.value
        else:
            break
    else:
        return Found(node, path, complete=True)
    part, rest = path[0], path[1:]
    value = root.value
    if isinstance(part, int):
        if not isinstance(value, list):
            return find(root, rest)
        return _beyond((part,), value[part], rest) if part < len(value) else Found(root, (), complete=False)
    best = Found(root, (), complete=False)
    if isinstance(value, dict):
        for names, beyond in _routes(value, path):
            found = _beyond(names, _inside(root, names), beyond)
            if found.complete:
                return found
            best = max(best, found, key=lambda candidate: len(candidate.path))
    return find(root, rest) if part.startswith("|") else best


def _beyond(names: DocumentPath, node: Node, rest: DocumentPath) -> Found:
    found = find(node, rest)
    return Found(found.node, names + found.path, found.complete)


def _inside(node: Node, names: tuple[str, ...]) -> Node:
    for name in names:
        assert isinstance(node.value, dict)
        node = node.value[name]
    return node


def _routes(mapping: dict[str, Node], path: DocumentPath) -> Iterator[tuple[tuple[str, ...], DocumentPath]]:
    """Yield the spellings of the path's first field that the mapping has, each with the rest of the path."""
    if path[0] in mapping:
        yield (str(path[0]),), path[1:]
    for length in (2, 1):
        head = [part for part in path[:length] if isinstance(part, str)]
        if len(head) < length:
            continue
        for spelling in all_spellings(".".join(head)):
            names = tuple(spelling.split("."))
            if _has(mapping, names):
                yield names, path[length:]


def _has(mapping: dict[str, Node], names: tuple[str, ...]) -> bool:
    value: Value = mapping
    for name in names:
        if not isinstance(value, dict) or name not in value:
            return False
        value = value[name].value
    return True
