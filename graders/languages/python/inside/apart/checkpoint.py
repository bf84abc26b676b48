"""The checkpoint of the grader's process: every message to and from the candidate's process passes it.

It follows boundary.json. It lets in only well-formed messages: answers to the innermost open request, and listed
requests about objects that a test lent. It lets out only requests that the contract has at the path of their object;
without a contract, only classes that the tests name have operators. docs/explanation/boundary.md defines path and word.
"""

from __future__ import annotations

from typing import Any

from gradebox.graders.languages.inside.boundary import BOUNDARY
from gradebox.graders.languages.python.inside.apart.codec import number
from gradebox.graders.languages.python.inside.apart.contract import (
    OPERATORS,
    TWO_SIDED,
    Contract,
    further,
    plain_operator,
)
from gradebox.graders.languages.python.inside.apart.links import FUNCTION_TYPES, Link, link_of, paths_of
from gradebox.graders.languages.python.inside.apart.wire import Malformed, typed

LIMIT = "a limit of `isolation: apart`: "
_REQUESTS = BOUNDARY["to_grader"]
NEXT = frozenset(("next", "anext"))
"""Operators that return the next item."""
# How many parts each request may have; an operator may have up to three operands.
_LENGTHS: Any = {
    "call": (4,),
    "get": (3,),
    "has": (3,),
    "keys": (2,),
    "await": (2,),
    "turn": (4,),
    "result": (3,),
    "cancel": (3,),
    "operator": range(3, 7),
}
# The path step that each request adds.
_STEP = {"call": "()", "result": "@", "get": ".{}", "original": ".{}", "method": ".{}()", "base": ".{}()",
         "plain": "="}  # fmt: skip
GIVING = frozenset([*_STEP, "operator", "item"]) - {"plain"}
"""Requests to which the submission replies with a value for the tests."""
# The index of a request's positional arguments; the named ones follow.
_ARGUMENTS = {"call": 1, "method": 2, "base": 3}
# The path step, without a contract, of an attribute of an object whose class the tests do not name.
_OF_UNNAMED = "~"
_SETTING = frozenset(("operator setitem", "operator delitem", "operator delete", "operator set_name"))
# Python itself tries these operators, and manages without them.
_PROBED = frozenset(("operator len", "operator length_hint", "operator iter"))
_CONTRACTED = {"call": "call", "get": "get {}", "method": "method {}", "operator": "operator {}", "base": "method {}",
               "item": "operator getitem", "iter": "operator iter"}  # fmt: skip
_HOLDING = (tuple, list, set, frozenset)
_NUMBERS = (bool, int, float, complex)
_TELLING = GIVING - {"get", "original"}
# Answers to these operators say nothing about the object, or are the data in it.
_TELLING_NOTHING = frozenset(("exit", "aexit", "iter", "aiter", "next", "anext"))
_MOST_LOOKED_AT, _MOST_LEVELS = 100, 3


def is_listed(what: str, kind: str) -> bool:
    """Whether the candidate may make a request of a lent object of this kind; if not, the request gets an error."""
    return bool(_REQUESTS.get(what, {}).get(kind))


def _is_number(part: Any) -> bool:
    return type(part) is int or (type(part) is list and len(part) == 1 and type(part[0]) is int)


def _is_object(value: Any) -> bool:
    return not (isinstance(value, type) or type(value).__name__ in FUNCTION_TYPES)


def _has_own(values: Any, level: int = 0) -> bool:
    """Whether an object of the submission is among values, or in a container among them."""
    for value in tuple(values)[:_MOST_LOOKED_AT]:
        is_holding = type(value) in _HOLDING or type(value).__name__ == "deque"
        parts = value.values() if type(value) is dict else value if is_holding else ()
        if (link_of(value) and _is_object(value)) or (level < _MOST_LEVELS and _has_own(parts, level + 1)):
            return True
    return False


