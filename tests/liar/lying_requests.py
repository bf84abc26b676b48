"""Requests that a lying peer makes: every word, on every kind of subject, with names of every class.

The choice of a cell is uniform, so that a long run tries each. Where a cell must be refused, the request says why
(`forbidden`); the liar looks at the answer.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import lying_names
from cells import NAMES, REQUESTS, SUBJECTS, Cells
from conversation import Conversation, Request
from golden_boundary import TABLE
from lying_names import FOREIGN_REQUESTS
from lying_values import Values

_NAMED = ("get", "has", "operator")
# A mock has attributes of every other name.
_CLOSED_NAMES = ("private", "dunder", "administration", "no text")
_BORDER = ("private", "dunder", "administration", "public")
_NO_SUBJECTS = ("own", "never sent", "released", "data", "constant", "value", "zero", "no number")
_ASKED = {
    "lent object": ("call", "get", "get", "has", "keys", "operator"),
    "lent function": ("call",),
    "lent class": ("call", "call", "get", "has"),
}
_LENT = ("lent object", "lent object", "lent class", "lent function", "container")
_MOCKED = tuple(TABLE["names"]["closed"])


class LyingRequests:
    """Makes requests of a liar's."""

    def __init__(self, chance: random.Random, values: Values, cells: Cells) -> None:
        self.chance = chance
        self.values = values
        self.cells = cells
        self._by_word: dict[str, list[Any]] | None = None

    def request(self, talk: Conversation, templates: Sequence[Any], *, polite: bool = False) -> Request:
        """Return a request, which is noted in the conversation; now and then one that an honest process made."""
        chance = self.chance
        if polite or chance.random() < 0.5:
            if templates and (talk.lent or not polite) and chance.random() < 0.6:
                return self._as_before(talk, chance.choice(self._once(templates)))
            if talk.lent and chance.random() < (0.998 if polite else 0.95):
                return self._allowed(talk)
        # What is just beyond the border is tried more often.
        is_near = chance.random() < 0.5
        what = chance.choice(_NAMED if is_near else REQUESTS)
        if what == "foreign":
            what = chance.choice(FOREIGN_REQUESTS)
        kind, subject = self.subject(talk, chance.choice(_LENT if is_near else SUBJECTS))
        name_class = chance.choice(_BORDER if is_near and chance.random() < 0.5 else NAMES)
        parts = [subject]
        name: Any = None
        if name_class != "none":
            name = lying_names.name(chance, name_class, talk.said)
            parts.append(name)
        if what not in ("get", "has", "keys") or chance.random() < 0.1:
            parts += self.arguments(talk)
        self.cells.request(what, kind, name_class)
        return talk.ask(what, parts, _forbidden(what, kind, name_class, name))

    def _once(self, templates: Sequence[Any]) -> Sequence[Any]:
        """Return requests of one word of those that an honest process made, so that none is rare."""
        if self._by_word is None:
            self._by_word = {}
            for template in templates:
                self._by_word.setdefault(str(template[0]), []).append(template)
        return self._by_word[self.chance.choice([*self._by_word])]

    def _as_before(self, talk: Conversation, template: Any) -> Request:
        """Return a request that an honest process made, of another object or with other arguments."""
        chance = self.chance
        if template[0] == "note":
            return talk.ask("note", self._noted(template[1:], talk))
        what, subject, *parts = template
        if talk.lent and chance.random() < 0.9:
            subject = ["o", chance.choice([*talk.lent])]
        parts = [self.values.renumbered(part, talk) for part in parts]
        for part in parts:
            if isinstance(part, list) and part[:1] == ["t"]:
                part[1:] = [self.values.value(talk, 2) if chance.random() < 0.5 else each for each in part[1:]]
        return talk.ask(
            what, [subject, *(self.values.value(talk, 2) if chance.random() < 0.03 else part for part in parts)]
        )

    def _noted(self, parts: list[Any], talk: Conversation) -> list[Any]:
        """Return a warning or a record that names files."""
        paths = [name for name in lying_names.CLASSES["module"] if "/" in str(name)]
        parts = [self.values.renumbered(part, talk) for part in parts]
        return [*parts[:2], *(self.chance.choice(paths) if isinstance(part, str) else part for part in parts[2:])]

    def _allowed(self, talk: Conversation) -> Request:
        """Return a request that the table allows of what was lent."""
        chance = self.chance
        number = chance.choice([*talk.lent])
        kind = _kind(talk.lent[number])
        what = chance.choice(
            ("call", "get", "has", "keys", "operator") if kind == "lent object" else ("call", "call", "get")
        )
        name_class = "none" if what in ("call", "keys") else "operator" if what == "operator" else "public"
        parts: list[Any] = [["o", number]]
        if name_class != "none":
            parts.append(lying_names.name(chance, name_class, talk.said))
        if what in ("call", "operator"):
            parts += self.arguments(talk)
        self.cells.request(what, kind, name_class)
        return talk.ask(what, parts)

    def arguments(self, talk: Conversation) -> list[Any]:
        """Return what follows the subject of a call, or the name of an operator; now and then in another form."""
        chance = self.chance
        values = [self.values.value(talk, 2) for _ in range(chance.choice((0, 1, 2)))]
        positional, this = ["t", *values], chance.choice((["k", "undefined"], ["k", "new"], ["o", 1]))
        forms = {"python": [positional, ["t"]], "javascript": [this, *values], "julia": [positional, ["n", ["t"]]]}
        if self.values.keeps_form or chance.random() < 0.7:
            return forms[self.values.language]
        return chance.choice((*forms.values(), values, [positional], [positional, {}]))

    def subject(self, talk: Conversation, kind: str) -> tuple[str, Any]:
        """Return a subject of a kind, or of another if there is none; and which kind it is."""
        chance = self.chance
        match kind:
            case "lent object" | "lent function" | "lent class":
                lent = [number for number, tree in talk.lent.items() if _kind(tree) == kind]
                if lent:
                    return kind, ["o", chance.choice(lent)]
            case "container":
                if talk.containers:
                    return kind, [chance.choice("#o"), chance.choice([*talk.containers])]
            case "own":
                if talk.own:
                    number = chance.choice([*talk.own])
                    return kind, ["o" if talk.own[number] in "xce" else "#", number]
            case "released":
                numbers = [each for each in talk.released if each not in talk.lent and each not in talk.containers]
                if numbers:
                    return kind, ["o", chance.choice(numbers)]
            case "data":
                return kind, chance.choice([tree for tree in self.values.sound[:60] if not isinstance(tree, list)])
            case "constant":
                return kind, ["k", chance.choice(self.values.constants or ["int"])]
            case "value":
                found = [tree for tree in self.values.sound if isinstance(tree, list) and tree[0] in ("v", "t", "b")]
                return kind, chance.choice(found or [["t", 1]])
            case "zero":
                return kind, ["o", 0]
            case "no number":
                return kind, chance.choice(
                    (["o", "1"], ["o", 1.5], ["o"], ["o", None], ["o", [1]], ["o", 1, 1], {"o": 1}, [])
                )
        return "never sent", ["o", chance.choice((1, -1)) * chance.randint(10**6, 10**9)]


def _kind(tree: Any) -> str:
    if tree[0] == "c" or (tree[0] == "x" and tree[2] == "class"):
        return "lent class"
    return "lent function" if tree[0] == "x" and tree[2] == "function" else "lent object"


def _forbidden(what: str, kind: str, name_class: str, name: Any) -> str:
    """Return why a request must not be answered, "" if it may be."""
    if what in FOREIGN_REQUESTS:
        return "no request of the table"
    if kind in _NO_SUBJECTS and not (what == "settle" and kind == "own"):
        return f"{kind} is not a subject"
    if kind == "lent function" and what in TABLE["to_grader"] and "function" not in TABLE["to_grader"][what]:
        return f"{what} is nothing to request of a function"
    if what not in _NAMED:
        return ""
    if what != "operator" and name_class in _CLOSED_NAMES:
        if name_class == "administration" and not str(name).startswith(_MOCKED):
            return ""
        return f"{name_class} is not the name of an attribute"
    is_other = what == "operator" and name_class in ("private", "empty", "no text")
    return f"{name_class} is not an operator" if is_other else ""
