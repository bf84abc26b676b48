"""Records what a test did with the reference and has to do with each submission.

A test that passes without that has tested nothing: it read no expected values, or the submission did not call its
function that has an assertion. The contract has a word for each such deed at the path `#did`: `TEST open
PATH` or `TEST call NAME`, with the hash of the test's part. It counts if both runs of the reference have it.
"""

from __future__ import annotations

from typing import Any

from gradebox.graders.languages.python.inside.apart.checkpoint import Checkpoint
from gradebox.graders.languages.python.inside.apart.describing import at

_DEEDS = (("#did",),)
_MOST_DEEDS, _DEED_CHARACTERS, _MOST_CALLED = 3000, 200, 20
# Opcodes and names of assertions. pytest writes an assertion as `raise AssertionError`.
_ASSERTING, _ASSERTIONS = "LOAD_ASSERTION_ERROR", ("assert", "Assert", "fail")


class Deeds:
    """What the part of a test that runs now has done.

    Attributes:
        expected: What each part did with the reference, by its hash.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint, self.recorded = checkpoint, 0
        self.expected: dict[str, set[str]] = {}
        self.done = set[str]()
        self.known: dict[Any, bool] = {}

    def expect(self, words: Any) -> None:
        """Take the reference's deeds from the contract's words."""
        for part, _, deed in (word.partition(" ") for word in words):
            self.expected.setdefault(part, set()).add(deed)

    def open(self, path: str) -> None:
        """Record that the test opens a hidden file of the case."""
        self.done.add(f"open {path}")

    def called(self, thing: Any, value: Any) -> Any:
        """Record that the submission has called a function of the tests that has an assertion; return its value.

        A call that raises does not count, and a coroutine or generator counts when it has ended.
        """
        function = getattr(thing, "__func__", thing) if type(thing).__name__ == "method" else thing
        if type(function) is not type(at) or not self.asserts(function):
            return value
        deed = f"call {function.__module__}.{function.__qualname__}"
        if function.__code__ in (getattr(value, "cr_code", None), getattr(value, "gi_code", None)):
            return (self._awaited if hasattr(value, "cr_code") else self._exhausted)(value, deed)
        self.done.add(deed)
        return value

    async def _awaited(self, value: Any, deed: str) -> Any:
        result = await value
        self.done.add(deed)
        return result

    def _exhausted(self, value: Any, deed: str) -> Any:
        result = yield from value
        self.done.add(deed)
        return result

    def asserts(self, function: Any) -> bool:
        """Whether a function, or one that it calls by its name, has an assertion."""
        code = function.__code__
        if code not in self.known:
            self.known[code] = has_assertion(code)
            called = [function.__globals__.get(name) for name in code.co_names[:_MOST_CALLED]]
            others = [other for other in called if type(other) is type(at)]
            self.known[code] = self.known[code] or any(map(self.asserts, others))
        return self.known[code]

    def end(self, part: str, passed: bool) -> str:
        """End the part of a test with this hash; return what is missing, "" if nothing is."""
        done, self.done = self.done, set()
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


def has_assertion(code: Any) -> bool:
    """Whether code has an assertion, also in the functions inside it."""
    import opcode

    number = opcode.opmap.get(_ASSERTING)
    return (
        number in code.co_code[::2]
        or any(name.startswith(_ASSERTIONS) for name in code.co_names)
        or any(has_assertion(part) for part in code.co_consts if type(part) is type(code))
    )
