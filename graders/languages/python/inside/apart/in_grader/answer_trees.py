"""The parts of messages that count as answers, with numbers of objects that no other test decides."""

from __future__ import annotations

import _bisect
from collections.abc import Iterator
from typing import Any

from gradebox.graders.languages.python.inside.apart.checkpoint import Checkpoint
from gradebox.graders.languages.python.inside.apart.in_grader.errors import has_only_texts, without_texts
from gradebox.graders.languages.python.inside.apart.wire import as_json

_NUMBERED, _WITH_NUMBER = frozenset("lsdrwB"), frozenset("lsdrwBxce")
# Kinds of functions, which are the same for tests.
_LIKE_FUNCTIONS = frozenset("_lru_cache_wrapper builtin_function_or_method function method partial".split())
_MOST_KNOWN, HASH_CHARACTERS = 100_000, 16


class AnswerTrees:
    """The trees of the part of a test that runs now.

    Attributes:
        part: The name of the part before, as a hash.
        texts: A hash of the texts of exceptions, and of docstrings that tests read.
        is_told: Whether tests learn what the present message says.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint, self.part, self.is_told = checkpoint, "", True
        self.renew(0)
        self.begin()

    def renew(self, given: int) -> None:
        """Forget the numbers of objects: a new process of the candidate has begun, and `given` is our last number."""
        # The last number of this side before each part of a test, and the name of the part before.
        self.starts: tuple[list[int], list[str]] = [given], [self.part]
        # What stands for objects of the candidate, by number, and how many there are of this part.
        self.known: dict[int, Any] = {}
        # Objects that came while tests were told nothing.
        self.untold: dict[int, Any] = {}

    def begin(self) -> None:
        """Begin a part of a test."""
        self.texts, self.count = sha256(), 0
        for objects in (self.known, self.untold):
            if len(objects) > _MOST_KNOWN:
                objects.clear()

    def end(self, name: str, given: int) -> None:
        """End a part of a test with its name, and begin the next one; `given` is this side's last number."""
        self.part = shortened(sha256(name.encode()))
        self.starts[0].append(given)
        self.starts[1].append(self.part)
        self.begin()

    def plain(self, tree: Any) -> Any:
        """Return a tree without descriptions, and with numbers that no other test decides."""
        if type(tree) is not list:
            return tree
        tag, *parts = tree
        if tag in ("s", "z"):
            # The order of texts varies from run to run.
            head = [self.place(parts[0]), parts[1]] if tag == "s" else []
            return [tag, *head, *sorted(map(self.plain, parts[len(head) :]), key=as_json)]
        if tag in _NUMBERED:
            return [tag, self.place(parts[0]), parts[1], *map(self.plain, parts[2:])]
        if tag in ("#", "o"):
            if self.is_told and parts[0] in self.untold:
                return self.plain(self.untold.pop(parts[0]))
            place = self.place(parts[0])
            return place if type(place) is list and place[0] == "c" else [tag, place]
        if tag == "x":
            if not self.is_told:
                self.untold[parts[0]] = tree
            place, kind, data = self.place(parts[0]), self.plain(parts[2]), self.plain(parts[3].get("data"))
            if kind[:1] == ["c"] and kind[1] in _LIKE_FUNCTIONS and data is None:
                return [tag, place, "function"]
            return [tag, place, parts[1], kind, data]
        if tag == "c":
            found = self.known[parts[0]] = [tag, parts[2].get("name"), *map(self.plain, parts[1])]
            return found
        if tag == "e":
            args, attributes = self.plain(parts[2]), self.plain(parts[3].get("attributes"))
            self.texts.update(as_json([*self.leaves(parts[2:])]))
            # How many texts an exception has is one of them.
            args = None if has_only_texts(parts[1], args) else without_texts(args)
            return [tag, self.place(parts[0]), self.plain(parts[1]), args, without_texts(attributes)]
        return [tag, *map(self.plain, parts)]

    def leaves(self, tree: Any) -> Iterator[Any]:
        """Yield all texts, numbers and known objects of a tree, but for tracebacks and the numbers of new objects."""
        if type(tree) is dict:
            tree = [part for name, part in tree.items() if name != "text"]
        if type(tree) is not list:
            yield tree
            return
        if tree[:1] == ["c"]:
            self.plain(tree)
        tag = tree[0] if len(tree) > 1 and type(tree[1]) is int else ""
        if tag in ("o", "#"):
            yield self.place(tree[1]) if tree[1] > 0 or tree[1] in self.known else 0
            return
        for part in tree[2:] if tag in _WITH_NUMBER else tree:
            yield from self.leaves(part)

    def place(self, number: int) -> Any:
        """Return an object's number, counted from the start of the part that sent it first."""
        numbers, names = self.starts
        if number > 0:
            before, (lent, classes) = _bisect.bisect_left(numbers, number), self.checkpoint.classes
            at = _bisect.bisect_left(lent, number)
            if lent[at : at + 1] == [number]:
                return ["class", classes[at]]
            # Classes have no place: an earlier test may have lent them.
            start, name = (numbers[before - 1], names[before - 1]) if before else (0, "")
            return [number - start - at + _bisect.bisect_right(lent, start), name]
        if number not in self.known:
            if not self.is_told:
                return number
            self.count += 1
            self.known[number] = [-self.count, names[-1]]
        return self.known[number]


def sha256(data: bytes = b"") -> Any:
    """Return a SHA-256 hash of bytes, to which more can be added."""
    from _hashlib import openssl_sha256  # hashlib takes longer

    return openssl_sha256(data)


def shortened(found: Any) -> str:
    """Return the first digits of a hash, which stand for it in the contract's words."""
    return str(found.hexdigest()[:HASH_CHARACTERS])
