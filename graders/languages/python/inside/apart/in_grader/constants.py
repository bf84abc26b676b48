"""Keeps apart the constants that the reference keeps apart, such as the members of an enumeration.

If two names of a submission stood for one object, a test could not fail that compares objects: `assert light.state is
State.GREEN`. So the contract has a word for each object, class or text that tests read as an attribute of a module or a
class: `same PATH` for each path of the same one, and of classes that derive from it or from which it derives.

What the contract has of a module and its classes is read when the module is imported, and the submission is not asked
for it again. Otherwise it would learn which constant a test expects, and could decide what a constant is after it has
given what the test compares with it. The contract has the word `changing` where the reference's has changed since then,
or is a container, whose changes both sides report; such attributes are asked for each time.
"""

from __future__ import annotations

import sys
from typing import Any

from gradebox.graders.languages.python.inside.apart.checkpoint import Checkpoint
from gradebox.graders.languages.python.inside.apart.codec import container_tag
from gradebox.graders.languages.python.inside.apart.contract import UNSETTLED, further
from gradebox.graders.languages.python.inside.apart.in_grader.opaque import Opaque
from gradebox.graders.languages.python.inside.apart.links import link_of
from gradebox.graders.languages.python.inside.apart.wire import CandidateDied, Malformed

_MOST_CONSTANTS = 2000
_SAME_AS = "same "
_NOT_THERE = object()
_SETS = frozenset(("set", "delete", "replace", "restore"))
_CONTAINER_TAGS, _DATA_KINDS = frozenset("lsdB"), (str, int, float, bool, bytes, tuple)


class Constants:
    """The constants of the submission.

    Attributes:
        known: The constants by path, each with the number of its process.
        modules: The modules that tests have imported, by name.
        pinned: What attributes of modules and classes were when the module was imported, with the trees of the answers,
            by the number of the process and that of the module or class, and by name.
        held: What attributes were when a test read them last.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.known: dict[str, tuple[Any, int]] = {}
        self.pinned: dict[tuple[int, int], dict[str, tuple[Any, Any]]] = {}
        self.modules: dict[str, Any] = {}
        self.held: dict[tuple[int, int, str], Any] = {}

    def renew(self, peer: Any) -> None:
        """Import the modules again: a new process has begun."""
        for name, module in [*self.modules.items()]:
            peer.revive(module, link_of(module))
            self.pin(peer, module, name)

    def pin(self, peer: Any, module: Any, name: str) -> None:
        """Read what the contract has of a module and its classes, without telling a test.

        While a contract is recorded, let the candidate remember what they have.
        """
        if self.checkpoint.noted is None and self.checkpoint.words is None:
            return
        self.modules[name] = module
        if self.checkpoint.noted is not None:
            peer.ask("remember", module)
            return
        waiting, seen, top = [(module, name)], set[int](), link_of(module)
        # It may be loaded again; another module may have the same class.
        self.pinned.pop((top.generation, top.number), None)  # type: ignore[union-attr]
        # A class may lead back to itself, and is read where the fewest steps lead.
        while waiting:
            thing, path = waiting.pop(0)
            found: Any = link_of(thing)
            if found is None or found.number in seen:
                continue
            seen.add(found.number)
            pins = self.pinned.setdefault((found.generation, found.number), {})
            for each in self.checkpoint.attributes(f"{path}."):
                if each not in pins:
                    value = self._read(peer, thing, each)
                    pins[each] = value, _again(peer.answers.last[4])
                value = pins[each][0]
                # Another solution may give an object in place of a class.
                if self.checkpoint.is_class(f"{path}.{each}") or isinstance(value, type(sys)):
                    waiting.append((_original(value), f"{path}.{each}"))

    def _read(self, peer: Any, thing: Any, name: str) -> Any:
        self.checkpoint.is_pinning = True
        try:
            return peer.ask("get", thing, name)
        except (CandidateDied, Malformed):
            raise
        except Exception:
            return _NOT_THERE
        finally:
            self.checkpoint.is_pinning = False

    def kept(self, peer: Any, request: Any) -> Any:
        """Return what an attribute was when its module was imported, in a tuple; None if that is not known.

        It counts as the answer to a request.
        """
        if request[0] != "get" or self.checkpoint.is_pinning or not self.pinned:
            return None
        if peer.connection < 0:
            peer.before()
        link: Any = link_of(request[1])
        is_there = link is not None and link.generation == peer.generation
        pins = self.pinned.get((link.generation, link.number), {}) if is_there else {}
        if request[2] not in pins:
            return None
        value, tree = pins[request[2]]
        if value is _NOT_THERE:
            raise AttributeError(f"{request[2]!r} was not there when its module was imported")
        peer.answers.hear(["=", 0, [], [], tree], further(link.paths, f".{request[2]}"), "get")
        return (value,)

    def watch(self, peer: Any, thing: Any, name: str, value: Any) -> None:
        """Record whether an attribute of the reference is what it was when its module was imported."""
        if not is_lasting(value) or peer.ask("same", thing, name) is not True:
            self.checkpoint.note(further(link_of(thing).paths, f".{name}"), UNSETTLED)  # type: ignore[union-attr]

    def asked(self, peer: Any, request: Any, value: Any) -> None:
        """Record an answer. If it is another constant that the reference keeps apart, the test fails."""
        what, thing, name = (*request, None, None)[:3]
        if what in _SETS and link_of(thing) is not None:
            link: Any = link_of(thing)
            # A test has replaced it.
            self.pinned.get((link.generation, link.number), {}).pop(name, None)
        if what != "get" or not isinstance(thing, (type, type(sys))) or name[:1] == "_" or self.checkpoint.is_pinning:
            return
        link, is_record = link_of(thing), self.checkpoint.noted is not None
        if link is not None and is_lasting(value):
            # It lives on in all runs, and so has the same number all the time.
            self.held[link.generation, link.number, name] = value
        if link is not None and is_record:
            self.watch(peer, thing, name, value)
        value = _original(value)
        # Numbers of the reference may be equal. Where it keeps texts or objects apart, numbers must be apart, too.
        is_data = type(value) is str if is_record else type(value) in _DATA_KINDS
        if link is None or not (_is_constant(value) or (is_data and value != "" and name.isupper())):
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
            is_number = type(value) in _DATA_KINDS and type(value) is not str
            # Numbers of other modules and classes may be equal.
            is_beside = path.rpartition(".")[0] == other.rpartition(".")[0]
            is_one = is_beside if is_number else type(value) is str or self.known[other][0] is value
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
    return one is other or (type(one) in _DATA_KINDS and type(other) is type(one) and bool(one == other))


def is_lasting(value: Any) -> bool:
    """Whether a value is an object, a class, a function or immutable data, and no exception."""
    if type(value) in (tuple, frozenset):
        return all(map(is_lasting, value))
    return container_tag(type(value)) is None and not isinstance(value, BaseException)


def _again(tree: Any) -> Any:
    """Return the tree of a value that is sent again: a container is only named."""
    if type(tree) is not list:
        return tree
    is_container = len(tree) > 1 and type(tree[0]) is str and tree[0] in _CONTAINER_TAGS
    return ["#", tree[1]] if is_container else [*map(_again, tree)]
