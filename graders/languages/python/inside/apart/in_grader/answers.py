"""Compares what the submission sends during each test with what the reference sent.

If both sent the same, this process cannot tell them apart. The contract has words for each test at the path
`#answers`, such as `TEST DIGEST`, both hashes. docs/explanation/boundary.md says which parts of a message count.
"""

from __future__ import annotations

import _bisect
from collections.abc import Collection, Iterator
from posix import urandom
from typing import Any

from gradebox.graders.languages.python.inside.apart.checkpoint import Checkpoint
from gradebox.graders.languages.python.inside.apart.in_grader.errors import reword, without_texts
from gradebox.graders.languages.python.inside.apart.wire import as_json

_ANSWERS = (("#answers",),)
# What every test uses, and what happens after the last one, which counts like a test.
LOADING, ENDING = "loading", "the end of the run"
# The names of the part of a test that calls it.
_CALLS = ("", "call")
# In place of a digest: the test also used files, programs or connections; the submission compared its own objects; the
# test passes with other texts of exceptions, too. Before a hash of how containers changed while other loops ran.
_LOOKED, _COMPARED, _REWORDED, _ON_THE_WAY = "looked", "compared", "reworded", "steps:"
_MOST_RECORDED, _MOST_KNOWN, _MOST_SHOWN, _NAME_CHARACTERS, _HASH_CHARACTERS = 6000, 100_000, 20, 200, 16
# How the answers of a test compare with the reference's, the worst last. Both sent nothing, or they are the same.
_BY_RANK = ("nothing", "same", "unknown", "other", "failed")
_NUMBERED, _WITH_NUMBER, _OF_OBJECTS = frozenset("lsdrwB"), frozenset("lsdrwBxce"), frozenset("xcok")
# Tests do not learn these, and a new process of the candidate has to be asked for them again.
_UNTOLD = frozenset("turn module import find derive places around kept writing exported".split())
# Nor do they count where code is, and which name a coroutine has: `asyncio.run` asks for that. Before any test, pytest
# asks for some attributes of all that a file has imported.
_PLACES = frozenset(f".{name}" for name in "co_filename co_firstlineno f_lineno tb_lineno cr_code cr_frame".split())
_NAME_OF_COROUTINE, _ASKED_BY_PYTEST = ("()", ".__qualname__"), frozenset(("._mock_name", ".__wrapped__"))
# Kinds of functions, which are the same for tests.
_LIKE_FUNCTIONS = frozenset("_lru_cache_wrapper builtin_function_or_method function method partial".split())
# The parts of a note about a warning or a log record that do not say where it was made.
_NOTED = {"warning": (0, 1, 2), "log": (0, 1, 2, 3, 4, 8, 10)}


