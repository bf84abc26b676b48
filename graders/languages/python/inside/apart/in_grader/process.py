"""The grader's side: starts the candidate's process, and a new one when that has ended.

It requests the process from the supervisor, as the program `candidate` does (sandbox/supervisor/candidate.c). If this
process is a fork, the candidate's is a fork of the same parent. Otherwise it gets this program's byte code over its
stdin, a socket, so that nothing is compiled twice. Its output goes to unnamed files, which this process copies to its
own stdout and stderr before it accepts an answer.
"""

from __future__ import annotations

import _socket
import _thread
import os
import struct
import sys
from types import CodeType
from typing import Any

from gradebox.graders.languages.python.inside.apart.first import INSTALLED
from gradebox.graders.languages.python.inside.apart.in_grader.answers import ENDING, LOADING, Answers
from gradebox.graders.languages.python.inside.apart.in_grader.errors import MAIN
from gradebox.graders.languages.python.inside.apart.in_grader.files.lending import (
    CANDIDATE_SOCKET,
    Lending,
    request_to_supervisor,
)
from gradebox.graders.languages.python.inside.apart.in_grader.grader import Grader
from gradebox.graders.languages.python.inside.apart.server import NEEDS_CODE, begin_candidate
from gradebox.graders.languages.python.inside.apart.wire import CandidateDied, Malformed
from gradebox.graders.languages.python.inside.trusted_places import LED

_BEGIN = begin_candidate.__name__
_START = f"""
import marshal, os
def read(count):
    data = b""
    while len(data) < count:
        part = os.read(0, count - len(data))
        if not part:
            os._exit(1)
        data += part
    return data
os.write(0, {NEEDS_CODE!r})
code, places = marshal.loads(read(int.from_bytes(read(4), "big")))
space = {{"__name__": "gradebox", "__builtins__": __builtins__}}
del read
exec(code, space)
space[{_BEGIN!r}](places)
"""
_PRINTED_BYTES = 8 << 20
_MOST_STARTS = 50
_ENDED = 16
_MOST_LIMITS = 5
_WITH_VALUES = frozenset(("call", "method", "base", "operator", "set", "replace"))


