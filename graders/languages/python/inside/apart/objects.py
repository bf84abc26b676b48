"""Objects, classes and exceptions from the other side: stand-ins for them, or objects that both sides have."""

from __future__ import annotations

import _weakref
from typing import Any

from gradebox.graders.languages.python.inside.apart.class_making import make_class
from gradebox.graders.languages.python.inside.apart.codec import Reader, number
from gradebox.graders.languages.python.inside.apart.describing import error_fields, is_description, set_fields
from gradebox.graders.languages.python.inside.apart.given_objects import OBJECT_KINDS, GivenObjects, nothing
from gradebox.graders.languages.python.inside.apart.library_bases import real_data, with_data
from gradebox.graders.languages.python.inside.apart.links import LINKS, Link, link_of
from gradebox.graders.languages.python.inside.apart.stand_ins import TEXT, StandIn, StandInType
from gradebox.graders.languages.python.inside.apart.wire import Malformed, typed

CLASS = ".__class__"
"""The path step from an object to its class."""


def none(side: Any, *about: Any) -> tuple[()]:
    """Return an empty tuple: the default for a method that only the other side's class implements."""
    return ()


def itself(side: Any, value: Any, *about: Any) -> Any:
    """Return the value unchanged: the default for a method that only the other side's class implements."""
    return value


def told_so(side: Any, name: str, told: Any) -> Any:
    """Return a description: the default for `described`, which counts what tests read."""
    return told


