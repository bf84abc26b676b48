"""The checkpoint of the grader's process: every message to and from the candidate's process passes it.

It looks up boundary.json. What comes in is a message of the right shape, an answer to the innermost open request, or a
listed request of an object that a test lent. What goes out is what the contract has at the path of its object; without
a contract, only classes that the tests name have operators. docs/explanation/boundary.md says what paths and words are.
"""

from __future__ import annotations

import _bisect
import sys
from typing import Any

from gradebox.graders.languages.inside.boundary import BOUNDARY
from gradebox.graders.languages.python.inside.apart.codec import number
from gradebox.graders.languages.python.inside.apart.links import Link, link_of
from gradebox.graders.languages.python.inside.apart.wire import Malformed, json_text, typed

LIMIT = "a limit of `isolation: apart`: "
_REQUESTS = BOUNDARY["to_grader"]
_PYTHON = BOUNDARY["python"]
_TWO_SIDED, _OTHERS = _PYTHON["operators"]["two_sided"], _PYTHON["operators"]["others"]
OPERATORS = frozenset([*_TWO_SIDED, *_OTHERS])
_TELLING = frozenset(_TWO_SIDED)
_STEPS = BOUNDARY["limits"]["path_steps"]
_OBJECTS = frozenset(("object", "function", "class"))
_ARRIVALS = _OBJECTS | {"data"}
NEXT = frozenset(("next", "anext"))
"""Operators that give the next item."""
_MOST_POSITIONS, _MOST_CHARACTERS = 16, 32
# The host takes contracts of a megabyte.
_MOST_NOTED = 4000
# How many parts a request may have; an operator has up to three operands besides.
_LENGTHS: Any = {"call": (4,), "get": (3,), "has": (3,), "keys": (2,), "await": (2,), "operator": range(3, 7)}
# How a path goes on, where not by the name of what is asked.
_STEP = {"call": "()", "result": "@", "get": ".{}", "original": ".{}", "method": ".{}()", "base": ".{}()",
         "plain": "="}  # fmt: skip
GIVING = frozenset([*_STEP, "operator", "item"]) - {"plain"}
"""What the submission gives to the tests when it is asked for it."""
# Where the arguments of a request are, with those that have names behind them.
_ARGUMENTS = {"call": 1, "method": 2, "base": 3}
# Without a contract: an attribute of an object whose class the tests do not name.
_OF_UNNAMED = "~"
_CONTRACTED = {"call": "call", "get": "get {}", "method": "method {}", "operator": "operator {}", "base": "method {}",
               "item": "operator getitem", "iter": "operator iter"}  # fmt: skip


def _plain_operator(name: str) -> str:
    """Return the operator that one is a form of: Python uses `+` for `+=`, or `__radd__` for `__add__`."""
    return name[1:] if name[:1] in ("i", "r") and name[1:] in _TELLING else name


# What Python may use in place of an operator, or a class may have for it.
_IMPLIED = {
    name: [each for each in _TWO_SIDED if _plain_operator(each) == _plain_operator(name)]
    + _PYTHON["implies"].get(name, [])
    for name in OPERATORS
}