class Candidate(Grader):
    """The connection to the candidate's process.

    Attributes:
        socket: Path of the supervisor's socket for requesting a process; gradebox's own tests use another one.
        code: The program of that process if it is not a fork.
        process: The connection of that request, on which the supervisor reports the end of the process.
        places: Directories in which that process looks for modules first.
        answers: Compares what the submission sends with what the reference sent.
        assigned: What tests have assigned in modules of the library.
        is_threaded, was_threaded: Whether another thread has made a request in this test, and in the one before.
    """

    socket = CANDIDATE_SOCKET
    process: _socket.socket
    assigned: Any = None
    is_threaded = was_threaded = False

    def __init__(self, code: CodeType) -> None:
        super().__init__()
        self.code, self.starts = code, 0
        self.outputs: list[list[int]] = []
        self.is_beginning, self.printable = False, _PRINTED_BYTES
        self.directory, self.environment, self.place, self.places = "", dict[bytes, bytes](), -1, list[str]()
        self.lending = Lending(self.socket)
        self.answers = Answers(self.checkpoint)
        self.described = self.answers.described
        self.lending.of_case = lambda path: self.files.opened(path) if self.files is not None else ""
        self.lending.is_serving = lambda: bool(self.waiting)
        self.lending.is_told = self.checkpoint.is_told_or_open
        self.lending.observed.told, self.lending.told.told_opened = self.answers.see, self.deeds.open
        self.lending.limits, self.lending.forbid = self.checkpoint.limited, self.checkpoint.forbid

    def start(self) -> None:
        """Start a process of the candidate. Raises CandidateDied if too many have ended."""
        self.starts += 1
        self.lending.told.names = self.files.names if self.files is not None else frozenset()
        if self.starts > _MOST_STARTS:
            raise CandidateDied(f"{_MOST_STARTS} processes of the submission have ended, and no other one is started")
        self.owner, (ours, theirs) = os.getpid(), _socket.socketpair()
        self.outputs = [[_nameless(), 0], [_nameless(), 0]]
        self.socket = self.lending.socket = os.environ.pop("GRADEBOX_CANDIDATE", self.socket)
        self.process = requested(self.socket, theirs.fileno(), *(output[0] for output in self.outputs))
        theirs.close()
        self.connect(ours.detach())
        if self.read_bytes(1) == NEEDS_CODE:
            import marshal

            # The places of the image's modules save that process the search, unless there are others.
            code = marshal.dumps((self.code, [] if LED else [*INSTALLED]))
            self.write_bytes(len(code).to_bytes(4, "big") + code)

    def ask(self, *request: Any) -> Any:
        """Send a request to the candidate; a malformed message ends the candidate's process."""
        if self.connection >= 0 and os.getpid() != self.owner:
            raise self.checkpoint.limited("a process that a test has forked cannot use the submission; use threads")
        try:
            return self.checkpoint.heeded(super().ask(*request), *request)
        except CandidateDied as error:
            self.keep_end(error, request)
            raise
        except Malformed as error:
            if self.connection >= 0:
                self.stop()
            ended = CandidateDied(f"the process of the submission sent what cannot be read: {error}")
            self.keep_end(ended, request)
            raise ended from None

    def heard(self, tree: Any, size: int) -> None:
        self.lending.told.hear(tree, size)
        self.answers.hear(tree, *(self.waiting[-1][1:] if self.waiting else ((), "")))

    def send(self, kind: str, number: int, box: list[Any], path: Any) -> None:
        # Lend the files of ours that the message names.
        if kind != "?" or box[0] in _WITH_VALUES:
            self.lending.find(box)
        self.lending.lend()
        super().send(kind, number, box, path)

    def failure(self, test: str = "", part: str = "", passed: bool = False) -> BaseException | None:
        """End a part of a test that has `passed` so far; return why it fails nevertheless."""
        self.was_threaded, self.is_threaded = self.is_threaded, False
        found = super().failure()
        self.end_part(test, part, passed and found is None)
        return found or super().failure()

    def end_part(self, test: str, part: str, passed: bool) -> None:
        """Compare what was sent and done during a part of a test with what the reference's run sent and did."""
        looked = self.lending.observed.end(is_in_test=part not in (LOADING, ENDING))
        why = self.answers.end(test, part, passed, self.next_number, looked)
        if why := why or self.deeds.end(self.answers.trees.part, passed):
            self.checkpoint.refused = AssertionError(why)

    def answered(self) -> None:
        """Take back what the submission had while it ran, also if it has raised an exception."""
        if not self.waiting and not self.is_beginning:
            self.take_back()
            self.loops.after()

    def take_back(self) -> None:
        """Take back lent files, unless the submission is writing to them."""
        if self.lending.is_lent and self.connection >= 0:
            self.is_beginning = True
            try:
                self.lending.is_kept = super().ask("writing", tuple(self.lending.paths)) is True
            finally:
                self.is_beginning = False
        if not self.lending.is_kept:
            self.lending.reclaim()

    def before(self) -> None:
        """Make sure that the process exists and has the same working directory and environment as this one."""
        if self.is_beginning:
            return
        self.is_beginning = True
        self.is_threaded |= _thread.get_ident() != MAIN
        try:
            is_new = self.connection < 0
            if is_new:
                self.start()
                self.directory, self.environment, self.place = os.getcwd(), _environment(), -1
                if self.assigned is not None:
                    self.assigned.begin()
                self.lending.find((self.directory, *map(os.fsdecode, self.environment.values())))
                if self.places:
                    self.ask("places", tuple(self.places))
            try:
                directory = os.getcwd()
            except OSError:
                directory = self.directory
            now, before = _environment(), self.environment
            place = self.loops.place()
            if directory != self.directory or now != before or place != self.place:
                names = [name for name in {*now, *before} if now.get(name) != before.get(name)]
                changed = tuple((name, os.environ.get(name)) for name in map(os.fsdecode, names))
                self.environment, self.place = now, place
                self.lending.find((directory, *changed))
                self.ask("around", directory if directory != self.directory else "", changed, place)
                self.directory = directory
            if self.assigned is not None:
                self.assigned.tell(self)
            if is_new:
                self.answers.trees.renew(self.next_number)
                self.constants.renew(self)
        finally:
            self.is_beginning = False

    def after(self) -> None:
        """Print what the candidate has printed."""
        for number, (output, stream) in enumerate(zip(self.outputs, (sys.stdout, sys.stderr))):
            size = os.fstat(output[0]).st_size
            if size == output[1]:
                continue
            data = os.pread(output[0], min(size - output[1], self.printable), output[1])
            left_out = size - output[1] - len(data)
            output[1] = size
            self.printable -= len(data)
            self.answers.print(data, number)
            text = data.decode("utf-8", "replace") + (f"\n[{left_out} bytes left out]\n" if left_out else "")
            if stream is not None:
                stream.write(text)

    def lost(self) -> BaseException:
        return CandidateDied(f"the process of the submission ended {self.stop()}, in the middle of a call")

    def stop(self) -> str:
        """End the process, and return a clause about how it ended."""
        if self.connection >= 0:
            os.close(self.connection)
        self.connection = -1
        self.lending.reclaim()
        said = _said(self.process)
        self.after()
        for output in self.outputs:
            os.close(output[0])
        self.outputs = []
        if not said or said[0][0] != _ENDED:
            return f"before it began ({os.strerror(said[0][1])})" if said else "because it did not stop"
        status = said[0][1]
        return f"by signal {status & 127}" if status & 127 else f"with exit status {status >> 8}"

    # Reports for boundary_report.py

    def boundary_lines(self) -> list[str]:
        """Return the report lines, without their token, about limits that were met and a contract that was recorded."""
        limits = [f" limit {text[:300]}".replace("\n", " ") for text in [*self.checkpoint.limits][:_MOST_LIMITS]]
        lines = [*limits, *self.answers.lines()]
        if (noted := self.checkpoint.noted) is not None:
            import json

            for word in self.lending.told.words():
                self.checkpoint.note((("#open",),), word)
            lines.append(" contract " + json.dumps({path: sorted(words) for path, words in noted.items()}))
        return lines


