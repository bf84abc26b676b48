"""One of two processes that use each other's objects: requests, answers, and which objects are whose.

    grader                                        candidate
    f([1, 2])          ? call f, list 1 [1, 2]  -->   f runs, changes its argument, returns an object
                       <--  = list 1 is [1, 2, 3] now; object 5 of class 4

Both sides are peers: while one waits for an answer, it serves requests, so functions and objects that are passed are
called back. Values are data (codec.py). Any other object stays where it is, and a stand-in takes its place
(stand_ins.py). A container is copied, and as long as both sides hold it, every message says how it has changed.

The grader's side is careful: it resolves no name but those of harmless types and exceptions, and of its own objects it
gives only what was passed to the other side, of these no private attribute and nothing that leads to other code.
"""

from __future__ import annotations

import _operator
import _thread
import _weakref
import os
import sys
from typing import TYPE_CHECKING

from graders.languages.inside.python.apart.codec import Malformed, Reader, Writer, container_tag
from graders.languages.inside.python.apart.describing import (
    at,
    describe,
    is_description,
    is_named_tuple,
    made_error,
    notes_of,
    own_name,
    traceback_text,
)
from graders.languages.inside.python.apart.stand_ins import (
    LINKS,
    SPECIAL,
    BoundMethod,
    Link,
    Method,
    StandIn,
    StandInType,
    link_of,
    make_class,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# What a name that the candidate sends may mean in the grader's process: types whose making does nothing.
_HARMLESS = frozenset("builtins collections datetime decimal enum fractions pathlib uuid".split())
# Exceptions that say how a test ended are the test's to raise.
_JUDGING = frozenset("unittest _pytest pytest pluggy gradebox".split())
_KEPT = 20_000
_SAME = _operator.is_


def says(code: Any, name: str) -> bool:
    """Whether a name stands in a code, or in a function or class of it."""
    return name in code.co_names or any(says(part, name) for part in code.co_consts if type(part) is type(code))


class CandidateDied(RuntimeError):
    """The candidate's process has ended in the middle of what it was asked."""


def _snapshot(value: Any, tag: bytes) -> Any:
    if tag == b"a":
        return bytes(value)
    return [*value.keys(), *value.values()] if tag in b"docw" else list(value)


def _holders() -> int:
    entry = [object()]
    return sys.getrefcount(entry[0])


class Peer:
    """One side of a connection.

    Attributes:
        is_careful: Whether this is the grader's process.
        serve: Answers what only one of the sides is asked.
    """

    def __init__(self, is_careful: bool, side: int) -> None:
        self.is_careful = is_careful
        self.generation = 0
        self.side = side
        self.lock = _thread.RLock()
        self.serve: Callable[..., Any] = self.no_request
        # Whether code of the tests says a name.
        self.says: Callable[[Any, str], bool] = says
        self.before: Callable[[], Any] = tuple
        self.after: Callable[[], Any] = tuple
        # Of classes: by module and name, so that they outlive the process; and the names of those that tests name.
        self.classes: dict[Any, Any] = {}
        self.named: set[int] = set()
        self.connect(-1, -1)

    def connect(self, reading: int, writing: int) -> None:
        """Begin with a process that knows nothing yet."""
        self.reading, self.writing = reading, writing
        self.generation += 1
        self.next_number = self.side
        self.requests = self.depth = 0
        # Our objects that the other side has stand-ins for, with how often each was sent; and their numbers.
        self.ours: dict[int, list[Any]] = {}
        self.numbers: dict[int, int] = {}
        self.theirs: dict[int, Any] = {}
        self.shared: dict[int, list[Any]] = {}
        self.shared_numbers: dict[int, int] = {}
        self.released: list[tuple[int, int]] = []
        self.raised: dict[int, BaseException] = {}
        self.answers: dict[int, Any] = {}

    # Messages

    def ask(self, *request: Any) -> Any:
        """Have the other side do something, and return what it answers or raise what it raises."""
        with self.lock:
            self.before()
            self.depth += 1
            try:
                self.requests += 1
                number = self.requests * 2 + (self.side > 0)
                self.send(0, number, [request])
                while number not in self.answers:
                    self.answer(*self.receive())
                is_error, value = self.answers.pop(number)
            finally:
                self.depth = max(0, self.depth - 1)
                if not self.depth:
                    self.raised.clear()
                self.after()
        if is_error:
            try:
                raise value
            finally:
                del value
        return value

    def receive(self) -> tuple[int, list[Any]]:
        """Read one message; return the number and the content of a request, of an answer no content."""
        try:
            reader = Reader(self, self.read_message())
            kind, number = reader.get(), reader.get()
            self.read_changes(reader)
            value = reader.get()
            self.read_releases(reader.get(), reader.get())
        except (Malformed, CandidateDied):
            raise
        except Exception as error:
            raise Malformed(f"{type(error).__name__}: {error}") from error
        if type(number) is not int or kind not in (0, 1, 2) or (kind == 2 and not isinstance(value, BaseException)):
            raise Malformed("it is neither a request nor an answer")
        if kind:
            self.answers[number] = kind == 2, value
            return number, []
        if type(value) is not tuple or not value or type(value[0]) is not str:
            raise Malformed("a request names nothing to be done")
        return number, [value]

    def answer(self, number: int, box: list[Any]) -> None:
        """Do what a request says, and send what comes of it. Nothing but the box holds the request."""
        if not box:
            return
        kind = 1
        try:
            box.append(self.perform(*box.pop()))
        except BaseException as error:
            if self.is_careful and isinstance(error, KeyboardInterrupt):
                raise
            kind = 2
            # How a test ends is not for those to say whom it calls.
            ends = self.is_careful and type(error).__name__ in ("Skipped", "SkipTest", "Exit", "XFailed", "_ShouldStop")
            box[:] = [AssertionError(f"a call of the submission raised {type(error).__name__}") if ends else error]
        self.flush()
        with self.lock:
            try:
                self.send(kind, number, box)
            except (ValueError, RecursionError) as error:
                self.send(2, number, [ValueError(str(error))])

    def flush(self) -> None:
        """Write what was printed, so that it comes before the answer."""
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                continue

    def send(self, kind: int, number: int, box: list[Any]) -> None:
        """Send the value in a box as a request or an answer, with all that has changed since the last message.

        Raises:
            ValueError: If a value cannot be sent; nothing was sent then.
        """
        writer = Writer(self)
        known = set(self.shared)
        try:
            writer.put(kind)
            writer.put(number)
            self.write_changes(writer)
            writer.put(box[0])
        except BaseException:
            for name in set(self.shared) - known:
                self.forget(name)
            raise
        finally:
            box.clear()
        released, self.released = self.released, []
        writer.put(tuple(released))
        writer.put(tuple(self.unused()))
        data = memoryview(writer.message())
        while data:
            try:
                data = data[os.write(self.writing, data) :]
            except OSError as error:
                raise self.lost() from error

    def read_message(self) -> bytes:
        """Read the bytes of a message."""
        length = int.from_bytes(self.read_bytes(4), "big")
        if length > 64 << 20:
            raise Malformed("it is too long")
        return self.read_bytes(length)

    def read_bytes(self, count: int) -> bytes:
        parts = []
        while count:
            try:
                part = os.read(self.reading, min(count, 1 << 20))
            except OSError:
                part = b""
            if not part:
                raise self.lost()
            parts.append(part)
            count -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def lost(self) -> BaseException:
        """Return what is raised when the other process has ended."""
        return CandidateDied("the other process has ended")

    # Containers that both sides hold

    def share(self, value: Any) -> tuple[int, bool]:
        """Return the number of a container, and whether the other side does not know it yet."""
        number = self.shared_numbers.get(id(value))
        if number is not None:
            return number, False
        number = self.new_number()
        self.know(number, value)
        self.remember(value)
        return number, True

    def new_number(self) -> int:
        self.next_number += self.side
        return self.next_number

    def know(self, number: int, value: Any) -> None:
        if number in self.shared:
            raise Malformed("it gives two containers one number")
        self.shared[number] = [value, None, container_tag(type(value))]
        self.shared_numbers[id(value)] = number

    def remember(self, value: Any) -> None:
        """Take note of what is in a container now."""
        number = self.shared_numbers.get(id(value))
        if number is not None:
            entry = self.shared[number]
            entry[1] = _snapshot(value, entry[2])

    def forget(self, number: int) -> None:
        entry = self.shared.pop(number, None)
        if entry is not None:
            self.shared_numbers.pop(id(entry[0]), None)

    def shared_object(self, number: int) -> Any:
        if number not in self.shared:
            raise Malformed("it names a container that was not sent")
        return self.shared[number][0]

    def write_changes(self, writer: Writer) -> None:
        changed = []
        for number, (value, before, tag) in self.shared.items():
            if before is None:
                # It is being read; a key of its own has asked for its hash.
                continue
            now = _snapshot(value, tag)
            if now != before if tag == b"a" else len(now) != len(before) or not all(map(_SAME, now, before)):
                changed.append(number)
        writer.put(len(changed))
        for number in changed:
            entry = self.shared[number]
            writer.number(entry[2], number)
            writer.content(entry[0], entry[2])
            entry[1] = _snapshot(entry[0], entry[2])

    def read_changes(self, reader: Reader) -> None:
        count = reader.get()
        if type(count) is not int:
            raise Malformed("it does not say what has changed")
        for _ in range(count):
            tag, number = reader._take(1), reader.number()
            value = self.shared_object(number)
            if tag != self.shared[number][2]:
                raise Malformed("a container has become another")
            # What was in it may be needed to read what is in it now.
            old = list(value) if tag != b"a" else None
            if tag == b"a":
                del value[:]
            else:
                value.clear()
            reader.content(value, tag, 0)
            self.remember(value)
            del old

    def unused(self) -> list[int]:
        """Return the numbers of containers that nothing here holds any more, and forget them."""
        found = []
        for number in list(self.shared):
            entry = self.shared[number]
            if sys.getrefcount(entry[0]) <= _HELD or len(self.shared) > _KEPT:
                found.append(number)
                self.forget(number)
            del entry
        return found

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

    # Other objects

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
            number = self.numbers.get(id(value)) or self.export(value)
            self.ours[number][1] += 1
            writer.number(b"h", number)
            self.put_kind(writer, type(value), depth + 1)
            writer.put(self.function_about(value) if type(value) is _FUNCTION else None, depth + 1)
            writer.put(self.place_of(value), depth + 1)

    def export(self, value: Any) -> int:
        number = self.new_number()
        self.ours[number] = [value, 0]
        self.numbers[id(value)] = number
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
        is_plain = self.is_careful or module in _HARMLESS or is_error
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
        number = self.export(kind)
        self.ours[number][1] += 1
        writer.number(b"D", number)
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
            number = self.numbers.get(id(error)) or self.export(error)
            self.ours[number][1] += 1
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
        loaded = sys.modules.get(module) if root not in _JUDGING and self.is_library(module) else None
        found = at(loaded, name) if name and isinstance(loaded, type(sys)) else None
        if isinstance(found, type) and (issubclass(found, BaseException) if nearest else module in _HARMLESS):
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

    def revive(self, stand_in: Any, link: Link) -> None:
        """Find the original of a stand-in again, if its process has ended and another one has begun."""
        if link.generation == self.generation:
            return
        if link.path is None:
            raise CandidateDied(f"this {type(stand_in).__name__} was in a process of the submission that has ended")
        found = self.ask("find", *link.path)
        other = link_of(found)
        if other is None:
            raise CandidateDied(f"{'.'.join(link.path)} was in a process of the submission that has ended")
        if found is not stand_in:
            link.number, link.generation, link.count = other.number, other.generation, other.count
            other.count = 0
            self.theirs[link.number] = _weakref.ref(stand_in)

    def name(self, kind: Any) -> None:
        """Take note of a class that the grader's own code names."""
        self.named.add(id(kind))

    def is_named(self, kind: Any) -> bool:
        return any(id(each) in self.named for each in kind.__mro__)

    def derive(self, made: Any, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        """Have the other side derive a class as a class statement of this side does."""
        originals = tuple(base for base in bases if link_of(base) is not None)
        own = {name: value for name, value in namespace.items() if name not in ("__module__", "__classcell__")}
        number = self.ask("derive", made.__name__, originals, own)
        self.adopt(made, number)
        base = next(link for link in map(link_of, originals) if link is not None)
        LINKS[id(made)].about = {**base.about, "equal": "own" if "__eq__" in own else base.about["equal"]}
        self.classes[number] = made
        self.name(made)

    # What one side does for the other

    def perform(self, what: str, *request: Any) -> Any:
        """Do what the other side requests."""
        if what == "call":
            target, args, kwargs = request
            if self.is_careful and not callable(target):
                raise TypeError(f"{type(target).__name__!r} object is not callable")
            del request
            return target(*args, **kwargs)
        if what == "method":
            thing, name, args, kwargs = request
            return self.attribute(thing, name)(*args, **kwargs)
        if what == "getattr":
            return self.attribute(*request)
        if what == "special":
            name, thing = request[:2]
            if name not in SPECIAL or not hasattr(type(thing), name):
                raise TypeError(f"{type(thing).__name__!r} object has no {name}")
            if name in ("__repr__", "__str__"):
                return repr(thing) if name == "__repr__" else str(thing)
            return getattr(type(thing), name)(thing, *request[2:])
        if what == "setattr":
            thing, name, value = request
            self.attribute(thing, name, sets=True)
            setattr(thing, name, value)
            return None
        return self.serve(what, *request)

    def attribute(self, thing: Any, name: Any, sets: bool = False) -> Any:
        """Return an attribute; of the grader's objects only what leads nowhere else."""
        if type(name) is not str:
            raise Malformed("it names no attribute")
        if self.is_careful and not (name in SPECIAL and not sets):
            kind = type(thing)
            root = str(kind.__module__).partition(".")[0]
            is_mock = kind.__module__ == "unittest.mock"
            if sets and is_mock:
                is_mock = not (name.startswith(("assert", "called", "call_", "mock_")) or name in _MOCKED)
            closed = kind.__name__ in _CLOSED or isinstance(thing, type(sys))
            if name.startswith("_") or closed or (root in _JUDGING and not is_mock):
                raise AttributeError(f"{kind.__name__!r} object of the test has no attribute {name!r} for a submission")
        return None if sets else getattr(thing, name)

    def no_request(self, what: str, *request: Any) -> Any:
        raise TypeError(f"an object of the test's process cannot do this: {what}")


_MOCKED = frozenset("method_calls return_value side_effect".split())
_CLOSED = frozenset(
    "function method builtin_function_or_method generator coroutine async_generator frame traceback code "
    "method-wrapper wrapper_descriptor method_descriptor cell module".split()
)
_LIBRARIES = ("/usr/lib/python", "/usr/local/lib/python", os.path.dirname(os.__file__))
_HELD = _holders()
_FUNCTION: Any = type(_holders)
