"""Compares what the submission sends during each test with what the reference sent.

If both sent the same, this process could not tell them apart, so the test has not passed unearned. The contract has a
word for each test at the path `#answers`: `TEST DIGEST`, both hashes. docs/explanation/boundary.md says which parts of
a message count.
"""

from __future__ import annotations

import _bisect
from collections.abc import Collection
from typing import Any

from gradebox.graders.languages.python.inside.apart.checkpoint import Checkpoint
from gradebox.graders.languages.python.inside.apart.wire import encoded

_ANSWERS = (("#answers",),)
# What every test uses.
LOADING = "loading"
# The digest of a test that also used files, programs or connections.
_LOOKED = "looked"
_MOST_RECORDED, _MOST_KNOWN, _MOST_SHOWN, _NAME_CHARACTERS, _HASH_CHARACTERS = 6000, 100_000, 20, 200, 16
# How the answers of a test that passed compare with the reference's, the worst last.
_BY_RANK = ("same", "unknown", "other", "failed")
_NUMBERED = frozenset("lsdrwB")
# Tests do not learn when it is another loop's turn, nor where modules are and which numbers they have. A new process
# of the candidate has to be asked for these again.
_UNTOLD = frozenset(("turn", "module", "import", "find", "derive", "places", "around", "kept", "writing"))
# How many parts of a note about a warning or a log record are its content. The others say where it was made.
_NOTED = {"warning": 3, "log": 5}


