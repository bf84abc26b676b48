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

import _thread
import _weakref
import os
import sys
from typing import TYPE_CHECKING

from graders.languages.inside.python.apart.codec import Malformed, Reader, Writer
from graders.languages.inside.python.apart.links import LINKS, SPECIAL, link_of
from graders.languages.inside.python.apart.receiving import JUDGING, Receiving

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from graders.languages.inside.python.apart.links import Link


def says(code: Any, name: str) -> bool:
    """Whether a name stands in a code, or in a function or class of it."""
    return name in code.co_names or any(says(part, name) for part in code.co_consts if type(part) is type(code))


class CandidateDied(RuntimeError):
    """The candidate's process has ended in the middle of what it was asked."""


class Peer(Receiving):
    """One side of a connection.

    Attributes:
        serve: Answers what only one of the sides is asked.
        says: Whether code of the tests says a name.
        named: The classes that tests name.
        telling: Names of classes that have operators in the author's solution, None where it is not known.
    """

    def __init__(self, is_careful: bool, side: int) -> None:
        super().__init__(is_careful, side)
        self.lock = _thread.RLock()
        self.serve: Callable[..., Any] = self.no_request
        self.says: Callable[[Any, str], bool] = says
        self.before: Callable[[], Any] = tuple
        self.after: Callable[[], Any] = tuple
        self.named: set[int] = set()
        self.telling: set[str] | None = None
        self.connect(-1, -1)

    def connect(self, reading: int, writing: int) -> None:
        """Begin with a process that knows nothing yet."""
        self.reading, self.writing = reading, writing
        self.forget_all()
        self.requests = self.depth = 0
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

    # Stand-ins

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

    def name(self, kind: Any, name: str = "") -> None:
        """Take note of a class that the grader's own code names.

        What the tests know as a function may be a class in a submission, and one without operators may have some.
        """
        if not name or (not name.lstrip("_")[:1].islower() if self.telling is None else name in self.telling):
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
            if name.startswith("_") or closed or (root in JUDGING and not is_mock):
                raise AttributeError(f"{kind.__name__!r} object of the test has no attribute {name!r} for a submission")
        return None if sets else getattr(thing, name)

    def no_request(self, what: str, *request: Any) -> Any:
        raise TypeError(f"an object of the test's process cannot do this: {what}")


_MOCKED = frozenset("method_calls return_value side_effect".split())
_CLOSED = frozenset(
    "function method builtin_function_or_method generator coroutine async_generator frame traceback code "
    "method-wrapper wrapper_descriptor method_descriptor cell module".split()
)
