"""The candidate's side of a connection: gives objects of the submission, and makes stand-ins for those of the tests.

Code of the submission can change the answers of this process but nothing else: the other process makes all decisions.
"""

from __future__ import annotations

import _thread
import _weakref
import os
import sys
from typing import Any

from gradebox.graders.languages.inside.boundary import BOUNDARY
from gradebox.graders.languages.python.inside.apart.checkpoint import LIMIT, Checkpoint
from gradebox.graders.languages.python.inside.apart.codec import Writer
from gradebox.graders.languages.python.inside.apart.describing import at, fields_of, is_library, traceback_text
from gradebox.graders.languages.python.inside.apart.doing import Doing, forward_records, forward_warnings, imported
from gradebox.graders.languages.python.inside.apart.links import LINKS, flat, link_of
from gradebox.graders.languages.python.inside.apart.parameters import signature, without_defaults
from gradebox.graders.languages.python.inside.apart.peer import Peer
from gradebox.graders.languages.python.inside.apart.plain_data import converted, is_constant
from gradebox.graders.languages.python.inside.trusted_places import open_places

_OF_FUNCTIONS = frozenset("function method builtin_function_or_method".split())
NEEDS_CODE = b"?"
_REQUESTED = frozenset([*BOUNDARY["to_grader"], "note"])
_OF_CLASSES = {"iter": "iter", "item": "getitem"}
_MOST_USED = 20_000
_NO_GENERATION = -1


class Trusting(Checkpoint):
    """The checkpoint of the candidate's process, which grants all requests of the grader's."""

    def may(self, *about: Any) -> bool:
        return True

    def outgoing(self, what: str, values: Any) -> Any:
        return ()


