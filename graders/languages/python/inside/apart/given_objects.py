"""Objects, classes and exceptions that one side gives to the other: they stay here, and only names are sent."""

from __future__ import annotations

import sys
from typing import Any

from gradebox.graders.languages.inside.boundary import BOUNDARY
from gradebox.graders.languages.python.inside.apart.codec import Writer
from gradebox.graders.languages.python.inside.apart.describing import (
    at,
    describe,
    function_about,
    is_library,
    is_named_tuple,
    known_name,
    own_name,
)
from gradebox.graders.languages.python.inside.apart.library_bases import real_data
from gradebox.graders.languages.python.inside.apart.links import BoundMethod, Method, link_of
from gradebox.graders.languages.python.inside.apart.sharing import Sharing
from gradebox.graders.languages.python.inside.apart.stand_ins import StandInType
from gradebox.graders.languages.python.inside.apart.values import value_name

OBJECT_KINDS = frozenset(BOUNDARY["kinds"]["x"]["python"])


def nothing(side: Any, *about: Any) -> Any:
    """Do nothing: the default for a method that only the other side's class implements."""


class GivenObjects(Sharing):
    """The objects that one side gives. grader.py and server.py have the differences between the sides."""

    kind_of: Any
    told_of: Any
    put_error: Any
    revive: Any = nothing
    is_own_now: Any = nothing
    name_of: Any = nothing

    def put_other(self, writer: Writer, value: Any, depth: int) -> Any:
        """Return the tree of an object that is not data."""
        if type(value) is BoundMethod:
            value = value.original()
        if type(value) is Method:
            raise ValueError(f"{value.__qualname__} cannot be passed without an object")
        kind, link = type(value), link_of(value)
        if link is not None and link.peer is self and not self.is_own_now(value):
            self.revive(value, link)
            return ["o", link.number]
        if isinstance(value, tuple) and (isinstance(kind, StandInType) or is_named_tuple(kind)):
            return ["n", self.put_class(writer, kind, depth), *writer.each(tuple(value), depth)]
        if isinstance(value, BaseException):
            return self.put_error(writer, value, depth)
        if isinstance(value, type):
            return self.put_class(writer, value, depth)
        if kind.__name__ == "traceback":
            return None
        name = self.name_of(value)
        if name:
            return ["k", name]
        lent = self.kind_of(value)
        # This is the order in which the other side reads them.
        found, of = self.given(value, lent, writer.path), self.put_class(writer, kind, depth, False)
        about = {**function_about(value), **self.told_of(writer, value, depth)}
        return ["x", found, lent if lent in OBJECT_KINDS else "object", of, about]

    def put_class(self, writer: Writer, kind: type, depth: int, by_name: bool = True) -> Any:
        """Return the tree of a class; without `by_name`, it is described even if both sides know its name."""
        link = link_of(kind)
        if link is not None and link.peer is self:
            self.revive(kind, link)
            return ["o", link.number]
        name = by_name and (known_name(kind) or self.name_of(kind) or value_name(kind))
        if name:
            return ["k", name]
        found = self.numbers.get(id(kind))
        if found is not None:
            return ["o", found]
        found = self.given(kind, self.kind_of_class(kind), writer.path)
        mirrored = [base for base in kind.__bases__
                    if issubclass(base, BaseException) or not is_library(str(base.__module__))]  # fmt: skip
        bases = [self.put_class(writer, base, depth + 1) for base in mirrored]
        about = {**describe(kind, real_data(kind)), "place": self.place_of(kind)}
        return ["c", found, bases, about]

    def put_error_parts(self, writer: Writer, args: Any, told: dict[str, Any], depth: int) -> list[Any]:
        """Return the last parts of an exception's tree, without values that cannot be sent."""
        trees = []
        for part in (args, *told.values()):
            mark = self.next_number
            try:
                trees.append(writer.put(part, depth + 3))
            except (ValueError, TypeError):
                self.roll_back(mark)
                trees.append(["t"] if part is args else None)
        return [trees[0], dict(zip(told, trees[1:]))]

    def kind_of_class(self, kind: type) -> str:
        return "class"

    def place_of(self, value: Any) -> list[str] | None:
        """Return the module and name by which another process with the same files finds a function or class again."""
        module, name = own_name(value)
        return [module, name] if module and name and at(sys.modules.get(module), name) is value else None
