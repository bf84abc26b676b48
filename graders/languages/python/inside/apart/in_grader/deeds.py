"""Records what a test did with the reference and has to do with each submission.

A test that passes without that has tested nothing: it read no expected values, or no request of the submission ran its
function that has an assertion. The contract has a word for each such deed at the path `#did`: `TEST open
PATH` or `TEST call NAME`, with the hash of the test's part. It counts if both runs of the reference have it.
"""

from __future__ import annotations

import sys
from typing import Any

from gradebox.graders.languages.python.inside.apart.checkpoint import Checkpoint
from gradebox.graders.languages.python.inside.apart.describing import is_library

_DEEDS = (("#did",),)
_MOST_DEEDS, _DEED_CHARACTERS = 3000, 200
# Events in a part of a test with the reference, and how many times as many with a submission.
_MOST_WATCHED, _TIMES = 200_000, 20
# Opcodes and names of assertions. pytest writes an assertion as `raise AssertionError`.
_ASSERTING, _ASSERTIONS = "LOAD_ASSERTION_ERROR", ("assert", "Assert")
_RETURNS = ("RETURN_VALUE", "RETURN_CONST")


class Deeds:
    """What the part of a test that runs now has done.

    Attributes:
        expected: What each part did with the reference, by its hash.
        known: Code, kept so that no other has its `id`, by that, with the deed of running it to its end, "" for none.
        left: How many events of a part are still watched, since watching makes functions slow.
        is_watching: Whether the reference's tests ran such functions.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint, self.recorded = checkpoint, 0
        self.expected: dict[str, set[str]] = {}
        self.done = set[str]()
        self.known: dict[int, tuple[Any, str]] = {}
        self.is_watching, self.left = False, _MOST_WATCHED

    def expect(self, words: Any) -> None:
        """Take the reference's deeds from the contract's words."""
        for part, _, deed in (word.partition(" ") for word in words):
            self.expected.setdefault(part, set()).add(deed)
            self.is_watching |= deed.startswith("call ")

    def open(self, path: str) -> None:
        """Record that the test opens a hidden file of the case."""
        self.done.add(f"open {path}")

    def watch(self, function: Any, *args: Any) -> Any:
        """Call a function for the submission, and record which functions with an assertion run to their end meanwhile.

        It does not matter how the submission reaches them: by an object, a mock, an operator or another function.
        """
        is_watching = self.is_watching or self.checkpoint.noted is not None
        if not is_watching or self.left <= 0 or sys.getprofile() is not None:
            return function(*args)
        watching = self._watched
        sys.setprofile(watching)
        try:
            return function(*args)
        finally:
            if sys.getprofile() is watching:
                sys.setprofile(None)

    def pause(self, function: Any, *args: Any) -> Any:
        """Call a function of this program, which nothing watches."""
        watching = sys.getprofile()
        if watching is None or getattr(watching, "__self__", None) is not self:
            return function(*args)
        sys.setprofile(None)
        try:
            return function(*args)
        finally:
            sys.setprofile(watching)

    def _watched(self, frame: Any, event: str, _: Any) -> None:
        self.left -= 1
        if self.left <= 0:
            sys.setprofile(None)
        if event != "return":
            return
        code = frame.f_code
        known = self.known.get(id(code)) or self._know(code, str(frame.f_globals.get("__name__")))
        # A frame that an exception leaves, and a generator that only yields, is at another instruction.
        if known[1] and _is_at_end(frame):
            self.done.add(known[1])

    def _know(self, code: Any, module: str) -> tuple[Any, str]:
        """Record whether code is a function of the tests that has an assertion."""
        is_of_tests = module.partition(".")[0] != "gradebox" and not is_library(module) and has_assertion(code)
        deed = f"call {module}.{getattr(code, 'co_qualname', code.co_name)}" if is_of_tests else ""
        self.known[id(code)] = code, deed
        return code, deed

    def end(self, part: str, passed: bool) -> str:
        """End the part of a test with this hash; return what is missing, "" if nothing is."""
        done, self.done = self.done, set()
        self.left = _MOST_WATCHED * (_TIMES if self.checkpoint.noted is None else 1)
        for deed in sorted(done):
            if len(deed) <= _DEED_CHARACTERS and self.recorded < _MOST_DEEDS:
                self.recorded += self.checkpoint.noted is not None
                self.checkpoint.note(_DEEDS, f"{part} {deed}")
        missing = sorted(self.expected.get(part, set()) - done) if passed else []
        if not missing:
            return ""
        what, _, name = missing[0].partition(" ")
        if what == "open":
            return f"this test has not opened {name}, which it opens with the reference"
        return f"the submission has not called {name}, which the reference calls in this test"


class Watched:
    """An awaitable of the tests for which a submission waits: each of its steps is watched."""

    def __init__(self, deeds: Deeds, awaitable: Any) -> None:
        self.deeds, self.awaitable = deeds, awaitable

    def __await__(self) -> Any:
        steps: Any = self.awaitable.__await__()
        step, value = steps.send, None
        while True:
            try:
                found = self.deeds.watch(step, value)
            except StopIteration as end:
                return end.value
            try:
                step, value = steps.send, (yield found)
            except BaseException as error:
                step, value = steps.throw, error


def _is_at_end(frame: Any) -> bool:
    import opcode

    return opcode.opname[frame.f_code.co_code[frame.f_lasti]] in _RETURNS


def has_assertion(code: Any) -> bool:
    """Whether code has an assertion, other than in the functions inside it."""
    import opcode

    is_named = any(name.startswith(_ASSERTIONS) or name == "fail" for name in code.co_names)
    return is_named or opcode.opmap.get(_ASSERTING) in code.co_code[::2]