class Answers:
    """The answers of the submission during the test that runs now.

    Attributes:
        is_exact: Whether a test with other answers fails.
        is_told: Whether tests learn what the present message says.
        expected: The digests of the reference's answers, by test.
        outcomes: How the answers of each test compare with the reference's. They are unknown if the
            reference's vary, or if the test with the reference also used files, programs or connections.
        uses: The names of what the present test uses beside others.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint, self.is_exact, self.is_told = checkpoint, False, True
        self.expected: dict[str, set[str]] = {}
        self.outcomes: dict[str, str] = {}
        self.recorded = 0
        # What several tests use and the reference did not give, and what the present test uses of it.
        self.shared: set[str] = set()
        self.uses: Collection[str] = (LOADING,)
        # Whether any test got other answers.
        self.is_other = False
        self.found, self.part = _sha256(), ""
        self.nothing = self.found.hexdigest()[:_HASH_CHARACTERS]
        self.renew(0)

    def expect(self, words: Any, is_exact: bool) -> None:
        """Take the reference's digests from the contract's words."""
        self.is_exact = is_exact
        for test, _, digest in (word.partition(" ") for word in words):
            self.expected.setdefault(test, set()).add(digest)

    def renew(self, given: int) -> None:
        """Forget the numbers of objects: a new process of the candidate has begun, and `given` is our last number."""
        # The last number of this side before each part of a test, and the name of the part before.
        self.starts: tuple[list[int], list[str]] = [given], [self.part]
        # What stands for objects of the candidate, by number, and how many there are of this part.
        self.known: dict[int, Any] = {}
        self.count = 0

    def hear(self, tree: Any, request: str) -> None:
        """Add a message, which may be malformed; `request` is what this side has requested last."""
        try:
            kind, _, changes, _, *rest = tree
            self.is_told = kind == "!" or (rest[0] if kind == "?" else request) not in _UNTOLD
            if kind == "?" and rest[0] == "note":
                rest = rest[: _NOTED[rest[1]]]
            data = encoded([kind, [*map(self.plain, changes)], *map(self.plain, rest)])
            if self.is_told:
                self.found.update(data)
        except Exception as error:
            self.found.update(type(error).__name__.encode())

    def print(self, data: bytes) -> None:
        """Add what the submission has printed."""
        self.found.update(encoded(["printed", data.decode("latin-1")]))

    def plain(self, tree: Any) -> Any:
        """Return a tree without descriptions, and with numbers that no other test decides."""
        if type(tree) is not list:
            return tree
        tag, *parts = tree
        if tag in _NUMBERED:
            return [tag, self.place(parts[0]), parts[1], *map(self.plain, parts[2:])]
        if tag in ("#", "o"):
            place = self.place(parts[0])
            return place if type(place) is list and place[0] == "c" else [tag, place]
        if tag == "x":
            return [tag, self.place(parts[0]), parts[1], self.plain(parts[2]), self.plain(parts[3].get("data"))]
        if tag == "c":
            found = self.known[parts[0]] = [tag, parts[2].get("name"), *map(self.plain, parts[1])]
            return found
        if tag == "e":
            args, attributes = self.plain(parts[2]), self.plain(parts[3].get("attributes"))
            return [tag, self.place(parts[0]), self.plain(parts[1]), _without_texts(args), _without_texts(attributes)]
        return [tag, *map(self.plain, parts)]

    def place(self, number: int) -> Any:
        """Return an object's number, counted from the start of the part that sent it first."""
        numbers, names = self.starts
        if number > 0:
            before = _bisect.bisect_left(numbers, number)
            return [number - numbers[before - 1], names[before - 1]] if before else number
        if not self.is_told:
            return number
        if number not in self.known:
            self.count += 1
            self.known[number] = [-self.count, names[-1]]
        return self.known[number]

    def end(self, test: str, part: str, passed: bool, given: int, has_looked: bool) -> str:
        """End a part of a test; return why the test fails for its answers, "" if it does not.

        Args:
            test: The name of the test; "" for what several tests use, such as a fixture.
            part: The name of the part, such as `setup`; of what several tests use, its first word is what they use.
            passed: Whether the test has passed so far.
            given: The last number that this side has given to an object.
            has_looked: Whether the test also used files, programs or connections, whose content is not compared.
        """
        digest = _LOOKED if has_looked else self.found.hexdigest()[:_HASH_CHARACTERS]
        self.part = _sha256(f"{part} {test}".encode()).hexdigest()[:_HASH_CHARACTERS]
        self.starts[0].append(given)
        self.starts[1].append(self.part)
        self.found, self.count = _sha256(), 0
        if len(self.known) > _MOST_KNOWN:
            self.known.clear()
        if self.recorded < _MOST_RECORDED:
            self.recorded += 1
            self.checkpoint.note(_ANSWERS, f"{self.part} {digest}")
        outcome = self.compared(digest, self.expected.get(self.part, set()))
        if outcome == "other" and not test:
            self.shared.add(part.partition(" ")[0])
        # What other tests got decides a test that got nothing of its own, or that uses it.
        is_shared = not self.shared.isdisjoint(self.uses) or (self.is_other and outcome == "nothing")
        outcome = "other" if test and is_shared else outcome
        self.is_other |= outcome == "other"
        if not test or (outcome == "nothing" and passed):
            return ""
        is_refused = self.is_exact and passed and outcome == "other"
        outcome = outcome if passed and not is_refused else "failed"
        self.outcomes[test] = max(self.outcomes.get(test, "same"), outcome, key=_BY_RANK.index)
        return "the reference gave other answers in this test (`contract: exact`)" if is_refused else ""

    def compared(self, digest: str, expected: set[str]) -> str:
        """Return how a digest compares with the reference's: same, other, unknown, or nothing if both sent nothing."""
        if _LOOKED in expected or (not expected and not 0 < len(self.expected) < _MOST_RECORDED):
            return "unknown"
        if digest in expected:
            return "nothing" if digest == self.nothing else "same"
        return "unknown" if len(expected) > 1 else "other" if expected or digest != self.nothing else "nothing"

    def lines(self) -> list[str]:
        """Return the line for the host, without its token, if the reference's answers are known."""
        if not self.expected:
            return []
        import json

        outcomes = [*self.outcomes.values()]
        counts: dict[str, Any] = {outcome: outcomes.count(outcome) for outcome in _BY_RANK[:-1]}
        others = [test[:_NAME_CHARACTERS] for test, outcome in self.outcomes.items() if outcome == "other"]
        return [" answers " + json.dumps({**counts, "tests": others[:_MOST_SHOWN]})]


def _sha256(data: bytes = b"") -> Any:
    from _hashlib import openssl_sha256  # hashlib takes longer

    return openssl_sha256(data)


def _without_texts(tree: Any) -> Any:
    """Return an exception's arguments or attributes without texts, which honest submissions word differently."""
    if type(tree) is not list:
        return tree
    # The items of a mapping are keys and values in turn.
    texts = range(4, len(tree), 2) if tree[0] == "d" else range(1, len(tree))
    return ["" if place in texts and type(part) is str else part for place, part in enumerate(tree)]
