"""Reads what is no data: stand-ins for the other side's objects and classes, our own objects, exceptions.

The grader's side is careful: it resolves no name but those of harmless types and exceptions.
"""

from __future__ import annotations

import _weakref
import sys
from typing import TYPE_CHECKING

from graders.languages.inside.python.apart.class_making import make_class
from graders.languages.inside.python.apart.codec import Malformed
from graders.languages.inside.python.apart.describing import at, is_description, made_error
from graders.languages.inside.python.apart.links import LINKS, Link, link_of
from graders.languages.inside.python.apart.sending import HARMLESS, Sending
from graders.languages.inside.python.apart.stand_ins import StandIn, StandInType

if TYPE_CHECKING:
    from typing import Any

    from graders.languages.inside.python.apart.codec import Reader

# Exceptions that say how a test ended are the test's to raise.
JUDGING = frozenset("unittest _pytest pytest pluggy gradebox".split())


class Receiving(Sending):
    """What one side gets.

    Attributes:
        generation: Which process the other side is, counted from the first.
        classes: Stand-ins for classes, by module and name, so that they outlive the process.
        theirs: Weak references to stand-ins, by number; `released` has those that are gone.
    """

    def __init__(self, is_careful: bool, side: int) -> None:
        self.generation = 0
        self.classes: dict[Any, Any] = {}
        super().__init__(is_careful, side)

    def forget_all(self) -> None:
        super().forget_all()
        self.generation += 1
        self.theirs: dict[int, Any] = {}
        self.released: list[tuple[int, int]] = []

    def ask(self, *request: Any) -> Any:
        """Have the other side do something, and return what it answers or raise what it raises."""
        raise NotImplementedError

    def get_other(self, reader: Reader, tag: int, depth: int) -> Any:
        """Read what is no data.

        Raises:
            Malformed: If it is none of the other side's objects and none of ours that it has.
        """
        if tag == 121:
            return self.our_object(reader.number())
        if tag == 103:
            return self.resolve(reader.get(depth + 1))
        if tag == 110:
            kind, values = reader.get(depth + 1), reader.get(depth + 1)
            if not (isinstance(kind, type) and issubclass(kind, tuple)) or type(values) is not tuple:
                raise Malformed("it is no named tuple")
            return tuple.__new__(kind, values)
        if tag == 75:
            return self.stand_in(reader.number())
        if tag == 68:
            return self.get_class(reader, depth)
        if tag == 120:
            return self.get_error(reader, depth)
        if tag != 104:
            raise Malformed("it has an unknown tag")
        number = reader.number()
        kind, function = reader.get(depth + 1), reader.get(depth + 1)
        path = self.path(reader.get(depth + 1))
        found = self.stand_in(number, needed=False)
        if found is not None:
            LINKS[id(found)].count += 1
            return found
        if type(function) is dict and not self.is_careful:
            made = self.callback(function)
        elif isinstance(kind, StandInType) and issubclass(kind, StandIn):
            made = object.__new__(kind)
        else:
            raise Malformed("an object has no class of its side")
        return self.adopt(made, number, path)

    def path(self, path: Any) -> tuple[str, str] | None:
        is_path = type(path) is tuple and len(path) == 2 and all(type(part) is str for part in path)
        return path if is_path else None

    def our_object(self, number: int) -> Any:
        if number in self.raised:
            return self.raised[number]
        if number not in self.ours:
            raise Malformed("it names an object that was not sent")
        return self.ours[number][0]

    def stand_in(self, number: int, needed: bool = True) -> Any:
        reference = self.theirs.get(number)
        found = reference and reference()
        if found is None and needed:
            raise Malformed("it names an object that was not sent")
        return found

    def adopt(self, made: Any, number: int, path: tuple[str, str] | None = None) -> Any:
        """Take note of what a new stand-in stands for, and of its end."""
        key, peer, generation = id(made), self, self.generation

        def gone(reference: Any) -> None:
            link = LINKS.pop(key, None)
            if link is not None and generation == peer.generation:
                if link.count:
                    peer.released.append((number, link.count))
                if peer.theirs.get(number) is reference:
                    del peer.theirs[number]

        LINKS[key] = Link(self, number, path)
        self.theirs[number] = _weakref.ref(made, gone)
        return made

    def get_class(self, reader: Reader, depth: int) -> Any:
        number, bases, about = reader.number(), reader.get(depth + 1), reader.get(depth + 1)
        path = self.path(reader.get(depth + 1))
        if type(bases) is not tuple or not is_description(about):
            raise Malformed("a class is not described")
        known = self.classes.get(path) if path else None
        link = link_of(known)
        if known is not None and link is not None and link.generation != self.generation:
            link.number, link.generation, link.count = number, self.generation, 1
            self.theirs[number] = lambda: known
            return known
        try:
            made = make_class(about, tuple(base for base in bases if isinstance(base, type)))
        except (TypeError, ValueError) as error:
            raise Malformed(f"a class cannot be made: {error}") from error
        self.adopt(made, number, path)
        LINKS[id(made)].about = about
        # A class is kept: its objects come and go.
        self.classes[path or number] = made
        return made

    def get_error(self, reader: Reader, depth: int) -> Any:
        number, kind = reader.number(), reader.get(depth + 1)
        args, attributes, notes, cause, context, text = (reader.get(depth + 3) for _ in range(6))
        if not (isinstance(kind, type) and issubclass(kind, BaseException)) or type(args) is not tuple:
            raise Malformed("it is no exception")
        found = self.stand_in(number, needed=False) if number else None
        if found is not None:
            LINKS[id(found)].count += 1
            return found
        error = made_error(kind, args)
        if number and isinstance(kind, StandInType):
            self.adopt(error, number)
        elif number:
            error.__dict__["_gradebox_number"] = number
        if not isinstance(kind, StandInType) and type(attributes) is dict:
            error.__dict__.update({name: value for name, value in attributes.items() if type(name) is str})
        if type(notes) is tuple and notes:
            error.__dict__["__notes__"] = [note for note in notes if type(note) is str]
        if isinstance(context, BaseException):
            error.__context__ = context
        if isinstance(cause, BaseException):
            error.__cause__ = cause
        if type(text) is str and text:
            error.__dict__["_gradebox_traceback"] = text
        return error

    def resolve(self, names: Any) -> Any:
        """Return what has a name in both processes."""
        if type(names) is not tuple or not all(type(part) is str for part in names) or not names:
            raise Malformed("it is no name")
        module, name = names[0], names[1] if len(names) > 1 else ""
        if not self.is_careful:
            __import__(module)
            return at(sys.modules[module], name) if name else sys.modules[module]
        root, nearest = module.partition(".")[0], names[-1] if len(names) > 2 else ""
        loaded = sys.modules.get(module) if root not in JUDGING and self.is_library(module) else None
        found = at(loaded, name) if name and isinstance(loaded, type(sys)) else None
        if isinstance(found, type) and (issubclass(found, BaseException) if nearest else module in HARMLESS):
            return found
        other = at(sys.modules["builtins"], nearest) if nearest else object
        return other if isinstance(other, type) else Exception

    def callback(self, about: dict[str, Any]) -> Any:
        """Return a function that calls one of the grader's."""
        if about["async"]:

            async def function(*args: Any, **kwargs: Any) -> Any:
                return await self.ask("call", function, args, kwargs)

        else:

            def function(*args: Any, **kwargs: Any) -> Any:  # type: ignore[misc]
                return self.ask("call", function, args, kwargs)

        function.__name__, function.__qualname__, function.__doc__ = about["name"], about["qualname"], about["doc"]
        function.__module__, function.__annotations__ = about["module"], about["annotations"]
        inspect = sys.modules.get("inspect")
        if inspect is not None:
            kinds, names = inspect.Parameter, about["arguments"]
            required = len(names) - about["defaults"]
            function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
                [
                    kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=kinds.empty if place < required else None)
                    for place, name in enumerate(names)
                ]
            )
        return function

    def read_releases(self, released: Any, unused: Any) -> None:
        if type(released) is not tuple or type(unused) is not tuple:
            raise Malformed("it does not say what is released")
        for number in unused:
            if type(number) is int:
                self.forget(number)
        for pair in released:
            if type(pair) is tuple and len(pair) == 2 and pair[0] in self.ours:
                entry = self.ours[pair[0]]
                entry[1] -= pair[1]
                if entry[1] <= 0:
                    self.numbers.pop(id(entry[0]), None)
                    del self.ours[pair[0]]
