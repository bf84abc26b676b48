"""The grader's side of a connection.

It resolves only the names in boundary.json, and lends only objects that a test passed to the submission.
"""

from __future__ import annotations

import sys
from typing import Any

from gradebox.graders.languages.python.inside.apart.checkpoint import is_listed
from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer
from gradebox.graders.languages.python.inside.apart.contract import further
from gradebox.graders.languages.python.inside.apart.describing import (
    DATA,
    at,
    common_name,
    data_kind,
    full_name,
    is_known_name,
    is_library_class,
    special,
)
from gradebox.graders.languages.python.inside.apart.given_objects import nothing
from gradebox.graders.languages.python.inside.apart.in_grader.deeds import Watched
from gradebox.graders.languages.python.inside.apart.in_grader.lent_objects import annotations_of, is_public, kind_of
from gradebox.graders.languages.python.inside.apart.in_grader.notes import note
from gradebox.graders.languages.python.inside.apart.in_grader.opaque import Opaque, look_again
from gradebox.graders.languages.python.inside.apart.in_grader.parting import Parting
from gradebox.graders.languages.python.inside.apart.library_bases import passing
from gradebox.graders.languages.python.inside.apart.links import LINKS, PATHS, Link, link_of, unflat
from gradebox.graders.languages.python.inside.apart.loops import OF_LOOPS
from gradebox.graders.languages.python.inside.apart.plain_data import plain
from gradebox.graders.languages.python.inside.apart.sharing import identity
from gradebox.graders.languages.python.inside.apart.stand_ins import CHANGING, StandInModule, StandInType
from gradebox.graders.languages.python.inside.apart.values import DefaultValue, named, value_name
from gradebox.graders.languages.python.inside.apart.wire import CandidateDied, Malformed

_WORDS = {"function": "function", "class": "class"}
_OF_TUPLES = ("operator iter", "operator next", "operator getitem", "operator len")
_MOST_PATHS = 16