def further(paths: Any, step: str) -> tuple[tuple[str, ...], ...]:
    """Return paths with one more step, if there is one. An object that came on several paths has them all."""
    is_key = len(step) > 2 and step[0] == "["
    longer = [path if not step or (path[-1:] == (step,) and not is_key) else (*path, step) for path in paths]
    return tuple([path if len(path) <= _STEPS else path[: _STEPS // 2] + path[-(_STEPS // 2) :] for path in longer])


def _start(path: tuple[str, ...], is_one: Any) -> tuple[str, ...]:
    """Return the longest beginning of a path that is one of some, () if none is."""
    return next((path[:end] for end in range(len(path) - 1, 0, -1) if is_one(path[:end])), ())


class Checkpoint:
    """What the contract says, what was recorded for one, and what is refused.

    Attributes:
        words: The contract: words by path. None without one.
        noted: What is recorded; None if nothing is.
        named: Classes that the tests name.
        limits: What judging apart cannot do, and was asked for.
    """

    def __init__(self) -> None:
        self.words: dict[str, set[str]] | None = None
        self.noted: dict[str, set[str]] | None = None
        self.sorted: list[str] = []
        self.named: set[int] = set()
        self.limits: dict[str, None] = {}

    def begin(self, contract: Any, record: bool) -> None:
        """Enforce a contract, or record one."""
        self.noted = {} if record else None
        if contract is None:
            return
        self.words = {path: set(words) for path, words in contract.items()}
        for path, words in contract.items():
            for verb, name in (word.partition(" ")[::2] for word in words):
                if verb == "operator":
                    self.words[path] |= {f"operator {each}" for each in _IMPLIED.get(name, ())}
                if (verb, name) == ("operator", "eq"):
                    # The grader's process compares fields.
                    self.words[path].add("equal fields")
                if verb == "method":
                    # What is a method here may be an attribute that is a function there.
                    self.words[path].add(f"get {name}")
                    self.words.setdefault(f"{path}.{name}", set()).update(("call", "function"))
                elif verb == "get" and "call" in contract.get(f"{path}.{name}", ()):
                    self.words[path].add(f"method {name}")
        self.sorted = sorted(self.words)

    def limit(self, what: str) -> TypeError:
        """Return the error that says what judging apart cannot do."""
        self.limits[what] = None
        return TypeError(LIMIT + what)

    # What goes out

    def may(self, thing: Any, link: Link, word: str, others: Any = ()) -> bool:
        """Whether something may be asked of the original of a stand-in, and take note that it is asked."""
        verb, _, name = word.partition(" ")
        if self.noted is not None:
            self.note(link.paths, word)
            return True
        if self.words is not None:
            # A named tuple has the paths of its class.
            paths = (*link.paths, *further(link.paths, "()")) if isinstance(thing, tuple) else link.paths
            return any(word in self.words.get("".join(path), ()) for path in paths)
        if verb == "operator":
            is_told = name in _TELLING and (not others or any(link_of(other) is None for other in others))
        else:
            # A function that a module exports, too, if an object had it as an attribute.
            is_one = verb == "method" or (verb == "call" and any(path[-1] == _OF_UNNAMED for path in link.paths))
            is_told = is_one and any(link_of(other) is None for other in others)
        return not is_told or self.is_named(thing)

    def is_named(self, thing: Any) -> bool:
        """Whether something is a module, or a class that the tests name, or an object of one."""
        kinds = thing.__mro__ if isinstance(thing, type) else type(thing).__mro__
        return issubclass(type(thing), type(sys)) or any(id(each) in self.named for each in kinds)

    def check_method(self, thing: Any, name: str, found: Any) -> None:
        """Refuse what is known elsewhere as a method of an object that is asked nothing of the tests.

        What it is may be asked: `bool` in place of `startswith` is true of anything, and a class of the submission that
        the tests name is told what they expect.
        """
        if self.words is None and self.noted is None and not self.is_named(thing):
            link = link_of(found)
            if link is None or self.is_named(found) or any(path[-1] != _OF_UNNAMED for path in link.paths):
                kind = type(thing).__name__
                raise self.limit(f"without a reference, {name!r} of {kind!r} object is no function of its own")

    def outgoing(self, what: str, values: tuple[Any, ...]) -> Any:
        """Return the paths of what is answered to a request.

        Raises:
            AttributeError, TypeError: If it must not be asked.
        """
        link = values and (link_of(values[0]) or link_of(type(values[0])))
        if not link:
            return ((values[0],),) if values and type(values[0]) is str else (("",),)
        paths, name = link.paths, values[1] if len(values) > 1 and type(values[1]) is str else ""
        word, others = _CONTRACTED.get(what, "").format(name), values[2:]
        if what in _ARGUMENTS:
            args, named = values[_ARGUMENTS[what] :]
            others = (*args, *named[1::2])
        if word and not self.may(values[0], link, word, others):
            error: Any = AttributeError if what in ("get", "method") else TypeError
            raise error(f"{type(values[0]).__name__!r} object: {word!r} is not asked of the submission, as the "
                        "reference gives something else here")  # fmt: skip
        if what == "item" or (what == "operator" and name == "getitem"):
            return self.item(paths, values[-1])
        if what == "operator":
            if name in NEXT:
                link.taken += 1
                return self.item(paths, link.taken - 1)
            return paths if name == "iter" else further(paths, f"+{_plain_operator(name)}")
        step = _STEP.get(what, "").format(name)
        is_open = self.words is None and self.noted is None
        return further(paths, _OF_UNNAMED if what == "get" and is_open and not self.is_named(values[0]) else step)

    def item(self, paths: Any, key: Any) -> Any:
        """Return the paths of an item.

        A key or a position is a step of its own while a contract is recorded, and then if the contract has one.
        """
        text = ""
        if type(key) is int and 0 <= key < _MOST_POSITIONS:
            text = str(key)
        elif type(key) is str and len(key) <= _MOST_CHARACTERS:
            text = json_text(key)
        step = f"[{text}]"
        return tuple([each for path in paths for each in further((path,), step if self.is_apart(path, step) else "[]")])

    def is_apart(self, path: tuple[str, ...], step: str) -> bool:
        """Whether an item has a path of its own."""
        if "=" in path:
            return False
        if self.noted is not None:
            return len(self.noted) < _MOST_NOTED
        start = "".join(path) + step
        place = _bisect.bisect_left(self.sorted, start)
        return place < len(self.sorted) and self.sorted[place].startswith(start)

    def note(self, paths: Any, word: str) -> None:
        for path in paths if self.noted is not None else ():
            self.noted.setdefault("".join(path), set()).add(word)  # type: ignore[union-attr]

    def arrived(self, paths: Any, word: str, is_known: bool) -> bool:
        """Take note of what came on paths; whether an object, or one that has come as such before, may come there."""
        self.note(paths, word)
        if self.words is None or self.noted is not None:
            return True
        kinds = list(filter(None, map(self.kinds, paths)))
        return (bool(kinds) or is_known) and not any(_OBJECTS.isdisjoint(found) for found in kinds)

    def kinds(self, path: tuple[str, ...]) -> frozenset[str]:
        """Return as what the reference gave something on a path; nothing for `None`, which may be an object as well."""
        return _ARRIVALS.intersection((self.words or {}).get("".join(path), ()))

    def has_attributes(self, path: tuple[str, ...]) -> bool:
        """Whether the reference gave an object on a path, and more was asked of it than its items."""
        words = (self.words or {}).get("".join(path), ())
        return "object" in words and any(word.startswith(("get ", "method ")) for word in words)

    def of_object(self, paths: Any, same: set[tuple[str, ...]]) -> Any:
        """Return the paths of an object that came on some; `same` are those of other objects of its class.

        It is like the object of its class that led to it, as in a tree, so that the depth of a tree does not count.
        Where the reference gave nothing, or `None`, it is like the object that led to it.
        """
        alike = [_start(path, same.__contains__) for path in paths]
        if self.noted is not None:
            return tuple([other or path for path, other in zip(paths, alike)])
        if self.words is None:
            return paths
        known = [path for path in paths if self.kinds(path)]
        found = [*known, *filter(None, alike)]
        if all((self.words.get("".join(path)) or set()) <= _ARRIVALS | {"none"} for path in found):
            # Nothing was asked of it there.
            found += [_start(path, self.has_attributes) for path in paths]
        return tuple(dict.fromkeys(filter(None, found))) or paths

    def taken(self, paths: Any) -> Any:
        """Return those of some paths that the reference took."""
        words = self.words if self.noted is None else None
        return paths if words is None else [path for path in paths if "".join(path) in words]

    def caught(self, paths: Any, error: BaseException) -> bool:
        """Take note that a failure of a function was caught that was passed on paths; whether the reference does so."""
        return self.is_told(paths, f"catch {type(error).__name__}")

    def raises(self, paths: Any, name: str) -> bool:
        """Take note of what was raised by what was asked on paths; whether the reference raises it."""
        return self.is_told(paths, f"raise {name}")

    def is_told(self, paths: Any, word: str) -> bool:
        """Take note of a word; whether the contract has it."""
        self.note(paths, word)
        return self.noted is not None or any(word in (self.words or {}).get("".join(path), ()) for path in paths)

    def name(self, kind: Any, name: str = "") -> None:
        """Take note of a class that the tests name; what they know as a function may be a class in a submission."""
        if not name.lstrip("_")[:1].islower():
            self.named.add(id(kind))

    # What comes in

    def incoming(self, tree: Any, expected: int, following: int) -> tuple[str, int, Any]:
        """Return the kind, the number and the content of a message: the expected answer, or the following request."""
        if type(tree) is not list or len(tree) < 5 or tree[0] not in ("?", "=", "!"):
            raise Malformed("it is neither a request nor an answer")
        kind, identifier, _, released = tree[:4]
        if type(released) is not list or any(type(each) is not int for each in released):
            raise Malformed("it does not say what is released")
        if kind == "?":
            if number(identifier) != following:
                raise Malformed("it is a request out of order")
            return kind, identifier, tree[4:]
        if len(tree) != 5 or number(identifier) != expected:
            raise Malformed("it answers nothing that was asked last")
        return kind, identifier, tree[4]

    def subject(self, parts: Any, lent: dict[int, Any]) -> tuple[str, list[Any]]:
        """Return what is requested, and the entry of the lent object that it is requested of."""
        what, subject = typed(parts[0]), parts[1] if len(parts) > 1 else None
        if what not in _REQUESTS:
            raise Malformed(f"nobody may request {what!r:.40}")
        if type(subject) is not list or len(subject) != 2 or subject[0] != "o" or number(subject[1]) not in lent:
            raise Malformed("it names no object that was lent")
        entry = lent[subject[1]]
        allowed = _REQUESTS[what].get(entry[2])
        if len(parts) not in _LENGTHS.get(what, ()):
            raise Malformed(f"a request to {what} has other parts")
        name = typed(parts[2]) if what in ("get", "has", "operator") else ""
        if not allowed or (what == "operator" and name not in OPERATORS):
            raise Malformed(f"nobody may request {what!r} of what was lent as {entry[2]!r}")
        return what, entry
