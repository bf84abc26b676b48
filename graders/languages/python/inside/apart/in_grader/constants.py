"""Keeps apart the constants that the reference keeps apart, such as the members of an enumeration.

If two names of a submission stood for one object, a test could not fail that compares objects: `assert light.state is
State.GREEN`. So the contract has a word for each object, class or text that tests read as an attribute of a module or a
class: `same PATH` for each path of the same one, and of classes that derive from it or from which it derives.

With `exact`, what the contract has of a module is read when the module is imported. A submission could otherwise decide
which object a constant is when a test asks for it, after it has given an object to compare.
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
        modules: The modules that tests have imported, by name.
        pinned: What constants were when their module was imported, by the number of the process and path; None for what
            was no object.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.known: dict[str, tuple[Any, int]] = {}
        self.pinned: dict[tuple[int, str], Any] = {}
        self.modules: dict[str, Any] = {}

    def renew(self, peer: Any) -> None:
        """Import the modules again: a new process has begun."""
        for name, module in self.modules.items() if self.checkpoint.is_exact else ():
            peer.revive(module, link_of(module))
            self.pin(peer, module, name)

    def pin(self, peer: Any, module: Any, name: str) -> None:
        """Read the constants of a module and its classes that the contract has, without telling a test."""
        self.modules[name] = module
        waiting, seen = [(module, name)], set[int]()
        # A class may lead back to itself, and is read where the fewest steps lead.
        while waiting and self.checkpoint.is_exact:
            thing, path = waiting.pop(0)
            found: Any = link_of(thing)
            if found.number in seen:
                continue
            seen.add(found.number)
            for each in self.checkpoint.attributes(f"{path}."):
                value = self._read(peer, thing, each)
                is_object = link_of(value) is not None
                self.pinned[found.generation, f"{path}.{each}"] = value if is_object else None
                if is_object and isinstance(value, (type, type(sys))):
                    waiting.append((value, f"{path}.{each}"))

    def _read(self, peer: Any, thing: Any, name: str) -> Any:
        self.checkpoint.is_pinning = True
        try:
            return _original(peer.ask("get", thing, name))
        except AttributeError:
            return None
        finally:
            self.checkpoint.is_pinning = False

    def asked(self, request: Any, value: Any) -> None:
        """Record an answer. If it is another constant that the reference keeps apart, the test fails."""
        what, thing, name = (*request, None, None)[:3]
        if what != "get" or not isinstance(thing, (type, type(sys))) or name[:1] == "_" or self.checkpoint.is_pinning:
            return
        link, value = link_of(thing), _original(value)
        if self.checkpoint.is_exact and link is not None and link_of(value) is not None:
            self._keep([(link.generation, "".join(path)) for path in further(link.paths, f".{name}")], value)
        if link is None or not (_is_constant(value) or (type(value) is str and value and name.isupper())):
            return
        for path in map("".join, further(link.paths, f".{name}")):
            before = self.known.get(path, (None, 0))
            if before[0] is value or "()" in path or len(self.known) >= _MOST_CONSTANTS:
                continue
            self.known[path] = value, link.generation
            self._compare(path, value, link.generation)

    def _keep(self, places: Any, value: Any) -> None:
        """Keep a constant, so that it keeps its number. If it was another one, the test fails."""
        for place in places:
            if self.pinned.setdefault(place, value) is not value and self.checkpoint.noted is None:
                raise self.checkpoint.forbid(
                    AttributeError(f"{place[1]} is no longer what it was when it was imported")
                )

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


def _original(value: Any) -> Any:
    return value._gradebox_original if type(value) is Opaque else value


def _is_constant(value: Any) -> bool:
    """Whether this is an object of the submission or a class, and no function."""
    return isinstance(value, type) or (link_of(value) is not None and type(value).__module__ != "builtins")


def _is_one_constant(one: Any, other: Any) -> bool:
    if isinstance(one, type) and isinstance(other, type):
        return one in other.__mro__ or other in one.__mro__
    return one is other or (type(one) is str and type(other) is str and one == other)
