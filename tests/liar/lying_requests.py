"""Requests that a lying peer makes: every word, on every kind of subject, with names of every class.

Of some cells by chance, the one that was tried least is chosen, so that a long run tries each often. Where a cell must
be refused, the request says why (`forbidden`); the liar looks at the answer.
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
_ASKED = ("call", "get", "has", "keys", "operator")
_LENT = ("lent object", "lent object", "lent class", "lent function", "container")
# By kind of what was lent; everything may be called.
_ALLOWED: dict[str, dict[str, tuple[str, ...]]] = {
    "python": {
        "exception": (),
        "lent object": ("call", "get", "has", "keys", "operator"),
        "lent class": ("call", "get", "has", "operator"),
        # The last two are refused with an exception.
        "lent function": ("call", "call", "call", "get", "operator"),
    },
    "javascript": {
        "exception": (),
        "lent object": ("call", "get", "has", "keys"),
        "lent class": ("call", "get", "has"),
    },
    "julia": {"exception": (), "lent object": ()},
}
# Some are seldom there.
_RARE = {"container": 60, "released": 60, "own": 4, "lent object": 8, "lent class": 8, "lent function": 8}
_WEIGHTS = [_RARE.get(kind, 2) for kind in SUBJECTS]
_MOCKED = tuple(TABLE["names"]["closed"])


class LyingRequests:
    """Makes requests of a liar's."""

    def __init__(self, chance: random.Random, values: Values, cells: Cells) -> None:
        self.chance = chance
        self.values = values
        self.cells = cells
        # Requests of one word are together, so that none is rare.
        self.honest: dict[str, list[tuple[int, Any]]] = {}
        for at, request in values.memory.requests:
            self.honest.setdefault(str(request[0]), []).append((at, request))

    def request(self, talk: Conversation, *, polite: bool = False) -> Request:
        """Return a request, which is noted in the conversation; now and then one that an honest process made."""
        chance = self.chance
        if polite or chance.random() < 0.1:
            if self.honest and (talk.lent or not polite) and chance.random() < 0.6:
                return self._as_before(talk, polite=polite)
            if talk.lent and chance.random() < (1.0 if self.values.is_blind else 0.998 if polite else 0.95):
                return self._allowed(talk)
        # What is just beyond the border is tried more often.
        is_near = chance.random() < 0.4
        kind, subject = self.subject(talk, chance.choice(_LENT)) if is_near else ("", None)
        while not kind:
            kind, subject = self.subject(talk, chance.choices(SUBJECTS, _WEIGHTS)[0])
        words, names = _NAMED if is_near else REQUESTS, _BORDER if is_near and chance.random() < 0.5 else NAMES
        pairs = [(chance.choice(words), chance.choice(names)) for _ in range(4)]
        what, name_class = min(pairs, key=lambda pair: self.cells.counts[pair[0], kind, pair[1]])
        if what == "foreign":
            what = chance.choice(FOREIGN_REQUESTS)
        parts = [subject]
        name: Any = None
        if name_class != "none":
            name = lying_names.name(chance, name_class, talk.said)
            parts.append(name)
        if what not in ("get", "has", "keys") or chance.random() < 0.1:
            parts += self.arguments(talk, what)
        self.cells.request(what, kind, name_class)
        return talk.ask(what, parts, _forbidden(what, kind, name_class, name))

    def _as_before(self, talk: Conversation, *, polite: bool) -> Request:
        """Return a request that an honest process made, of another object or with other arguments."""
        chance = self.chance
        at, template = chance.choice(self.honest[chance.choice([*self.honest])])
        what, *parts = (self.values.memory.moved(at, part, talk) for part in template)
        if what == "note":
            # A warning or a record that names files.
            paths = [name for name in lying_names.CLASSES["module"] if "/" in str(name)]
            return talk.ask(
                what, [*parts[:2], *(chance.choice(paths) if isinstance(part, str) else part for part in parts[2:])]
            )
        if talk.lent and (polite or chance.random() < 0.9):
            fitting = [each for each in self.subjects(talk) if what in self._words(talk, each)]
            parts[0] = ["o", chance.choice(fitting or [*talk.lent])]
        for part in parts[1:]:
            if isinstance(part, list) and part[:1] == ["t"]:
                part[1:] = [self.values.value(talk, 2) if chance.random() < 0.5 else each for each in part[1:]]
        other = 0.0 if self.values.is_blind else 0.03
        others = (self.values.value(talk, 2) if chance.random() < other else part for part in parts[1:])
        return talk.ask(what, [parts[0], *others])

    def _allowed(self, talk: Conversation) -> Request:
        """Return a request that the table allows of what was lent."""
        chance = self.chance
        number = chance.choice(self.subjects(talk) or [*talk.lent])
        kind = _kind(talk.lent[number])
        what = chance.choice(self._words(talk, number) or _ASKED)
        name_class = "none" if what in ("call", "keys") else "operator" if what == "operator" else "public"
        parts: list[Any] = [["o", number]]
        name: Any = None
        if what == "operator":
            name = chance.choice(lying_names.TABLE_OPERATORS)
            parts.append(name)
        elif name_class != "none":
            # An object of Python raises an exception for a name that is not public.
            if self.values.language == "python" and chance.random() < 0.3:
                name_class = chance.choice(_BORDER[:3])
            name = lying_names.name(chance, name_class, talk.said)
            if name_class == "public" and str(name).startswith(("_", *_MOCKED)):
                name = chance.choice(lying_names.PUBLIC)
            parts.append(name)
        if what in ("call", "operator"):
            parts += self.arguments(talk, what)
        self.cells.request(what, kind, name_class)
        return talk.ask(what, parts, _forbidden(what, kind, name_class, name))

    def _words(self, talk: Conversation, number: int) -> Sequence[str]:
        """Return what may be requested of what was lent."""
        return _ALLOWED[self.values.language].get(_kind(talk.lent[number]), ("call",))

    def subjects(self, talk: Conversation) -> list[int]:
        """Return what was lent and may be asked something."""
        if talk.subjects is None:
            talk.subjects = [number for number in talk.lent if self._words(talk, number)]
        return talk.subjects

    def arguments(self, talk: Conversation, what: str) -> list[Any]:
        """Return what follows the subject of a call, or the name of an operator; now and then in another form."""
        chance = self.chance
        values = [self.values.value(talk, 2) for _ in range(chance.choice((0, 1, 2)))]
        positional, this = ["t", *values], chance.choice((["k", "undefined"], ["k", "new"], ["o", 1]))
        if what == "operator" and chance.random() < 0.8:
            return values
        forms = {"python": [positional, ["t"]], "javascript": [this, *values], "julia": [positional, ["n", ["t"]]]}
        if self.values.keeps_form or chance.random() < 0.7:
            return forms[self.values.language]
        return chance.choice((*forms.values(), values, [positional], [positional, {}]))

    def subject(self, talk: Conversation, kind: str) -> tuple[str, Any]:
        """Return a subject of a kind and this kind, "" if there is none."""
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
                    return kind, ["o" if talk.own[number] in "xcey" else "#", number]
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
            case "never sent":
                return kind, ["o", chance.choice((1, -1)) * chance.randint(10**6, 10**9)]
        return "", None


def _kind(tree: Any) -> str:
    if tree[0] == "e":
        return "exception"
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
