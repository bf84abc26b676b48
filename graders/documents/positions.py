"""Documents with positions: what a file holds, and where in the file each part of it is written.

Readers of YAML, JSON and TOML deliver `Node` trees. Everything after them uses plain data and gets the place of a path
from the `Document`. A path may use the first name of a field although the file uses another one (`also`); `find`
follows the names that are there and returns the path as it is written.
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
    """A part of a document and where it is written (1-based)."""

    value: Value  # A scalar, or a list or mapping of nodes.
    # Where the value starts.
    line: int
    column: int
    # Where its key starts if it is the value of a key, else 0.
    key_line: int = 0
    key_column: int = 0


class Found(NamedTuple):
    """Where a path leads: the last part of it that exists, and the path as the document writes it."""

    node: Node
    path: DocumentPath
    complete: bool


class Problem(NamedTuple):
    """A mistake in one place of a text that can be read nevertheless."""

    line: int
    column: int
    message: str
    hint: str = ""


class Malformed(Exception):
    """A file cannot be read as a document at all; caught where the file was opened."""

    def __init__(self, line: int, column: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.line = line
        self.column = column
        self.message = message
        self.hint = hint


def note(problems: list[Problem], problem: Problem) -> None:
    """Keep a problem; a text with very many is given up."""
    if len(problems) >= MAX_PROBLEMS:
        raise Malformed(problem.line, problem.column, "too many mistakes before this", "Fix those first.")
    problems.append(problem)


@dataclass(frozen=True, slots=True)
class Document:
    """A file, or one line of it, that was read."""

    file: Path  # Where it comes from.
    root: Node  # What it holds.
    prefix: DocumentPath = ()  # Path of `root` in the file, for documents that are a part of one.
    foreign: bool = False  # Whether a foreign format made it.

    def place(self, path: DocumentPath = (), *, of_key: bool = False) -> Place:
        """Return where the value of a path is written, or its key; of the nearest part that exists."""
        found = find(self.root, path)
        node, written = found.node, written_path(self.prefix + found.path)
        if of_key and node.key_line:
            return Place(self.file, node.key_line, node.key_column, written)
        return Place(self.file, node.line, node.column, written)

    def part(self, path: DocumentPath) -> Document:
        """Return the document that is found at a path of this one."""
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
    """Return the plain data of a node; mappings and lists are new, even where the document shares them."""
    value = node.value
    if type(value) is dict:
        return {key: data(child) for key, child in value.items()}
    if type(value) is list:
        return [data(child) for child in value]
    return value


def find(root: Node, path: DocumentPath) -> Found:
    """Follow a path as far as it goes.

    Parts that start with ``|`` name an alternative of a type, not a part of the document, and are passed over; so is
    an index into something that is not a list, since a single value may stand for a list of one.
    """
    node, value = root, root.value
    # Most paths are written as they are.
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
    """Yield the spellings of the path's first field that the mapping has, and what is left of the path after it."""
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
