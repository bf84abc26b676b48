"""Keeps apart the constants that the reference keeps apart, such as the members of an enumeration.

If two names of a submission stood for one object, a test could not fail that compares objects: `assert light.state is
State.GREEN`. So the contract has a word for each object, class or text that tests read as an attribute of a module or a
class: `same PATH` for each path of the same one, and of classes that derive from it or from which it derives.
"""

from __future__ import annotations

import sys
from typing import Any

from gradebox.graders.languages.python.inside.apart.checkpoint import Checkpoint
from gradebox.graders.languages.python.inside.apart.contract import further
from gradebox.graders.languages.python.inside.apart.in_grader.opaque import Opaque
from gradebox.graders.languages.python.inside.apart.links import link_of

_MOST_CONSTANTS = 2000
_SAME_AS = "same "


class Constants:
    """The constants of the submission.

    Attributes:
        known: The constants by path, each with the number of its process.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.known: dict[str, tuple[Any, int]] = {}

    def asked(self, request: Any, value: Any) -> None:
        """Record an answer. If it is another constant that the reference keeps apart, the test fails."""
        what, thing, name = (*request, None, None)[:3]
        if what != "get" or not isinstance(thing, (type, type(sys))) or name[:1] == "_":
            return
        link, value = link_of(thing), value._gradebox_original if type(value) is Opaque else value
        if link is None or not (_is_constant(value) or (type(value) is str and value and name.isupper())):
            return
        for path in map("".join, further(link.paths, f".{name}")):
            before = self.known.get(path, (None, 0))
            if before[0] is value or "()" in path or len(self.known) >= _MOST_CONSTANTS:
                continue
            self.known[path] = value, link.generation
            self._compare(path, value, link.generation)

    def _compare(self, path: str, value: Any, generation: int) -> None:
        others = [
            other
            for other, (one, number) in self.known.items()
            if number == generation and _is_one_constant(one, value)
        ]
        for other in others:
            self.checkpoint.note(((path,),), f"{_SAME_AS}{other}")
            self.checkpoint.note(((other,),), f"{_SAME_AS}{path}")
        told = self._told(path) if self.checkpoint.noted is None else None
        for other in others if told else ():
            is_one = self.known[other][0] is value or type(value) is str
            if is_one and self._told(other) and f"{_SAME_AS}{other}" not in told:  # type: ignore[operator]
                raise self.checkpoint.forbid(AttributeError(f"{path} and {other} are one here, unlike the reference's"))

    def _told(self, path: str) -> set[str]:
        words = (self.checkpoint.words or {}).get(path, ())
        return {word for word in words if word.startswith(_SAME_AS)}


def _is_constant(value: Any) -> bool:
    """Whether this is an object of the submission or a class, and no function."""
    return isinstance(value, type) or (link_of(value) is not None and type(value).__module__ != "builtins")


def _is_one_constant(one: Any, other: Any) -> bool:
    if isinstance(one, type) and isinstance(other, type):
        return one in other.__mro__ or other in one.__mro__
    return one is other or (type(one) is str and type(other) is str and one == other)
