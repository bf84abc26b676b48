"""The crossing of a case: whether its reference passes if judged apart, and by which contracts. Data, and its JSON.

The contracts record how the reference crossed the boundary to its tests (docs/explanation/boundary.md). Every
submission is judged in the same way and by the same contracts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from gradebox.sandbox.records import dataclass

_ITEM = re.compile(r'(\[(?:"(?:[^"\\]|\\.)*"|\d+)?\])')
_ANY = "[]"
_OBJECTS = frozenset({"object", "function", "class"})
_TEXTS = ("why", "note", "content")


class Isolation(StrEnum):
    """Whether the code that decides a verdict shares a process and a user with the submission."""

    APART = "apart"
    IN_PROCESS = "in-process"
    # Apart if the reference passes apart.
    AUTO = "auto"


class ContractRule(StrEnum):
    """What a contract allows tests that run apart."""

    RECORDED = "recorded"  # They request only what they requested of the reference.
    EXACT = "exact"  # Also, a test passes only with the reference's answers.
    NONE = "none"  # They may request anything.


Contract = Mapping[str, frozenset[str]]
"""The words of each path: the requests and the kinds of values that the contract allows there."""


class _Steps:
    """The words of a path, and the longer paths that start with it."""

    def __init__(self) -> None:
        self.words: set[str] = set()
        self.further: dict[str, _Steps] = {}

    def add(self, other: _Steps) -> None:
        self.words |= other.words
        for step, steps in other.further.items():
            self.further.setdefault(step, _Steps()).add(steps)

    def arrivals(self) -> tuple[bool, bool]:
        return "data" in self.words, not _OBJECTS.isdisjoint(self.words)

    def fold(self) -> None:
        items = {step: steps for step, steps in self.further.items() if _ITEM.fullmatch(step)}
        if items and len({steps.arrivals() for steps in items.values()} - {(False, False)}) < 2:
            any_item = _Steps()
            for step, steps in items.items():
                del self.further[step]
                any_item.add(steps)
            self.further[_ANY] = any_item
        for steps in self.further.values():
            steps.fold()

    def contract(self, path: str, found: dict[str, frozenset[str]]) -> None:
        """Collect the words of all paths that have words. Consecutive steps to any item (`[]`) are written once."""
        if self.words:
            found[path] = found.get(path, frozenset()) | self.words
        for step, steps in self.further.items():
            steps.contract(path if step == _ANY and path.endswith(_ANY) else path + step, found)


def folded(contract: Contract) -> Contract:
    """Return a contract in which all items of a container share one path if they were of the same kind.

    If some items were objects and others data, each position and key keeps its own path.
    """
    root = _Steps()
    for path, words in contract.items():
        place = root
        for step in filter(None, _ITEM.split(path)):
            place = place.further.setdefault(step, _Steps())
        place.words |= words
    root.fold()
    found: dict[str, frozenset[str]] = {}
    root.contract("", found)
    return found


@dataclass(frozen=True, slots=True)
class Crossing:
    """How the submissions of a case are judged."""

    isolation: Isolation  # Never `AUTO`.
    # The recorded contracts, by the names under which evidence is kept; not every check has one.
    contracts: Mapping[str, Contract] = field(default_factory=dict)
    why: str = ""  # Why this `isolation` applies, a clause; empty if the case sets it.
    note: str = ""  # A fact that a reader of the verdicts must know, a sentence.
    content: str = ""  # A hash of everything that the crossing depends on.
    problem: str = ""  # Why nothing can be judged, a sentence. If set, ignore the other fields.


def as_document(crossing: Crossing) -> dict[str, Any]:
    """Return a crossing without a problem as a JSON value; equal crossings give the same value."""
    contracts = {
        check: {path: sorted(words) for path, words in sorted(found.items())}
        for check, found in sorted(crossing.contracts.items())
    }
    texts = {name: getattr(crossing, name) for name in _TEXTS}
    return {"isolation": str(crossing.isolation), "contracts": contracts, **texts}


def of_document(value: Any) -> Crossing:
    """Return the crossing in a JSON value. Raises ValueError if it is invalid."""
    if not isinstance(value, dict) or not isinstance(value.get("contracts"), dict):
        raise ValueError("it is not a mapping with contracts")  # noqa: TRY004 - one error for all that may be wrong
    texts = {name: value.get(name, "") for name in _TEXTS}
    isolation = Isolation(value.get("isolation", ""))
    if isolation is Isolation.AUTO or not all(isinstance(text, str) for text in texts.values()):
        raise ValueError("it has a value of another kind")
    return Crossing(isolation, {str(name): contract_of(found) for name, found in value["contracts"].items()}, **texts)


def contract_of(value: Any) -> Contract:
    """Return the contract in a JSON value. Raises ValueError if it is invalid."""
    is_contract = isinstance(value, dict) and all(
        isinstance(words, list) and all(isinstance(word, str) for word in words) for words in value.values()
    )
    if not is_contract:
        raise ValueError("a contract has lists of words by path")
    return {path: frozenset(words) for path, words in value.items()}
