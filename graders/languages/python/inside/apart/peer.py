"""One of two processes that use each other's objects: messages, requests and answers.

    grader                                        candidate
    f([1, 2])          ? call f, list 1 [1, 2]  -->   f runs, changes its argument, returns an object
                       <--  = list 1 is [1, 2, 3] now; object -5 of class -4

Both sides are peers: while one waits for an answer, it serves requests, so passed functions and objects can be called
back. docs/explanation/boundary.md describes the protocol.
"""

from __future__ import annotations

import _thread
import os
import sys
from typing import Any

from gradebox.graders.languages.python.inside.apart.checkpoint import GIVING, Checkpoint
from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer
from gradebox.graders.languages.python.inside.apart.describing import own_text
from gradebox.graders.languages.python.inside.apart.given_objects import nothing
from gradebox.graders.languages.python.inside.apart.loops import Loops
from gradebox.graders.languages.python.inside.apart.objects import Objects, itself
from gradebox.graders.languages.python.inside.apart.stand_ins import TEXT
from gradebox.graders.languages.python.inside.apart.wire import MOST_BYTES, CandidateDied, Malformed, decoded, encoded

_PATIENCE_SECONDS = 10
# A request within a request takes about ten frames on each side, which do not count as the program's recursion.
_FRAMES, _MOST_NESTED = 40, 400