class Grader(Parting):
    """Receives the candidate's objects, lends the tests' objects, and serves the candidate's requests.

    Attributes:
        files: The files of the case.
    """

    files: Any = None
    library_of, name_of = staticmethod(passing), staticmethod(common_name)

    # Receiving the candidate's objects

    def path_of_content(self, kind: str, content: Any, path: Any) -> Any:
        if kind == "=":
            return path
        if kind == "!":
            return further(path, "!")
        if content and content[0] == "note":
            return ()
        if len(content) > 1 and type(content[1]) is list and type(content[1][-1]) is int:
            self.wake(content[1][-1])
        return further(self.checkpoint.subject(content, self.ours)[1][1], "<")

    def inner(self, paths: Any, key: Any) -> Any:
        """Return the paths of an item, from its container's paths and its key, or of a part sent along with a value."""
        return further(paths, *key) if type(key) is tuple else self.checkpoint.item(paths, key)

    def came(self, value: Any, paths: Any) -> None:
        """Record that data came on paths."""
        if link_of(value) is None:
            # Another solution may wrap a function of the tests that comes back.
            is_own = type(value) is type(at)
            for word in ("function", "call") if is_own else ("none" if value is None else "data",):
                self.checkpoint.note(paths, word)
            if isinstance(value, type):
                # Another solution may export a function or class of its own in place of one of the library.
                exported = [path for path in paths if len(path) == 2 and path[1].startswith(".")]
                for word in ("function", "class", "call"):
                    self.checkpoint.note(exported, word)
        fields = getattr(type(value), "_fields", ()) if isinstance(value, tuple) else ()
        # An object with the same fields may be unpacked, too.
        for word in (*(f"get {name}" for name in fields), *(_OF_TUPLES if fields else ())):
            self.checkpoint.note(paths, word)

    def arrived(self, made: Any, kind: str, about: dict[str, Any], reader: Reader, depth: int) -> Any:
        """Return the stand-in; if the contract has no object there, the object's data or an `Opaque`."""
        link, is_class = LINKS[id(made)], kind == "class"
        if isinstance(made, StandInModule) and any("".join(path) != made.__name__ for path in reader.at()):
            # The submission gives a module as a value, which the tests have imported under its own name.
            self.checkpoint.named.discard(id(made))
        if is_class and link.paths and not issubclass(made, tuple):
            # Of what is read of a module, the shortest names count: a class may lead back to itself.
            is_long = self.checkpoint.is_pinning and min(map(len, link.paths)) < min(map(len, reader.at()))
            if reader.is_aside or is_long:
                return made
        if self.waiting and self.waiting[-1][2] == "find" and reader.place == (self.checkpoint.revived,):
            # It replaces an object of the process that has ended.
            link.paths = self.checkpoint.revived
            return made
        paths, is_recorded, of = reader.at(), self.checkpoint.noted is not None, link_of(type(made))
        if of is not None and of.about["module"] != "builtins":
            self.checkpoint.note(paths, _WORDS.get(kind, "object"))
            paths = self.checkpoint.of_object(paths, of.objects)
        is_object = self.checkpoint.arrived(paths, _WORDS.get(kind, "object"), bool(link.paths)) or is_class
        if is_object and not set(paths).issubset(link.paths):
            link.paths = tuple(dict.fromkeys([*link.paths, *self.checkpoint.taken(paths)]))[:_MOST_PATHS]
        if of is not None and is_object and not is_class:
            of.objects.update(paths if is_recorded else reader.at())
        data = about.get("data")
        if data is not None and not is_class:
            held = reader.get(data, depth + 1)
            name = LINKS[id(type(made))].about["data"] or type(held).__name__
            if type(held).__name__ != name or not (type(held) in (*DATA, bool) or value_name(type(held))):
                raise Malformed("the data of an object are not of the kind that its class describes")
            if not is_object:
                return Opaque(made, paths, held) if type(held) is bool else held
            if link.data is None and LINKS[id(type(made))].about["data"] and name not in CHANGING:
                link.data = held
        return made if is_object else Opaque(made, paths)

    def named_tuple(self, reader: Reader, tree: list[Any], depth: int) -> Any:
        """Return a named tuple, which is also an object where the reference has one."""
        made = super().named_tuple(reader, tree, depth)
        if (of := link_of(type(made))) is not None:
            paths = self.checkpoint.of_object(reader.at(), of.objects)
            if self.checkpoint.arrived(paths, "object", False):
                made.__dict__[PATHS] = paths
                own = {*of.about["operators"], *of.about["methods"]} - {"hash", "_replace", "_asdict"}
                self.checkpoint.note(paths, "operator eq" if own else "equal fields")
                of.objects.update(paths if self.checkpoint.noted is not None else reader.at())
        return made

    def add_place(self, found: int, place: Any) -> bool:
        entry = self.shared[found]
        at = Reader(self).at
        before = at(entry[3])
        paths = tuple(dict.fromkeys([*before, *self.checkpoint.taken(at(place))]))
        entry[3] = (paths,)
        return bool(paths != before)

    def came_again(self, value: Any, reader: Reader) -> Any:
        """Check the items of a known container again if it arrives at another place now."""
        found = self.shared_numbers[id(value)]
        if self.add_place(found, reader.place):
            look_again(self, value, *self.shared[found][2:])
        return value

    def came_back(self, found: int, reader: Reader) -> None:
        """Refuse a mock of the tests where the reference has another object, since mocks answer any request."""
        entry = self.ours.get(found)
        if entry is not None and entry[2] == "mock" and not self.checkpoint.may_be_mock(reader.at()):
            raise Malformed("a mock of the tests comes where the reference gives something else")

    def factory(self, found: Any, before: Any, reader: Reader) -> Any:
        """Return the function that makes the values of a `defaultdict`, None if the reference has none there."""
        if type(found) is tuple and len(found) == 1:
            try:
                return DefaultValue(found[0])
            except TypeError:
                return None
        if link_of(found) is None:
            return None if type(found) is Opaque else found
        paths = further(reader.at(), ".default_factory")
        is_function = self.checkpoint.noted is not None or any(map(self.checkpoint.has_object, paths))
        return found if is_function else None

    def told_factory(self, factory: Any) -> Any:
        return (factory.value,) if type(factory) is DefaultValue else factory

    def named(self, found: Any, name: str) -> Any:
        """Record a class that the tests name."""
        if isinstance(found, StandInType):
            self.checkpoint.name(found, name)
        return found

    def resolve(self, name: str) -> Any:
        """Return the object with a name in both processes; for an exception that is not loaded here, `Exception`."""
        if not is_known_name(name):
            raise Malformed("it is not the name of a type or a constant")
        return named(name) if "." not in name or name.rpartition(".")[0] in sys.modules else named(name) or Exception

    def revive(self, stand_in: Any, link: Link) -> None:
        """Find the original of a stand-in again if its process was replaced by a new one."""
        if link.generation == self.generation:
            return
        if link.place is None:
            raise CandidateDied(f"this {type(stand_in).__name__} was in a process of the submission that has ended")
        self.checkpoint.revived = link.paths
        found = self.ask("find", *link.place)
        other = link_of(found)
        if other is None:
            raise CandidateDied(f"{'.'.join(link.place)} was in a process of the submission that has ended")
        if found is not stand_in:
            link.number, link.generation = other.number, other.generation
            self.theirs[link.number] = lambda: stand_in

    def derive(self, made: Any, bases: tuple[type, ...], namespace: dict[str, Any], named: Any) -> None:
        originals = tuple(base for base in bases if link_of(base) is not None)
        own = {name: value for name, value in namespace.items() if name not in ("__module__", "__classcell__")}
        number = self.ask("derive", made.__name__, originals, own, named)
        base = next(link for link in map(link_of, originals) if link is not None)
        if type(number) is not int or not number < 0:
            raise TypeError(f"{made.__name__} cannot be derived")
        self.adopt(made, number, base.paths)
        LINKS[id(made)].about = {**base.about, "equal": "own" if "__eq__" in own else base.about["equal"]}
        self.classes[number] = made
        self.checkpoint.named.add(id(made))

    # Lending the tests' objects

    def kind_of(self, value: Any) -> str:
        kind = kind_of(value)
        if not kind:
            raise self.checkpoint.limit(f"an object of {full_name(type(value))} cannot be passed to a submission")
        return kind

    def kind_of_class(self, kind: type) -> str:
        return "" if is_library_class(kind) else "class"

    place_of: Any = nothing

    def told_of(self, writer: Writer, value: Any, depth: int) -> dict[str, Any]:
        """Return the annotations of a function, or the data of an object derived from immutable data."""
        if type(value) is type(at):
            return {"annotations": writer.put(annotations_of(value), depth + 1)}
        base = data_kind(type(value))
        return {} if base is None or base.__name__ in CHANGING else {"data": writer.put(plain(value), depth + 1)}

    def put_other(self, writer: Writer, value: Any, depth: int) -> Any:
        return super().put_other(writer, value._gradebox_original if type(value) is Opaque else value, depth)

    # Serving the candidate

    def perform(self, what: str, *request: Any) -> Any:
        """Serve the candidate's request about a lent object, which the checkpoint has accepted."""
        if what == "note":
            return note(self.files, self.checkpoint.is_exact, *request)
        return self.deeds.watch(self._served, what, *request)

    def _served(self, what: str, thing: Any, *rest: Any) -> Any:
        kind = "awaitable" if what in OF_LOOPS and hasattr(type(thing), "__await__") else kind_of(thing)
        if not is_listed(what, kind):
            error: Any = AttributeError if what in ("get", "has") else TypeError
            name = f"{what} {rest[0]}" if what in ("get", "has", "operator") else what
            raise error(f"{type(thing).__name__!r} object of the test: {name!r} is not allowed")
        if what == "call":
            args, flat = rest
            self.check_written(thing, args)
            return thing(*args, **unflat(flat))
        if what == "get":
            if is_public(thing, kind, rest[0]):
                return getattr(thing, rest[0])
            raise AttributeError(f"{type(thing).__name__!r} object of the test has no usable attribute {rest[0]!r}")
        if what == "has":
            return is_public(thing, kind, rest[0]) and hasattr(thing, rest[0])
        if what == "keys":
            return [name for name in getattr(thing, "__dict__", ()) if not name.startswith("_")]
        if what == "await":
            about = further(self.ours[self.numbers[identity(thing)]][1], "<")
            return self.loops.begin(Watched(self.deeds, thing), about)
        if what in OF_LOOPS:
            return OF_LOOPS[what](self.loops, thing, *rest)
        return self.checkpoint.given_item(special(thing, *rest))
