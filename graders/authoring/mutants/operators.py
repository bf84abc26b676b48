"""The mutation operators: the edits of one node of a syntax tree, by the table of its language."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from gradebox.graders.languages.mutation_table import MutationTable

if TYPE_CHECKING:
    from tree_sitter import Node

OTHER_TEXT = "mutant"


class Edit(NamedTuple):
    """A range of bytes of a source, and their replacement."""

    operator: str
    start: int
    end: int
    start_line: int  # From 0.
    text: str


def edits(node: Node, table: MutationTable) -> Iterator[Edit]:
    """Yield the edits of a node."""
    yield from _operations(node, table)
    yield from _constants(node, table)
    yield from _conditions(node, table)
    yield from _statements(node, table)
    yield from _arguments(node, table)
    yield from _bounds(node, table)


def _edit(operator: str, node: Node, text: str) -> Edit:
    return Edit(operator, node.start_byte, node.end_byte, node.start_point[0], text)


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def _operations(node: Node, table: MutationTable) -> Iterator[Edit]:
    if node.type not in table.operations:
        return
    for child in node.children:
        if (swap := table.swaps.get(_text(child))) and not child.named_children:
            yield _edit(swap[0], child, swap[1])


def _constants(node: Node, table: MutationTable) -> Iterator[Edit]:
    text = _text(node)
    if node.type in table.numbers:
        if text.isdecimal():
            yield _edit("constant", node, str(int(text) + 1))
            yield _edit("constant", node, "0" if int(text) else "-1")
        else:
            yield _edit("constant", node, f"({text} + 1)")
    elif node.type in table.strings and not _is_documentation(node):
        quote = text[-1:]
        is_empty = text in {quote * 2, quote * 6}
        yield _edit("constant", node, f"{quote}{OTHER_TEXT}{quote}" if is_empty else quote * 2)
    elif node.type in table.truths and node.is_named:
        yield _edit("constant", node, table.truths[node.type] or ("false" if text == "true" else "true"))


def _is_documentation(node: Node) -> bool:
    """Return whether a string is documentation, or a part of another string."""
    return node.parent is not None and node.parent.type in {
        "expression_statement",
        "concatenated_string",
        "source_file",
    }


def _conditions(node: Node, table: MutationTable) -> Iterator[Edit]:
    if node.type not in table.tests:
        return
    condition = node.child_by_field_name("condition")
    if condition is None and node.named_children:
        condition = node.named_children[1 if node.type == "conditional_expression" else 0]
    if condition is None:
        return
    inner = condition
    if condition.type == "parenthesized_expression" and condition.named_children:
        inner = condition.named_children[0]
    yield _edit("negated condition", inner, table.negated.format(_text(inner)))


def _statements(node: Node, table: MutationTable) -> Iterator[Edit]:
    kind = node.type
    if kind in table.statements and not _is_documented(node):
        yield _edit("removed statement", node, table.nothing)
    elif kind in table.raising:
        yield _edit("swallowed exception", node, table.nothing)
    elif kind in table.returns and node.named_children:
        yield _edit("return value", node, table.returns[kind])
    elif kind in table.jumps and not node.named_children:
        yield _edit("break and continue", node, table.jumps[kind])
    elif kind in table.awaits and node.named_children:
        yield _edit("removed await", node, _text(node.named_children[-1]))
    elif kind in table.handlers:
        yield _edit("swallowed exception", node.named_children[-1], table.handlers[kind])
    elif kind in table.defaults:
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        if value is not None:
            yield _edit("default value", value, table.defaults[kind])


def _is_documented(node: Node) -> bool:
    return len(node.named_children) == 1 and node.named_children[0].type == "string"


def _arguments(node: Node, table: MutationTable) -> Iterator[Edit]:
    if node.type not in table.arguments or _is_definition(node.parent):
        return
    given = [child for child in node.named_children if child.type not in table.left]
    for one, other in pairwise(given):
        if "keyword" in one.type + other.type or _text(one) == _text(other):
            continue
        between = (node.text or b"")[one.end_byte - node.start_byte : other.start_byte - node.start_byte].decode()
        text = f"{_text(other)}{between}{_text(one)}"
        yield Edit("swapped arguments", one.start_byte, other.end_byte, one.start_point[0], text)


def _is_definition(call: Node | None) -> bool:
    """Return whether an apparent call defines a function, as in Julia's ``f(a, b) = a * b``."""
    owner = call.parent if call is not None else None
    return owner is not None and (
        owner.type == "signature" or (owner.type == "assignment" and owner.children[0] == call)
    )


def _bounds(node: Node, table: MutationTable) -> Iterator[Edit]:
    parent = node.parent
    if parent is None or not node.is_named:
        return
    called = parent.parent.child_by_field_name("function") if parent.parent and parent.type in table.arguments else None
    name = _text(called).rpartition(".")[2] if called is not None else ""
    if parent.type in table.bounds or name in table.ranges:
        yield _edit("off by one", node, f"{_text(node)} + 1")