def _environment() -> dict[bytes, bytes]:
    """Return the environment for the candidate, without pytest's variables, which name the test and its parameters."""
    held: dict[bytes, bytes] = os.environ._data  # type: ignore[attr-defined]
    return {name: value for name, value in held.items() if not name.startswith(b"PYTEST_")}


def _nameless() -> int:
    """Return the descriptor of an unnamed file in append mode."""
    import fcntl

    if hasattr(os, "memfd_create"):
        made = os.memfd_create("output")
    else:
        import tempfile

        made, path = tempfile.mkstemp()
        os.unlink(path)
    fcntl.fcntl(made, fcntl.F_SETFL, fcntl.fcntl(made, fcntl.F_GETFL) | os.O_APPEND)
    return made


def requested(path: str, *streams: int) -> _socket.socket:
    """Request a process of the candidate from the supervisor, with `streams` as stdin, stdout and stderr."""
    words = (os.getcwd(), sys.executable, "-I", "-S", "-c", _START)
    # The candidate cannot search the socket's directory, so remove it from PATH.
    own = {os.fsdecode(name): os.fsdecode(value) for name, value in _environment().items()}
    own["PATH"] = own.get("PATH", "").removeprefix(f"{os.path.dirname(CANDIDATE_SOCKET)}:")
    text = "".join(f"{part}\0" for part in (*words, *map("=".join, own.items()))).encode("utf-8", "surrogateescape")
    file = _nameless()
    os.write(file, text)
    head, rights = struct.pack("QQIIQ", 0, 0, len(text), len(words) - 1, 1), struct.pack("4i", *streams, file)
    connection = request_to_supervisor(path, head, rights)
    os.close(file)
    return connection


def _said(process: _socket.socket) -> list[tuple[int, int]]:
    """Return the supervisor's reports about a process, after at most a second; none if it has not ended."""
    data = b""
    process.settimeout(1)
    try:
        while part := process.recv(64):
            data += part
    except OSError:
        process.shutdown(_socket.SHUT_RDWR)
        data = b""
    process.close()
    return [*struct.iter_unpack("2i", data)]
