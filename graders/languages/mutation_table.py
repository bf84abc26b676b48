"""The changes that `grade mutants` makes in a language: node kinds of its grammar, in ``mutations.TABLE``. Data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class MutationTable:
    """The node kinds of one grammar. `{}` in a text stands for the source of the replaced node.

    Attributes:
        module: The module of the grammar, and its function that returns the language.
        operations: Kinds whose operators are swapped, as `swaps` describes.
        tests: Kinds that have a condition, and its field; empty for the first child in brackets.
        statements: Kinds that are removed.
        left: Kinds below which nothing is mutated: types, imports, comments.
    """

    module: tuple[str, str]
    functions: frozenset[str]
    operations: frozenset[str]
    swaps: Mapping[str, tuple[str, str]]
    numbers: frozenset[str]
    strings: frozenset[str]
    truths: Mapping[str, str]
    tests: frozenset[str]
    negated: str
    statements: frozenset[str]
    raising: frozenset[str]
    handlers: Mapping[str, str]  # A kind, and the replacement of its body.
    nothing: str  # A statement that does nothing.
    returns: Mapping[str, str]
    arguments: frozenset[str]
    ends: str  # A statement that ends the process.
    bounds: frozenset[str] = frozenset()
    ranges: frozenset[str] = frozenset()  # Functions whose arguments are bounds.
    jumps: Mapping[str, str] = field(default_factory=dict)
    awaits: frozenset[str] = frozenset()
    defaults: Mapping[str, str] = field(default_factory=dict)  # A kind, and its other value.
    left: frozenset[str] = frozenset({"comment"})


def words(text: str) -> frozenset[str]:
    """Return the kinds in a text, separated by spaces."""
    return frozenset(text.split())


def swaps(text: str) -> Mapping[str, tuple[str, str]]:
    """Read lines of `operator: one other, one other`."""
    found = {}
    for line in text.strip().splitlines():
        kind, _, pairs = line.strip().partition(": ")
        for pair in pairs.split(", "):
            one, other = pair.split(" > ")
            found[one] = (kind, other)
    return MappingProxyType(found)
