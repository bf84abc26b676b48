"""Writes what is no data: objects and classes that stay on this side, what both have by name, exceptions."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from graders.languages.inside.python.apart.describing import (
    at,
    describe,
    is_named_tuple,
    notes_of,
    own_name,
    traceback_text,
)
from graders.languages.inside.python.apart.links import link_of
from graders.languages.inside.python.apart.methods import BoundMethod, Method
from graders.languages.inside.python.apart.sharing import Sharing
from graders.languages.inside.python.apart.stand_ins import StandInType

if TYPE_CHECKING:
    from typing import Any

    from graders.languages.inside.python.apart.codec import Writer
    from graders.languages.inside.python.apart.links import Link

# What a name that the candidate sends may mean in the grader's process: types whose making does nothing.
HARMLESS = frozenset("builtins collections datetime decimal enum fractions pathlib uuid".split())
_LIBRARIES = ("/usr/lib/python", "/usr/local/lib/python", os.path.dirname(os.__file__))


class Sending(Sharing):
    """What one side gives.

    Attributes:
        is_careful: Whether this is the grader's process.
        ours: Objects that the other side has stand-ins for, with how often each was sent; `numbers` has their numbers.
        raised: Exceptions of the grader's, while the request lasts that raised them.
    """

    def __init__(self, is_careful: bool, side: int) -> None:
        self.is_careful = is_careful
        super().__init__(side)

    def forget_all(self) -> None:
        super().forget_all()
        self.ours: dict[int, list[Any]] = {}
        self.numbers: dict[int, int] = {}
        self.raised: dict[int, BaseException] = {}

    def revive(self, stand_in: Any, link: Link) -> None:
        """Find the original of a stand-in again, if its process has ended and another one has begun."""
        raise NotImplementedError

    def put_other(self, writer: Writer, value: Any, depth: int) -> None:
        """Write an object that is no data."""
        if isinstance(value, BoundMethod):
            value = value.original()
        if isinstance(value, Method):
            raise ValueError(f"{value.__qualname__} cannot be passed without an object")  # noqa: TRY004 - as of any value
        link = link_of(value)
        if link is not None and link.peer is self:
            self.revive(value, link)
            writer.number(b"y", link.number)
        elif isinstance(value, tuple) and isinstance(type(value), StandInType):
            writer.data += b"n"
            writer.put(type(value), depth + 1)
            writer.put(tuple(value), depth + 1)
        elif isinstance(value, BaseException):
            self.put_error(writer, value, depth)
        elif isinstance(value, type):
            self.put_class(writer, value, depth)
        elif type(value).__name__ == "traceback":
            writer.put(None)
        elif self.path_of(value):
            writer.data += b"g"
            writer.put(self.path_of(value), depth + 1)
        elif is_named_tuple(type(value)):
            writer.data += b"n"
            writer.put(type(value), depth + 1)
            writer.put(tuple(value), depth + 1)
        else:
            writer.number(b"h", self.given(value))
            self.put_kind(writer, type(value), depth + 1)
            writer.put(self.function_about(value) if type(value) is _FUNCTION else None, depth + 1)
            writer.put(self.place_of(value), depth + 1)

    def given(self, value: Any) -> int:
        """Return the number of an object of ours, of which the other side gets one more stand-in."""
        number = self.numbers.get(id(value))
        if number is None:
            number = self.numbers[id(value)] = self.new_number()
            self.ours[number] = [value, 0]
        self.ours[number][1] += 1
        return number

    def path_of(self, value: Any) -> tuple[str, ...]:
        """Return the name under which the other process has the same module or function, () for none."""
        if not self.is_careful:
            return ()
        if type(value) is type(sys):
            return (value.__name__,) if self.is_library(value.__name__) else ()
        module, name = own_name(value)
        if not (module and name and self.is_library(module)):
            return ()
        return (module, name) if at(sys.modules.get(module), name) is value else ()

    def is_library(self, module: str) -> bool:
        """Whether a module is the same in both processes."""
        there = sys.modules.get(module)
        place = getattr(getattr(there, "__spec__", None), "origin", None) or getattr(there, "__file__", None)
        return there is not None and module != "__main__" and (place is None or place in ("built-in", "frozen")
            or place.startswith((sys.prefix, sys.base_prefix, *_LIBRARIES)))  # fmt: skip

    def place_of(self, value: Any) -> tuple[str, str] | None:
        """Return where a function or class can be found again in another process with the same files."""
        module, name = own_name(value)
        if self.is_careful or not (module and name):
            return None
        return (module, name) if at(sys.modules.get(module), name) is value else None

    def put_class(self, writer: Writer, kind: type, depth: int) -> None:
        module, is_error = str(kind.__module__), issubclass(kind, BaseException)
        is_plain = self.is_careful or module in HARMLESS or is_error
        if is_plain and self.is_library(module) and at(sys.modules.get(module), kind.__qualname__) is kind:
            nearest = next(base.__name__ for base in kind.__mro__ if base.__module__ == "builtins")
            writer.data += b"g"
            writer.put((module, kind.__qualname__, nearest if is_error else ""), depth + 1)
        else:
            self.put_kind(writer, kind, depth)

    def put_kind(self, writer: Writer, kind: type, depth: int) -> None:
        """Write a class as one that stays here."""
        number = self.numbers.get(id(kind))
        if number is not None:
            writer.number(b"K", number)
            return
        writer.number(b"D", self.given(kind))
        bases = tuple(base for base in kind.__bases__ if self.is_mirrored(base))
        writer.put(bases, depth + 1)
        writer.put(describe(kind), depth + 1)
        writer.put(self.place_of(kind), depth + 1)

    def is_mirrored(self, base: type) -> bool:
        return issubclass(base, BaseException) or not self.is_library(base.__module__)

    def function_about(self, function: Any) -> Any:
        code = function.__code__
        return {
            "name": function.__name__,
            "qualname": function.__qualname__,
            "module": function.__module__,
            "doc": function.__doc__,
            "async": bool(code.co_flags & 128),
            "defaults": len(function.__defaults__ or ()),
            "arguments": code.co_varnames[: code.co_argcount + code.co_kwonlyargcount],
            "annotations": {name: kind for name, kind in function.__annotations__.items() if type(kind) in (str, type)},
        }

    def put_error(self, writer: Writer, error: BaseException, depth: int) -> None:
        number = getattr(error, "__dict__", {}).get("_gradebox_number")
        if type(number) is int:
            writer.number(b"y", number)
            return
        if self.is_careful:
            number = self.new_number()
            self.raised[number] = error
        elif not self.is_library(type(error).__module__):
            number = self.given(error)
        writer.number(b"x", number or 0)
        writer.put(type(error), depth + 1)
        attributes = {} if number else {name: value for name, value in vars(error).items() if not name.startswith("_")}
        deeper = depth < 12 and not self.is_careful
        cause, context = (error.__cause__, error.__context__) if deeper else (None, None)
        text = "" if self.is_careful else traceback_text(error)
        args = error.args
        if isinstance(error, OSError) and error.filename is not None:
            args = (*args[:2], error.filename, None, error.filename2)
        for part in (args, attributes, notes_of(error), cause, None if cause is context else context, text):
            start = len(writer.data)
            try:
                writer.put(part, depth + 3)
            except ValueError:
                del writer.data[start:]
                writer.put(() if type(part) is tuple else None, depth + 3)
        if not self.is_careful:
            error.__traceback__ = None


_FUNCTION: Any = type(lambda: None)