class Peer(Objects):
    """One side of a connection.

    Attributes:
        checkpoint: The check that every message must pass.
        loops: The asyncio loops of this side.
        shown: The exception that is being sent, and its text.
        requests: The number of this side's last request; `served` has the number of the other side's last request.
        waiting: The open requests: their numbers, the paths of their answers, and their kinds.
    """

    perform: Any
    before: Any = nothing
    after: Any = nothing
    answered: Any = nothing
    raising: Any = itself
    passed: Any = itself
    named: Any = itself
    heard: Any = nothing
    shown: tuple[Any, str] = (None, "")

    def __init__(self, side: int, checkpoint: Checkpoint) -> None:
        super().__init__(side)
        self.checkpoint, self.lock, self.loops = checkpoint, _thread.RLock(), Loops(self)
        self.connect(-1)

    def connect(self, connection: int) -> None:
        """Begin a connection to a process that knows nothing yet."""
        self.connection = connection
        self.forget_all()
        self.loops.forget()
        self.requests, self.served = 0, 0
        self.waiting: list[list[Any]] = []

    def ask(self, *request: Any) -> Any:
        """Send a request to the other side, and return its answer or raise its exception."""
        if not self.lock.acquire(timeout=_PATIENCE_SECONDS):
            raise self.checkpoint.limited("a call of the submission waits for another thread's call, which goes on")
        try:
            path = self.checkpoint.outgoing(request[0], request[1:])
            self.before()
            if len(self.waiting) >= _MOST_NESTED:
                raise RecursionError("maximum recursion depth exceeded between tests and submission")
            self.waiting.append([0, path, request[0]])
            depth = len(self.waiting)
            sys.setrecursionlimit(sys.getrecursionlimit() + _FRAMES)
            try:
                try:
                    self.send("?", 0, [*request], path)
                except (ValueError, TypeError) as error:
                    # A test that expects such an error has not learned anything about the submission.
                    raise self.checkpoint.forbid(error)  # noqa: B904 - it is the same error
                self.waiting[-1][0] = self.requests
                kind, number, value = self.receive()
                while kind == "?":
                    box, value = [value], None
                    self.answer(number, box)
                    kind, number, value = self.receive()
            finally:
                del self.waiting[depth - 1 :]
                sys.setrecursionlimit(sys.getrecursionlimit() - _FRAMES)
                self.after()
        finally:
            self.lock.release()
        self.answered()
        if kind == "!":
            try:
                raise self.passed(value, path, request)
            finally:
                del value
        return value

    def receive(self) -> tuple[str, int, Any]:
        """Read one message; return its kind, its number, and its value or the parts of a request."""
        try:
            message = self.read_message()
            tree = decoded(message)
            self.heard(tree, len(message))
            expected, path, what = self.waiting[-1] if self.waiting else (0, (), "")
            kind, number, content = self.checkpoint.incoming(tree, expected, self.served + 1)
            self.served += kind == "?"
            path = self.path_of_content(kind, content, path)
            self.read_changes(tree[2])
            reader = Reader(self, path)
            reader.is_noted = self.checkpoint.noted is not None and (kind != "=" or what in GIVING)
            reader.is_raised, reader.is_served = kind == "!", kind == "?" or len(self.waiting) > 1
            value: Any = [path, *reader.request(content)] if kind == "?" else reader.get(content)
            if reader.is_noted and kind == "=":
                self.came(value, path)
            if kind == "!" and not isinstance(value, BaseException):
                raise Malformed("it raises what is not an exception")
            for each in tree[3]:
                (self.rest if type(each) is list else self.take_away)(*(each if type(each) is list else [each]))
        except (Malformed, CandidateDied):
            raise
        except Exception as error:
            raise Malformed(f"{type(error).__name__}: {error}") from error
        return kind, number, value

    def path_of_content(self, kind: str, content: Any, path: Any) -> Any:
        """Return the paths on which the objects of a message arrive."""
        return ()

    def put_subject(self, subject: Any, tree: Any) -> Any:
        """Return the tree of a request's subject."""
        return tree

    def answer(self, number: int, box: list[Any]) -> None:
        """Serve a request, and send the answer. Only the box holds a reference to the request."""
        kind, path = "=", box[0].pop(0)
        try:
            box.append(self.perform(*box.pop()))
        except (Malformed, CandidateDied):
            raise
        except BaseException as error:
            kind, box[:] = "!", [self.raising(error, path)]
            # Making the text may send requests, which is not possible while a message is written.
            self.shown = box[0], own_text(box[0])
        with self.lock:
            try:
                self.send(kind, number, box, path)
            except (ValueError, TypeError, RecursionError) as error:
                self.send("!", number, [type(self.checkpoint.forbid(error))(str(error))], path)
            finally:
                self.shown = None, ""

    def send(self, kind: str, number: int, box: list[Any], path: Any) -> None:
        """Send the values in a box as an answer, or as a request, which gets the next number.

        Raises:
            ValueError, TypeError: If a value cannot be sent; then nothing was sent.
        """
        writer, mark = Writer(self, path), self.next_number
        try:
            changes = self.put_changes(writer)
            trees = writer.request(box) if kind == "?" else [writer.put(value) for value in box]
            if kind == "?" and len(box) > 1:
                trees[1] = self.put_subject(box[1], trees[1])
            box.clear()
            released = [*self.released, *self.unused(), *self.unheld()]
            if kind == "?":
                # Requests sent while this one was written have the numbers before it.
                number = self.requests + 1
            data = encoded([kind, number, changes, released, *trees])
        except BaseException:
            self.roll_back(mark)
            raise
        for each in released:
            self.released.pop(each if type(each) is int else 0, None)
        self.requests += kind == "?"
        self.write_bytes(data)

    def text_of(self, error: BaseException) -> dict[str, str]:
        """Return the text of the exception that is being sent, if its class makes it, as an attribute."""
        return {TEXT: self.shown[1]} if self.shown[0] is error and self.shown[1] else {}

    def write_bytes(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self.connection, rest) :]
            except OSError as error:
                raise self.lost() from error

    def read_message(self) -> bytes:
        length = int.from_bytes(self.read_bytes(4), "big")
        if length > MOST_BYTES:
            raise Malformed("it is too long")
        return self.read_bytes(length)

    def read_bytes(self, count: int) -> bytes:
        parts = []
        while count:
            try:
                part = os.read(self.connection, min(count, 1 << 20))
            except OSError:
                part = b""
            if not part:
                raise self.lost()
            parts.append(part)
            count -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def lost(self) -> BaseException:
        """Return the exception for the end of the other process."""
        return CandidateDied("the other process has ended")