class Checkpoint(Contract):
    """Checks which requests and messages may pass.

    Attributes:
        named: The ids of the classes and modules that the tests name.
        starred: The namespaces and names that an `import *` of the submission's modules has set.
        limits: The limits of judging apart that were met, as ordered keys.
        revived: The paths of the object that is being looked up in a new process.
        refused: The error for the first request of a test that the contract refused.
        has_compared: Whether the submission has told a test a number or `bool` about several of its own objects.
        has_given: Whether an iterator of the tests has given it one of its own objects during this request.
        classes: The numbers of classes that were lent, and their names.
        is_exact: Whether answers decide, so that tests see nothing that is not compared.
        rewording: How the texts of exceptions are replaced: 1, each time by another; 2, by the same; 0, not at all.
        is_aside: Whether a name is being imported by `import *` that the importing file does not use.
        is_pinning: Whether this program reads constants for itself.
    """

    def __init__(self) -> None:
        super().__init__()
        self.named: set[int] = set()
        self.starred: set[tuple[int, str]] = set()
        self.limits: dict[str, None] = {}
        self.revived: Any = ()
        self.refused: Any = None
        self.has_compared = self.has_given = self.is_exact = self.is_aside = self.is_pinning = False
        self.rewording = 0
        self.classes: tuple[list[int], list[str]] = [], []

    def limit(self, what: str) -> TypeError:
        """Return the error for something that judging apart cannot do, and record this limit."""
        self.limits[what] = None
        return TypeError(LIMIT + what)

    def is_told_or_open(self, paths: Any, word: str) -> bool:
        """Record a word; return whether the contract has it, or whether there is none."""
        return self.is_told(paths, word) or self.words is None

    def forbid(self, error: Any) -> Any:
        """Return an error of this program; the test fails even if it expects such an error."""
        self.refused = self.refused or error
        return error

    def limited(self, what: str) -> TypeError:
        """Return the error for something that judging apart cannot do; the test fails even if it expects it."""
        return self.forbid(self.limit(what))

    # What goes out

    def may(self, thing: Any, link: Link, word: str, others: Any = ()) -> bool:
        """Return whether a request to the original of a stand-in may pass, and record it if a contract is recorded."""
        verb, _, name = word.partition(" ")
        if self.noted is not None:
            self.note(paths_of(thing, link), word)
            return True
        if word in _SETTING:
            # Their result is not used.
            return True
        if self.words is not None:
            return any(word in self.words.get("".join(path), ()) for path in paths_of(thing, link))
        if verb == "operator":
            is_told = name in TWO_SIDED and (not others or any(link_of(other) is None for other in others))
        else:
            # This includes a function of a module if it came as an attribute of an object.
            is_one = verb == "method" or (verb == "call" and any(path[-1] == _OF_UNNAMED for path in link.paths))
            is_told = is_one and any(link_of(other) is None for other in others)
        return not is_told or self.is_named(thing)

    def refuse(self, thing: Any, word: str, kind: Any = TypeError) -> Any:
        """Return the error for a refused request. The test fails even if it expects such an error."""
        kind_name = type(thing).__name__
        error = kind(f"{kind_name!r} object: {word!r} is not asked of the submission, as the reference gives something "
                     "else here")  # fmt: skip
        if self.words is not None and not word.startswith("get ") and word not in _PROBED:
            self.refused = self.refused or error
        return error

    def is_named(self, thing: Any) -> bool:
        """Whether the tests name something: a module that they import, a class, or the class of an object."""
        kinds = thing.__mro__ if isinstance(thing, type) else (thing, *type(thing).__mro__)
        return any(id(each) in self.named for each in kinds)

    def check_method(self, thing: Any, name: str, found: Any) -> None:
        """Refuse a method that also came elsewhere, on an object whose class the tests do not name.

        Such a method could pass unearned: `bool` in place of `startswith` is true of anything, and a class of the
        submission that the tests name learns what they expect.
        """
        if self.words is None and self.noted is None and not self.is_named(thing):
            link = link_of(found)
            if link is None or self.is_named(found) or any(path[-1] != _OF_UNNAMED for path in link.paths):
                kind = type(thing).__name__
                what = f"{kind!r} object: 'get {name}' is not asked of the submission"
                raise AttributeError(f"{what}, as the tests do not name its class and this came elsewhere")

    def outgoing(self, what: str, values: tuple[Any, ...]) -> Any:
        """Return the paths of a request's answer.

        Raises:
            AttributeError, TypeError: If the request must not be made.
        """
        link = values and (link_of(values[0]) or link_of(type(values[0])))
        if what == "find":
            return self.revived
        if not link:
            return ((values[0],),) if values and type(values[0]) is str else (("",),)
        paths, name = paths_of(values[0], link), values[1] if len(values) > 1 and type(values[1]) is str else ""
        word, others = _CONTRACTED.get(what, "").format(name), values[2:]
        if what in _ARGUMENTS:
            args, named = values[_ARGUMENTS[what] :]
            others = (*args, *named[1::2])
        if word and not self.may(values[0], link, word, others):
            raise self.refuse(values[0], word, AttributeError if what in ("get", "method") else TypeError)
        if what == "item" or (what == "operator" and name == "getitem"):
            return self.item(paths, values[-1])
        if what == "operator":
            if name in NEXT:
                link.taken += 1
                return self.item(paths, link.taken - 1)
            is_own = any(map(link_of, others))
            step = f"+{plain_operator(name)}" + ("&" if is_own else "")
            return paths if name in ("iter", "aiter") else further(paths, step)
        step = _STEP.get(what, "").format(name)
        is_open = self.words is None and self.noted is None
        return further(paths, _OF_UNNAMED if what == "get" and is_open and not self.is_named(values[0]) else step)

    def heeded(self, found: Any, what: str, thing: Any = None, *parts: Any) -> Any:
        """Return an answer; record whether it depends on several objects of the submission.

        A test may never see their data. The same holds for what an object says that came from such a request, unless
        this is an attribute of it.
        """
        link, has_given = link_of(thing), self.has_given
        self.has_given = False
        is_told = what in _TELLING and not (what == "operator" and parts[0] in _TELLING_NOTHING)
        if link is not None and is_told and (link.is_derived or has_given or _has_own(parts)):
            made = link_of(found)
            self.has_compared |= type(found) in _NUMBERS
            if made is not None and _is_object(found) and not isinstance(thing, type):
                made.is_derived = True
        return found

    def given_item(self, item: Any) -> Any:
        """Return what an operator of a lent object has given; record whether that is an object of the submission."""
        self.has_given |= _has_own((item,))
        return item

    def name(self, kind: Any, name: str = "") -> None:
        """Record a class that the tests name. Lower-case names are functions for the tests, so they do not count."""
        if not name.lstrip("_")[:1].islower():
            self.named.add(id(kind))

    # What comes in

    def incoming(self, tree: Any, expected: int, following: int) -> tuple[str, int, Any]:
        """Return the kind, number and content of a message: the expected answer, or the next request in order."""
        if type(tree) is not list or len(tree) < 5 or tree[0] not in ("?", "=", "!"):
            raise Malformed("it is neither a request nor an answer")
        kind, identifier, _, released = tree[:4]
        if type(released) is not list or not all(map(_is_number, released)):
            raise Malformed("it does not say what is released")
        if kind == "?":
            if number(identifier) != following:
                raise Malformed("it is a request out of order")
            return kind, identifier, tree[4:]
        if len(tree) != 5 or number(identifier) != expected:
            raise Malformed("it answers nothing that was asked last")
        return kind, identifier, tree[4]

    def subject(self, parts: Any, lent: dict[int, Any]) -> tuple[str, list[Any]]:
        """Return the kind of a request, and the entry of the lent object that it concerns.

        An honest program may request something that the object's kind does not have; it gets an error (`is_listed`).
        """
        what, subject = typed(parts[0]), parts[1] if len(parts) > 1 else None
        if what not in _REQUESTS:
            raise Malformed(f"nobody may request {what!r:.40}")
        if type(subject) is not list or len(subject) != 2 or subject[0] != "o" or number(subject[1]) not in lent:
            raise Malformed("it names no object that was lent")
        entry = lent[subject[1]]
        if len(parts) not in _LENGTHS.get(what, ()):
            raise Malformed(f"a request to {what} has other parts")
        name = typed(parts[2]) if what in ("get", "has", "operator") else ""
        if what == "operator" and name not in OPERATORS:
            raise Malformed(f"nobody may request {name!r} of what was lent as {entry[2]!r}")
        return what, entry