class Answers:
    """The answers of the submission during the test that runs now.

    Attributes:
        is_known: Whether the reference's answers are known.
        is_exact: Whether a test with other answers fails.
        is_told: Whether tests learn what the present message says.
        expected: The digests of the reference's answers, by test.
        outcomes: How the answers of each test compare with the reference's. They are unknown if the reference's vary,
            or if the test with the reference also used files, programs or connections, or compared objects by the
            reference's own operators. Without `is_exact`, so they are if texts of exceptions alone differ.
        uses: The names of what the present test uses beside others.
        is_rewording: Whether the texts of exceptions are replaced.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint, self.is_known, self.is_exact, self.is_told = checkpoint, False, False, True
        self.expected, self.expected_steps = dict[str, set[str]](), dict[str, set[str]]()
        self.outcomes: dict[str, str] = {}
        # The worst outcome of what several tests use, and of any test.
        self.shared: dict[str, str] = {}
        self.worst = "nothing"
        self.uses: Collection[str] = (LOADING,)
        self.recorded, self.part, self.is_rewording = 0, "", False
        # How often each part came; those with texts of exceptions, by test; the tests that have failed; each text that
        # was replaced, and by what.
        self.counts, self.with_texts = dict[str, int](), dict[str, list[str]]()
        self.failed, self.reworded = set[str](), dict[str, str]()
        self.begin()
        self.nothing, self.no_steps = self.digest(), _ON_THE_WAY + self.steps.hexdigest()[:_HASH_CHARACTERS]
        self.renew(0)

    def begin(self) -> None:
        """Begin a part of a test."""
        # Hashes of what counts, of the texts of exceptions, and of containers on the way; containers by number.
        self.found, self.texts, self.steps, self.count = _sha256(), _sha256(), _sha256(), 0
        self.changed: dict[Any, Any] = {}

    def digest(self) -> str:
        """Return the digest of a part of a test: that of all that counts, and that of the texts of exceptions."""
        if self.changed:
            self.found.update(as_json([self.changed[number] for number in sorted(self.changed)]))
        return "".join(each.hexdigest()[:_HASH_CHARACTERS] for each in (self.found, self.texts))

    def expect(self, words: Any, is_exact: bool) -> None:
        """Take the reference's digests from the contract's words."""
        self.is_known, self.is_exact = True, is_exact
        for test, _, digest in (word.partition(" ") for word in words):
            (self.expected_steps if digest[:6] == _ON_THE_WAY else self.expected).setdefault(test, set()).add(digest)

    def renew(self, given: int) -> None:
        """Forget the numbers of objects: a new process of the candidate has begun, and `given` is our last number."""
        # The last number of this side before each part of a test, and the name of the part before.
        self.starts: tuple[list[int], list[str]] = [given], [self.part]
        # What stands for objects of the candidate, by number, and how many there are of this part.
        self.known: dict[int, Any] = {}

    def hear(self, tree: Any, paths: Any, request: str) -> None:
        """Add a message, which may be malformed; `request` is what was requested last, with the paths of its answer."""
        try:
            kind, _, changes, _, *rest = tree
            is_untold = kind != "!" and (rest[0] if kind == "?" else request) in _UNTOLD
            self.is_told = not is_untold and (kind == "?" or not self.is_aside(kind, tree, paths))
            if kind == "?" and rest[0] == "note":
                rest = [rest[place] for place in _NOTED[rest[1]]]
            parts, changed = [*map(self.plain, rest)], [*map(self.plain, changes)]
            if self.is_told:
                self.found.update(as_json([kind, changed, parts]))
            else:
                for number, now in zip((change[1] for change in changes), changed):
                    if self.changed.get(number, now) != now:
                        self.steps.update(as_json(self.changed[number]))
                    self.changed[number] = now
            if self.is_rewording:
                reword(tree, self.reworded)
        except Exception:
            # It equals nothing.
            self.found.update(urandom(_HASH_CHARACTERS))

    def is_aside(self, kind: str, tree: Any, paths: Any) -> bool:
        """Whether an answer decides no test: a place, which `exact` hides, or what a file imports and does not use."""
        names, value = {path[-1] for path in paths if path}, tree[4]
        if kind == "!" or (not self.part and names & _ASKED_BY_PYTEST):
            return not self.part and bool(names & _ASKED_BY_PYTEST)
        if names & _PLACES and self.checkpoint.is_exact and type(value) in (int, str):
            tree[4] = type(value)()
        is_unused = self.checkpoint.is_aside and type(value) is list and value[0] in _OF_OBJECTS
        return bool(names & _PLACES) or is_unused or any(path[-2:] == _NAME_OF_COROUTINE for path in paths)

    def print(self, data: bytes, stream: int) -> None:
        """Add what the submission has printed to stdout (0) or stderr (1)."""
        self.found.update(as_json(["printed", stream, data.decode("latin-1")]))

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
            place = self.place(parts[0])
            return place if type(place) is list and place[0] == "c" else [tag, place]
        if tag == "x":
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
            return [tag, self.place(parts[0]), self.plain(parts[1]), without_texts(args), without_texts(attributes)]
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

    def end(self, test: str, part: str, passed: bool, given: int, has_looked: bool) -> str:
        """End a part of a test; return why the test fails for its answers, "" if it does not.

        Args:
            test: The name of the test; "" for what several tests use, such as a fixture.
            part: The name of the part, such as `setup`; of what several tests use, its first word is what they use.
            passed: Whether the test has passed so far.
            given: The last number that this side has given to an object.
            has_looked: Whether the test also used files, programs or connections, whose content is not compared.
        """
        digest = _LOOKED if has_looked else self.digest()
        name = f"{part} {test}"
        self.counts[name] = self.counts.get(name, 0) + 1
        # A test may run again, and a fixture may be made for each class.
        name += f" {self.counts[name]}" if self.counts[name] > 1 else ""
        steps = _ON_THE_WAY + self.steps.hexdigest()[:_HASH_CHARACTERS]
        self.part = _sha256(name.encode()).hexdigest()[:_HASH_CHARACTERS]
        self.starts[0].append(given)
        self.starts[1].append(self.part)
        self.begin()
        if len(self.known) > _MOST_KNOWN:
            self.known.clear()
        has_compared, self.checkpoint.has_compared = self.checkpoint.has_compared, False
        self.record(test, digest, [_COMPARED] * has_compared + [steps] * (steps != self.no_steps))
        if not passed:
            self.failed.add(test)
        expected = self.expected.get(self.part, set())
        outcome = self.compared(digest, expected)
        if outcome == "same" and has_compared and _COMPARED not in expected:
            outcome = "other"
        elif outcome == "same" and (has_compared or {steps} != self.expected_steps.get(self.part, {self.no_steps})):
            outcome = "unknown"
        if not test:
            name = part.partition(" ")[0]
            self.shared[name] = _worst(self.shared.get(name, outcome), outcome)
            return ""
        if part != ENDING:
            # What other tests got decides a test that got nothing of its own, or that uses it.
            is_idle = outcome == "nothing" and part in _CALLS and test not in self.outcomes
            used = [self.worst] if is_idle else []
            used += [self.shared[name] for name in self.uses if name in self.shared]
            outcome = _worst(outcome, *(each for each in used if each in ("unknown", "other")))
        self.worst = _worst(self.worst, outcome)
        if outcome == "nothing" and passed:
            return ""
        is_refused = self.is_exact and passed and outcome == "other"
        outcome = outcome if passed and not is_refused else "failed"
        self.outcomes[test] = _worst(self.outcomes.get(test, "same"), outcome)
        return "the reference gave other answers in this test (`contract: exact`)" if is_refused else ""

    def record(self, test: str, digest: str, words: list[str]) -> None:
        """Record a part of a test, and words about it."""
        if self.recorded >= _MOST_RECORDED or digest == self.nothing:
            return
        self.recorded += 1
        if digest != _LOOKED and digest[_HASH_CHARACTERS:] != self.nothing[_HASH_CHARACTERS:]:
            self.with_texts.setdefault(test, []).append(self.part)
        for word in (digest, *words):
            self.checkpoint.note(_ANSWERS, f"{self.part} {word}")

    def compared(self, digest: str, expected: set[str]) -> str:
        """Return how a digest compares with the reference's: same, other, unknown, or nothing if both sent nothing."""
        if not expected and self.is_known and (digest == self.nothing or len(self.expected) < _MOST_RECORDED):
            return "nothing" if digest == self.nothing else "other"
        runs = expected - {_COMPARED, _REWORDED}
        if _LOOKED in runs or len({run[:_HASH_CHARACTERS] for run in runs}) > 1:
            return "unknown"
        if digest in runs and len(runs) == 1:
            return "same"
        if not any(run.startswith(digest[:_HASH_CHARACTERS]) for run in runs):
            return "other" if runs else "unknown"
        is_other = self.is_exact and len(runs) == 1
        return "same" if _REWORDED in expected else "other" if is_other else "unknown"

    def lines(self) -> list[str]:
        """Return the line for the host, without its token, if the reference's answers are known.

        If texts of exceptions were replaced, record the parts with texts of the tests that passed. What several tests
        use counts if all tests passed. A test that has failed without a text has read one of another test.
        """
        if self.is_rewording and self.failed <= self.with_texts.keys():
            kept = [test for test in self.with_texts if test not in self.failed and (test or not self.failed)]
            for part in [part for test in kept for part in self.with_texts[test]]:
                self.checkpoint.note(_ANSWERS, f"{part} {_REWORDED}")
        if not self.is_known:
            return []
        import json

        outcomes = [*self.outcomes.values()]
        counts: dict[str, Any] = {outcome: outcomes.count(outcome) for outcome in _BY_RANK[1:-1]}
        named = "unknown" if self.is_exact else "other"
        others = [test[:_NAME_CHARACTERS] for test, outcome in self.outcomes.items() if outcome == named]
        return [" answers " + json.dumps({**counts, "tests": others[:_MOST_SHOWN]})]


def _worst(*outcomes: str) -> str:
    """Return the worst of several outcomes."""
    return max(outcomes, key=_BY_RANK.index)


def _sha256(data: bytes = b"") -> Any:
    from _hashlib import openssl_sha256  # hashlib takes longer

    return openssl_sha256(data)