class Answering(Doing, Peer):
    """The candidate's side of the connection.

    Attributes:
        kept: Stand-ins for objects of the tests, by number; each is kept as long as its object lives.
        used: Numbers of the stand-ins that the submission may hold.
        thread: The thread that serves.
        until_looked: After how many answers to check again which of them it holds; grows with their number.
    """

    def __init__(self) -> None:
        Peer.__init__(self, -1, Trusting())
        self.noting = {"warnings": forward_warnings, "logging": forward_records}
        self.is_idle, self.thread = False, 0

    def forget_all(self) -> None:
        super().forget_all()
        self.kept: dict[int, Any] = {}
        self.used: dict[int, None] = {}
        self.until_looked = 0

    def answer_all(self, connection: int) -> None:
        """Answer requests until the grader's process has gone."""
        Doing.__init__(self)
        self.thread = _thread.get_ident()
        self.connect(connection)
        while True:
            self.is_idle = True
            with self.lock:
                _, number, value = self.receive()
            box, value = [value], None
            self.answer(number, box)

    def read_message(self) -> bytes:
        message = super().read_message()
        # Reading the message may send requests: a key of a mapping in it may need its hash.
        self.is_idle = False
        return message

    def ask(self, *request: Any) -> Any:
        if request[0] in _OF_CLASSES:
            request = ("operator", request[1], _OF_CLASSES[request[0]], *request[2:])
        if request[0] not in _REQUESTED:
            self.refused = "copies" if "copy" in request[0] else self.refused
            raise TypeError(f"{LIMIT}{request[0]!r} of an object of the tests")
        if self.is_idle:
            self.refused = "threads"
            raise RuntimeError(f"{LIMIT}a thread of the submission uses an object of the tests between two calls")
        if _thread.get_ident() != self.thread:
            self.hint = "parallel"
        return self.without_alarm(super().ask, *request)

    def answer(self, number: int, box: list[Any]) -> None:
        for name in [name for name in self.noting if name in sys.modules]:
            self.noting.pop(name)(self, sys.modules[name])
        super().answer(number, box)

    def send(self, *message: Any) -> None:
        # Flush printed output before the message.
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                continue
        super().send(*message)

    def lost(self) -> BaseException:
        os._exit(0)

    def derive(self, made: Any, *about: Any) -> None:
        self.refused = "classes"
        raise TypeError(f"{LIMIT}a submission cannot derive a class from one of the tests")

    # Giving objects of the submission

    def unheld(self) -> list[list[int]]:
        """Return the numbers of stand-ins that nothing here holds any more; they are kept until their originals end."""
        count = len(self.used)
        self.until_looked -= not self.waiting
        if (self.waiting or self.until_looked >= 0) and count < _MOST_USED:
            return []
        self.until_looked = count // 256
        found = [each for each in self.used if sys.getrefcount(self.kept[each]) <= self.alone(self.kept[each])]
        for each in found:
            del self.used[each]
        if len(self.used) > _MOST_USED // 2:
            # Too many to check each time: drop the stand-ins that nothing holds.
            self.kept = {each: self.kept[each] for each in self.kept if each not in self.used}
            self.used.clear()
        return [[each] for each in found]

    def alone(self, kept: Any) -> int:
        """Return the reference count of a stand-in that nothing else holds."""
        return 3 if type(kept) is type(at) and kept.__code__.co_flags & 0x80 else 2

    def kind_of(self, value: Any) -> str:
        kind = type(value)
        if kind.__name__ in _OF_FUNCTIONS and is_library(str(kind.__module__)):
            return "function"
        return "iterator" if hasattr(kind, "__next__") else "awaitable" if hasattr(kind, "__await__") else "object"

    def is_own_now(self, value: Any) -> bool:
        """Whether a callback counts as the submission's own function because it has set attributes on it."""
        return type(value).__name__ == "function" and any(name != "__signature__" for name in vars(value))

    def told_of(self, writer: Writer, value: Any, depth: int) -> dict[str, Any]:
        """Return the place at which an object can be found again, and the data that can replace it."""
        place = self.place_of(value)
        told: dict[str, Any] = {"place": place} if place else {}
        mark = self.next_number
        try:
            data = converted(value)
            if data is not None:
                told["data"] = writer.put(data, depth + 1)
        except Exception:
            self.roll_back(mark)
        return told

    def told_factory(self, factory: Any) -> Any:
        """Return the function that makes the values of a `defaultdict`, or a value in a tuple if all are the same."""
        return (factory(),) if is_constant(factory) else factory

    def put_subject(self, subject: Any, tree: Any) -> Any:
        link = link_of(subject)
        return ["o", link.number] if link is not None else tree

    def put_error(self, writer: Writer, error: BaseException, depth: int) -> Any:
        known = getattr(error, "__dict__", {}).get("_gradebox_number")
        if known is not None:
            return ["o", known]
        is_own = not is_library(type(error).__module__)
        number = self.given(error, "error", ()) if is_own else self.new_number()
        attributes = {name: value for name, value in vars(error).items() if not (is_own or name.startswith("_"))}
        cause, context = (error.__cause__, error.__context__) if depth < 12 else (None, None)
        args, notes = error.args, getattr(error, "__notes__", None)
        if isinstance(error, OSError) and error.filename is not None:
            args = (*args[:2], error.filename, None, error.filename2)
        if hasattr(error, "exceptions") and hasattr(error, "message"):
            args = (error.message, [*error.exceptions])
        attributes.update({**fields_of(error), **self.text_of(error)})
        # This is the order in which the other side reads them.
        told = {"attributes": attributes, "cause": cause, "context": None if cause is context else context}
        text, kind = traceback_text(error), self.put_class(writer, type(error), depth + 1)
        args, about = self.put_error_parts(writer, args, told, depth)
        error.__traceback__ = None
        about["notes"] = [note for note in notes if type(note) is str] if type(notes) is list else []
        return ["e", number, kind, args, {**about, "text": text}]

    # Receiving objects of the tests

    def adopt(self, made: Any, found: int, *about: Any) -> Any:
        if not isinstance(made, (type, BaseException)) and len(self.kept) < _MOST_USED:
            self.kept[found], self.used[found] = made, None
        return super().adopt(made, found, *about)

    def stand_in(self, found: int) -> Any:
        if found in self.kept:
            self.used[found] = None
        return super().stand_in(found)

    def revive(self, stand_in: Any, link: Any) -> None:
        """Record that the submission uses a stand-in, which it may hold again."""
        if link.generation != self.generation:
            raise ReferenceError("this object of the tests is no more")
        if link.number in self.kept:
            self.used[link.number] = None

    def take_away(self, each: int) -> None:
        super().take_away(each)
        kept = self.kept.pop(each, None)
        self.used.pop(each, None)
        if kept is not None:
            LINKS[id(kept)].generation = _NO_GENERATION

    def factory(self, found: Any, before: Any, reader: Any) -> Any:
        """Return the function that makes the values of a `defaultdict`; the submission's own keeps its function."""
        return found if callable(found) else before

    def library_of(self, about: dict[str, Any]) -> list[Any]:
        return [found for found in map(self.resolve, about["library"]) if isinstance(found, type)]

    def make(self, found: int, of: Any, about: dict[str, Any], reader: Any) -> Any:
        if "parameters" in about:
            callback = self.adopt(self.callback({**about, "annotations": reader.get(about["annotations"])}), found)
            LINKS[id(callback)].about = about
            return callback
        made, data = super().make(found, of, about, reader), about.get("data")
        LINKS[id(made)].data = data if type(data) is not list else None
        return made

    def resolve(self, name: str) -> Any:
        """Return the object of the library with a dotted name."""
        if name == "NoneType":
            return type(None)
        module, rest = name, ""
        while module:
            try:
                return at(imported(module), rest[1:]) if rest else imported(module)
            except ImportError:
                module, _, last = module.rpartition(".")
                rest = f".{last}{rest}"
        return at(sys.modules["builtins"], name)

    def take_error(self, error: BaseException, found: int, kind: Any, reader: Any) -> None:
        super().take_error(error, found, kind, reader)
        if link_of(error) is None:
            error.__dict__["_gradebox_number"] = found

    def callback(self, about: dict[str, Any]) -> Any:
        """Return a function that calls a function of the tests."""

        async def awaited(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = without_defaults(about["parameters"], args, kwargs)
            return await self.ask("call", function, args, flat(kwargs))

        def called(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = without_defaults(about["parameters"], args, kwargs)
            # A weak reference, so that the function does not keep itself alive.
            return self.ask("call", reference(), args, flat(kwargs))

        reference = _weakref.ref(called)
        function: Any = awaited if about["async"] else called
        function.__name__, function.__qualname__, function.__doc__ = about["name"], about["qualname"], about["doc"]
        function.__module__, function.__annotations__ = about["module"], dict(zip(*about["annotations"]))
        if "inspect" in sys.modules:
            function.__signature__ = signature(about["parameters"], None, function.__annotations__)
        return function


def begin_forked(side: Answering) -> None:
    """Take the connection from stdin, in a forked process that has already loaded this program."""
    os.write(0, b"!")
    begin_candidate([], side)


def begin_candidate(places: list[str], side: Answering | None = None) -> None:
    """Take the connection from stdin, empty stdin for the submission, and serve; `places` are those of modules."""
    open_places(places)
    if sys.flags.no_site:
        import _sitebuiltins
        import builtins

        for name in ("exit", "quit"):
            setattr(builtins, name, _sitebuiltins.Quitter(name, "Ctrl-D (i.e. EOF)"))
        builtins.__dict__["help"] = _sitebuiltins._Helper()
    sys.dont_write_bytecode = True
    connection = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.argv = [""]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = [sys.executable]
    main = type(sys)("__main__")
    main.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main
    (side or Answering()).answer_all(connection)