class Objects(GivenObjects):
    """The objects that one side gives and gets. grader.py and server.py have the differences between the sides.

    Attributes:
        generation: The number of the other side's process, counted from the first.
        theirs: Weak references to stand-ins, by number; `released` has the numbers of those that are gone.
        classes: Stand-ins for classes, by module and name, so that they outlive the process.
        own: Attributes set here on objects of the other side, which only this side sees.
        raised: The last exceptions of this side that the other side received.
    """

    resolve: Any
    rest: Any = nothing
    unheld: Any = none
    came: Any = nothing
    inner: Any = itself
    by_name: Any = itself
    came_back: Any = nothing
    came_again: Any = itself
    library_of: Any
    factory: Any = itself
    told_factory: Any = itself
    arrived: Any = itself
    kind_of_error: Any = itself
    kept_secret: Any = itself
    described: Any = told_so

    def __init__(self, side: int) -> None:
        self.side, self.generation = side, 0
        self.own: dict[int, tuple[Any, dict[str, Any]]] = {}
        self.classes: dict[Any, Any] = {}

    def forget_all(self) -> None:
        super().forget_all()
        self.generation += 1
        self.theirs: dict[int, Any] = {}
        self.released: dict[int, None] = {}
        self.raised: dict[int, BaseException] = {}

    def get_other(self, reader: Reader, tag: str, tree: list[Any], depth: int) -> Any:
        """Return an object that is not data. Raises Malformed for an object that neither side has."""
        if tag == "o":
            _, found = tree
            known = self.known_object(number(found))
            self.came_back(found, reader)
            if found * self.side > 0 or link_of(known) is None or _is_raised(known, reader):
                return self.kept_secret(known, found, reader)
            return self.arrived(known, "class" if isinstance(known, type) else "object", {}, reader, depth)
        if tag == "k":
            _, name = tree
            return self.by_name(self.resolve(typed(name)), reader)
        if tag == "n":
            return self.named_tuple(reader, tree, depth)
        if tag == "c":
            return self.arrived(self.get_class(reader, tree, depth), "class", {}, reader, depth)
        if tag == "e":
            error = self.get_error(reader, tree, depth)
            is_known = link_of(error) is None or _is_raised(error, reader)
            return error if is_known else self.arrived(error, "object", {}, reader, depth)
        if tag != "x":
            raise Malformed("it has an unknown tag")
        _, found, kind, class_tree, about = tree
        if kind not in OBJECT_KINDS or type(about) is not dict:
            raise Malformed("an object is not described")
        self.check_free(found)
        of, made = reader.aside(class_tree, depth, CLASS), self.stand_in(found)
        link = made is not None and link_of(type(made))
        is_other = link and link.generation == self.generation and self.side > 0 and type(made) is not of
        if isinstance(made, type) or is_other:
            raise Malformed("the same number stands for another object than before")
        if made is None:
            made = self.make(found, of, about, reader)
        return self.arrived(made, kind, about, reader, depth)

    def make(self, found: int, of: Any, about: dict[str, Any], reader: Reader) -> Any:
        """Return a new stand-in for an object."""
        if not (isinstance(of, StandInType) and issubclass(of, StandIn)):
            raise Malformed("an object comes without a class of the submission")
        data = real_data(of)
        value = reader.get(about.get("data")) if data else None
        if data and type(value) is not data:
            raise Malformed("an object comes without the data from which its class is derived")
        blank = data.__new__(of, value) if data else object.__new__(of)
        made = self.adopt(blank, found, (), _place(about))
        LINKS[id(made)].about = about
        return made

    def known_object(self, found: int) -> Any:
        if found in self.raised:
            return self.raised[found]
        known = self.ours[found][0] if found in self.ours else self.stand_in(found)
        if known is None:
            raise Malformed("it names an object that was not sent")
        return known

    def stand_in(self, found: int) -> Any:
        reference = self.theirs.get(found)
        return reference and reference()

    def adopt(self, made: Any, found: int, path: Any = (), place: tuple[str, str] | None = None) -> Any:
        """Link a new stand-in to its original, and watch for the stand-in's end."""
        key, peer, generation = id(made), self, self.generation

        def gone(reference: Any) -> None:
            LINKS.pop(key, None)
            if generation == peer.generation and peer.theirs.get(found) is reference:
                peer.released[found] = None
                del peer.theirs[found]

        LINKS[key] = link = Link(self, found, path, place)
        # The weak reference must outlive the process.
        try:
            self.theirs[found] = link.reference = _weakref.ref(made, gone)
        except TypeError:
            # Integers have no weak references.
            self.theirs[found] = lambda: made
        self.released.pop(found, None)
        return made

    def get_class(self, reader: Reader, tree: list[Any], depth: int) -> Any:
        _, found, bases, about = tree
        self.check_free(found)
        if type(bases) is not list or not is_description(about):
            raise Malformed("a class is not described")
        kinds = tuple(reader.aside(base, depth, CLASS) for base in bases)
        if not all(isinstance(base, StandInType) or issubclass(base, BaseException) for base in kinds):
            raise Malformed("a class has other bases than stand-ins and exceptions")
        if about["data"] and any(issubclass(base, BaseException) for base in kinds):
            raise Malformed("a class of exceptions has a base class that is data")
        place = _place(about)
        known = self.classes.get(place) if place else None
        link = link_of(known)
        if link is not None and link.generation != self.generation:
            link.number, link.generation = found, self.generation
            self.theirs[found] = lambda: known
            return known
        kinds = with_data(about["data"], kinds)
        made = self.adopt(make_class(about, kinds, self.library_of(about)), found, reader.at(), place)
        LINKS[id(made)].about = about
        # Classes are kept, while their objects come and go.
        self.classes[place or found] = made
        return made

    def named_tuple(self, reader: Reader, tree: list[Any], depth: int) -> Any:
        kind, values = reader.aside(tree[1], depth, CLASS), reader.each(tree[2:], depth)
        if not (isinstance(kind, type) and issubclass(kind, tuple)) or len(values) != len(kind._fields):  # type: ignore[attr-defined]
            raise Malformed("it is not a named tuple")
        return tuple.__new__(kind, values)

    def get_error(self, reader: Reader, tree: list[Any], depth: int) -> Any:
        _, found, kind, args, about = tree
        self.check_free(found)
        kind, args = self.kind_of_error(reader.aside(kind, depth, CLASS)), reader.get(args, depth + 1)
        if not (isinstance(kind, type) and issubclass(kind, BaseException)) or type(args) is not tuple:
            raise Malformed("it is not an exception")
        if type(about) is not dict:
            raise Malformed("an exception is not described")
        known = self.stand_in(found)
        if known is not None:
            if type(known) is not kind:
                raise Malformed("the same number stands for another exception than before")
            return known
        error = _made_error(kind, args)
        self.take_error(error, found, kind, reader)
        attributes = reader.get(about.get("attributes"), depth + 1)
        if type(attributes) is dict:
            fields = error_fields(error)
            taken = {TEXT} if isinstance(kind, StandInType) else attributes.keys() - {TEXT} - fields.keys()
            error.__dict__.update({name: value for name, value in attributes.items() if name in taken})
            set_fields(error, {name: attributes[name] for name in fields if name in attributes})
        notes = about.get("notes")
        if type(notes) is list and notes:
            error.__dict__["__notes__"] = [typed(note) for note in notes]
        for name in ("cause", "context"):
            other = reader.get(about.get(name), depth + 1)
            if isinstance(other, BaseException):
                self.set_cause(error, name, other)
        if about.get("text"):
            error.__dict__["_gradebox_traceback"] = typed(about["text"])
        return error

    def set_cause(self, error: BaseException, name: str, cause: BaseException) -> None:
        setattr(error, f"__{name}__", cause)

    def take_error(self, error: BaseException, found: int, kind: Any, reader: Reader) -> None:
        """Link an exception to its original."""
        if isinstance(kind, StandInType):
            self.adopt(error, found, reader.at())


def _is_raised(thing: Any, reader: Reader) -> bool:
    """Whether this is a raised exception, its cause, or a warning to show, so that it replaces no other value."""
    is_alone = isinstance(thing, BaseException) and len(reader.place) == 1
    return is_alone and (reader.is_raised or not reader.place[0])


def _place(about: dict[str, Any]) -> Any:
    place = about.get("place")
    return tuple(place) if type(place) is list and [*map(type, place)] == [str, str] else None


def _made_error(kind: Any, args: tuple[Any, ...]) -> BaseException:
    if not isinstance(kind, StandInType) and kind.__module__ == "builtins":
        try:
            made: BaseException = kind(*args)
            return made
        except Exception:
            return Exception(*args)
    try:
        error: BaseException = kind.__new__(kind, *args)
    except Exception:
        error = Exception.__new__(kind)
    error.args = args
    return error
