"""Compares what the submission sends during each test with what the reference sent.

If both sent the same, this process cannot tell them apart. The contract has words for each test at the path
`#answers`, such as `TEST DIGEST`, both hashes. docs/explanation/boundary.md says which parts of a message count.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any

from gradebox.graders.languages.python.inside.apart.checkpoint import Checkpoint
from gradebox.graders.languages.python.inside.apart.in_grader.answer_trees import (
    HASH_CHARACTERS,
    AnswerTrees,
    sha256,
    shortened,
)
from gradebox.graders.languages.python.inside.apart.in_grader.errors import reword, sign
from gradebox.graders.languages.python.inside.apart.wire import as_json

_ANSWERS = (("#answers",),)
# What every test uses, and what happens after the last one, which counts like a test.
LOADING, ENDING = "loading", "the end of the run"
# The names of the part of a test that calls it.
_CALLS = ("", "call")
# In place of a digest: the test also used programs, connections or databases; the submission compared its own objects;
# the test passes with other texts of exceptions, too. Before a hash of how containers changed while other loops ran.
_LOOKED, _COMPARED, _REWORDED, _ON_THE_WAY = "looked", "compared", "reworded", "steps:"
_MOST_RECORDED, _MOST_SHOWN, _NAME_CHARACTERS, _SHOWN_CHARACTERS = 6000, 20, 200, 80
# How the answers of a test compare with the reference's, the worst last. Both sent nothing, or they are the same.
_BY_RANK = ("nothing", "same", "unknown", "other", "failed")
_OF_OBJECTS = frozenset("xcok")
# Tests do not learn these, and a new process of the candidate has to be asked for them again.
_UNTOLD = frozenset(
    "turn module import find derive places around kept writing exported remember same replace restore".split()
)
# Nor do they count where code is, and which name a coroutine has: `asyncio.run` asks for that. Before any test, pytest
# asks for some attributes of all that a file has imported.
_PLACES = frozenset(f".{name}" for name in "co_filename co_firstlineno f_lineno tb_lineno cr_code cr_frame".split())
_NAME_OF_COROUTINE, _ASKED_BY_PYTEST = ("()", ".__qualname__"), frozenset(("._mock_name", ".__wrapped__"))
# The parts of a note about a warning or a log record that do not say where it was made.
_NOTED = {"warning": (0, 1, 2), "log": (0, 1, 2, 3, 4, 8, 10)}


class Answers:
    """The answers of the submission during the test that runs now.

    Attributes:
        is_known: Whether the reference's answers are known.
        is_exact: Whether a test passes only if its answers are the reference's.
        expected: The digests of the reference's answers, by test.
        outcomes: How the answers of each test compare with the reference's. They are unknown if the reference's vary,
            or if the test with the reference also used programs or connections, or compared objects by the
            reference's own operators. Without `is_exact`, so they are if texts of exceptions alone differ.
        uses: The names of what the present test uses beside others.
        last: The message that was added last.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint, self.is_known, self.is_exact, self.trees = checkpoint, False, False, AnswerTrees(checkpoint)
        self.expected, self.expected_steps = dict[str, set[str]](), dict[str, set[str]]()
        self.outcomes: dict[str, str] = {}
        # The worst outcome of what several tests use, and of any test.
        self.shared: dict[str, str] = {}
        self.worst = "nothing"
        self.uses: Collection[str] = (LOADING,)
        self.last: Any = None
        self.recorded = 0
        # How often each part came; those with texts of exceptions, by test; the tests that have failed; how many
        # exceptions had their texts replaced.
        self.counts, self.with_texts = dict[str, int](), dict[str, list[str]]()
        self.failed, self.reworded = set[str](), 0
        self.begin()
        self.nothing, self.no_steps = self.digest(), _ON_THE_WAY + shortened(self.steps)

    def begin(self) -> None:
        """Begin a part of a test."""
        # Hashes of what counts, and of containers on the way; containers by number.
        self.found, self.steps = sha256(), sha256()
        self.changed: dict[Any, Any] = {}
        # The first two texts of a part descend: a test may expect that texts are sorted.
        self.reworded += self.reworded % 2

    def digest(self) -> str:
        """Return the digest of a part of a test: that of all that counts, and that of the texts of exceptions."""
        if self.changed:
            self.found.update(as_json([self.changed[number] for number in sorted(self.changed)]))
        return shortened(self.found) + shortened(self.trees.texts)

    def expect(self, words: Any, is_exact: bool) -> None:
        """Take the reference's digests from the contract's words."""
        self.is_known, self.is_exact = True, is_exact
        for test, _, digest in (word.partition(" ") for word in words):
            (self.expected_steps if digest[:6] == _ON_THE_WAY else self.expected).setdefault(test, set()).add(digest)

    def hear(self, tree: Any, paths: Any, request: str) -> None:
        """Add a message, which may be malformed; `request` is what was requested last, with the paths of its answer."""
        self.last = tree
        try:
            kind, _, changes, _, *rest = tree
            is_untold = kind != "!" and (rest[0] if kind == "?" else request) in _UNTOLD
            is_told = not is_untold and (kind == "?" or not self.is_aside(kind, tree, paths))
            is_told = is_told and not self.checkpoint.is_pinning
            self.trees.is_told = is_told
            if kind == "?" and rest[0] == "note":
                rest = [rest[place] for place in _NOTED[rest[1]]]
            parts, changed = [*map(self.trees.plain, rest)], [*map(self.trees.plain, changes)]
            if is_told:
                self.found.update(as_json([kind, changed, parts]))
            else:
                for number, now in zip((change[1] for change in changes), changed):
                    if self.changed.get(number, now) != now:
                        self.steps.update(as_json(self.changed[number]))
                    self.changed[number] = now
            if self.checkpoint.rewording:
                self.reworded = reword(tree, self.checkpoint.rewording, self.reworded)
        except Exception:
            # It equals nothing.
            self.found.update(os.urandom(16))

    def is_aside(self, kind: str, tree: Any, paths: Any) -> bool:
        """Whether an answer decides no test: a place, which `exact` hides, or what a file imports and does not use."""
        names, value = {path[-1] for path in paths if path}, tree[4]
        if kind == "!" or (not self.trees.part and names & _ASKED_BY_PYTEST):
            return not self.trees.part and bool(names & _ASKED_BY_PYTEST)
        if names & _PLACES and self.checkpoint.is_exact and type(value) in (int, str):
            tree[4] = type(value)()
        is_unused = self.checkpoint.is_aside and type(value) is list and value[0] in _OF_OBJECTS
        return bool(names & _PLACES) or is_unused or any(path[-2:] == _NAME_OF_COROUTINE for path in paths)

    def see(self, event: str, *content: Any) -> None:
        """Add what a test learns of a file that the submission may have made."""
        self.found.update(as_json(["seen", event, *content]))

    def described(self, name: str, told: Any) -> Any:
        """Add what a test reads of a description, and return it; a docstring counts like a text of an exception."""
        if name != "__doc__":
            self.found.update(as_json([name, told]))
            return told
        self.trees.texts.update(as_json([name, told]))
        if not self.checkpoint.rewording or told is None:
            return told
        self.reworded += 1
        return sign(self.checkpoint.rewording, self.reworded - 1)

    def print(self, data: bytes, stream: int) -> None:
        """Add what the submission has printed to stdout (0) or stderr (1)."""
        self.found.update(as_json(["printed", stream, data.decode("latin-1")]))

    def end(self, test: str, part: str, passed: bool, given: int, has_looked: bool) -> str:
        """End a part of a test; return why the test fails for its answers, "" if it does not.

        Args:
            test: The name of the test; "" for what several tests use, such as a fixture.
            part: The name of the part, such as `setup`; of what several tests use, its first word is what they use.
            passed: Whether the test has passed so far.
            given: The last number that this side has given to an object.
            has_looked: Whether the test also used what is not compared, such as programs.
        """
        digest, steps = _LOOKED if has_looked else self.digest(), _ON_THE_WAY + shortened(self.steps)
        name = f"{part} {test}"
        self.counts[name] = self.counts.get(name, 0) + 1
        # A test may run again, and a fixture may be made for each class.
        name += f" {self.counts[name]}" if self.counts[name] > 1 else ""
        self.trees.end(name, given)
        self.begin()
        has_compared, self.checkpoint.has_compared = self.checkpoint.has_compared, False
        self.record(test, digest, [_COMPARED] * has_compared + [steps] * (steps != self.no_steps))
        if not passed:
            self.failed.add(test)
        expected = self.expected.get(self.trees.part, set())
        own = self.compared(digest, expected)
        if own == "same" and has_compared and _COMPARED not in expected:
            own = "other"
        elif own == "same" and (has_compared or {steps} != self.expected_steps.get(self.trees.part, {self.no_steps})):
            own = "unknown"
        if not test:
            name = part.partition(" ")[0]
            self.shared[name] = _worst(self.shared.get(name, own), own)
            return ""
        outcome = own
        if part != ENDING:
            # What other tests got decides a test that got nothing of its own, or that uses it.
            is_idle = own == "nothing" and part in _CALLS and test not in self.outcomes
            used = [self.worst] if is_idle else []
            used += [self.shared[name] for name in self.uses if name in self.shared]
            outcome = _worst(own, *(each for each in used if each in ("unknown", "other")))
        self.worst = _worst(self.worst, outcome)
        if outcome == "nothing" and passed:
            return ""
        is_refused = self.is_exact and passed and outcome != "same"
        told = outcome if passed and not is_refused else "failed"
        self.outcomes[test] = _worst(self.outcomes.get(test, "same"), told)
        if not is_refused:
            return ""
        if outcome == "other":
            return "the reference gave other answers in this test (`contract: exact`)"
        # The last line of an item says most about it.
        name = test.strip().rpartition("\n")[2][:_SHOWN_CHARACTERS]
        what = f"`contract: exact` cannot compare the answers of {name}"
        return str(self.checkpoint.limit(f"{what}: {_why_unknown(own, expected)}"))

    def record(self, test: str, digest: str, words: list[str]) -> None:
        """Record a part of a test, and words about it."""
        if self.recorded >= _MOST_RECORDED or digest == self.nothing:
            return
        self.recorded += 1
        if digest != _LOOKED and digest[HASH_CHARACTERS:] != self.nothing[HASH_CHARACTERS:]:
            self.with_texts.setdefault(test, []).append(self.trees.part)
        for word in (digest, *words):
            self.checkpoint.note(_ANSWERS, f"{self.trees.part} {word}")

    def compared(self, digest: str, expected: set[str]) -> str:
        """Return how a digest compares with the reference's: same, other, unknown, or nothing if both sent nothing."""
        if not expected and self.is_known and (digest == self.nothing or len(self.expected) < _MOST_RECORDED):
            return "nothing" if digest == self.nothing else "other"
        runs = expected - {_COMPARED, _REWORDED}
        if _LOOKED in runs or len({run[:HASH_CHARACTERS] for run in runs}) > 1:
            return "unknown"
        if digest in runs and len(runs) == 1:
            return "same"
        if not any(run.startswith(digest[:HASH_CHARACTERS]) for run in runs):
            return "other" if runs else "unknown"
        is_other = self.is_exact and len(runs) == 1
        return "same" if _REWORDED in expected else "other" if is_other else "unknown"

    def lines(self) -> list[str]:
        """Return the line for the host, without its token, if the reference's answers are known.

        If texts of exceptions were replaced, record the parts with texts of the tests that passed. What several tests
        use counts if all tests passed. A test that has failed without a text has read one of another test.
        """
        if self.checkpoint.rewording and self.failed <= self.with_texts.keys():
            kept = [test for test in self.with_texts if test not in self.failed and (test or not self.failed)]
            for part in [part for test in kept for part in self.with_texts[test]]:
                self.checkpoint.note(_ANSWERS, f"{part} {_REWORDED}")
        if not self.is_known:
            return []
        import json

        outcomes = [*self.outcomes.values()]
        counts: dict[str, Any] = {outcome: outcomes.count(outcome) for outcome in _BY_RANK[1:-1]}
        others = [test[:_NAME_CHARACTERS] for test, outcome in self.outcomes.items() if outcome == "other"]
        return [" answers " + json.dumps({**counts, "tests": others[:_MOST_SHOWN]})]


def _why_unknown(own: str, expected: set[str]) -> str:
    """Return why the answers of a test are unknown, if those of its `own` part compare so."""
    if own != "unknown":
        return "it shares others that cannot be compared"
    if _LOOKED in expected:
        return "it also observes programs, connections, databases, the list of the workspace or the like"
    if _COMPARED in expected:
        return "it compares objects of the submission by their own methods"
    if len(expected) > 1:
        return "the reference gives others in each run"
    return "containers change in other steps" if expected else f"a run has at most {_MOST_RECORDED} parts with answers"


def _worst(*outcomes: str) -> str:
    """Return the worst of several outcomes."""
    return max(outcomes, key=_BY_RANK.index)
