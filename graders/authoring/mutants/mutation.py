"""Makes the mutants of one source by the table of its language. It grades nothing.

A mutant that the grammar cannot parse is left out. Positions count bytes of the source.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from gradebox.graders.authoring.mutants.operators import edits
from gradebox.graders.errors import UsageRefused
from gradebox.graders.languages import of_fence
from gradebox.graders.languages.mutation_table import MutationTable

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


@dataclass(frozen=True, slots=True)
class Mutant:
    """One small mistake in one file."""

    path: str
    line: int  # The line in which the mistake begins, from 1.
    function: str  # The function or class around it; empty outside of any.
    operator: str
    before: str  # The original line, stripped.
    after: str  # The same line in the mutant, stripped.
    text: str  # The whole file with the mistake.
    # The whole file with a statement that ends the process in place of the mistake; empty if that is impossible.
    probe: str = ""

    @property
    def diff(self) -> tuple[str, str, str]:
        return f"{self.path}:{self.line} ({self.operator})", f"- {self.before}", f"+ {self.after}"


def is_known(path: str) -> bool:
    """Return whether files of this name can be mutated."""
    return _table(path) is not None


def mutants_of(path: str, source: str, lines: Collection[int]) -> Iterator[Mutant]:
    """Yield the mutants of a file that begin in one of `lines`, in the order of the source.

    Raises UsageRefused if the grammar of its language is not installed.
    """
    table = _table(path)
    assert table is not None
    parser, data = _parser(table.module), source.encode()
    pending, seen = [parser.parse(data).root_node], {data}
    while pending:
        node = pending.pop()
        if node.type in table.left:
            continue
        pending += reversed(node.children)
        for edit in edits(node, table):
            line = edit.start_line + 1
            changed = data[: edit.start] + edit.text.encode() + data[edit.end :]
            if line not in lines or changed in seen or parser.parse(changed).root_node.has_error:
                continue
            seen.add(changed)
            before, after = (_line(each, edit.start) for each in (data, changed))
            probe = _probe(node, data, table, parser)
            yield Mutant(path, line, _function(node, table), edit.operator, before, after, changed.decode(), probe)


def _line(data: bytes, at: int) -> str:
    begin = data.rfind(b"\n", 0, at) + 1
    end = data.find(b"\n", at)
    return data[begin : end if end >= 0 else len(data)].decode().strip()


def _function(node: Node, table: MutationTable) -> str:
    names: list[str] = []
    at: Node | None = node
    while at is not None:
        name = at.child_by_field_name("name") if at.type in table.functions else None
        if at.type in table.functions and name is None and at.named_children:
            name = at.named_children[0] if at.type.endswith("definition") else None
        if name is not None and name.text:
            names.append(name.text.decode().partition("(")[0])
        at = at.parent
    return ".".join(reversed(names))


def _probe(node: Node, data: bytes, table: MutationTable, parser: Parser) -> str:
    """Return the source with the innermost statement around a node replaced by one that ends the process, or empty."""
    at: Node | None = node
    while at is not None and at.parent is not None and at.type not in table.functions:
        if _is_statement(at, table):
            changed = data[: at.start_byte] + table.ends.encode() + data[at.end_byte :]
            if not parser.parse(changed).root_node.has_error:
                return changed.decode()
        at = at.parent
    return ""


def _is_statement(node: Node, table: MutationTable) -> bool:
    kind = node.type
    return kind in table.statements or (
        kind.endswith(("_statement", "_declaration")) and kind != "redirected_statement"
    )


def _table(path: str) -> MutationTable | None:
    language = of_fence(path.rpartition(".")[2])
    return language.mutations() if language else None


@cache
def _parser(grammar: tuple[str, str]) -> Parser:
    module, function = grammar
    try:
        import tree_sitter  # noqa: PLC0415 - an extra, which may be missing

        return tree_sitter.Parser(tree_sitter.Language(getattr(import_module(module), function)()))
    except ImportError as error:
        name = module.replace("_", "-")
        remedy = "pip install 'gradebox[mutants]'"
        raise UsageRefused(f"Mutants need tree-sitter and {name}, which are not installed.", remedy=remedy) from error
