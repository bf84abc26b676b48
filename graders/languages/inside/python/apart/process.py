"""The grader's side: starts the candidate's process, and another one when that has ended.

The supervisor is asked for it, as the program `candidate` asks (sandbox/supervisor/candidate.c). It is a fork of the
process that this is a fork of, if this is one. Otherwise it gets this program's own byte code over its stdin, a socket,
so that nothing is compiled twice. What it prints goes to files without a name, and from there
to the stdout and stderr of this process, before an answer counts.
"""

from __future__ import annotations

import _socket
import os
import struct
import sys
from typing import TYPE_CHECKING

from graders.languages.inside.python.apart.codec import Malformed
from graders.languages.inside.python.apart.first import INSTALLED
from graders.languages.inside.python.apart.peer import CandidateDied, Peer
from graders.languages.inside.python.apart.server import NEEDS_CODE, begin_candidate

if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

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
_SOCKET = "/.candidate/socket"
_ENDED = 16


class Candidate(Peer):
    """The connection to the candidate's process.

    Attributes:
        socket: Path of the one on which the supervisor is asked for a process; tests have one of their own.
        code: What that process runs, where it is no fork.
        process: The connection on which that was asked, and its end is told.
    """

    socket = _SOCKET
    process: _socket.socket

    def __init__(self, code: CodeType) -> None:
        super().__init__(is_careful=True, side=1)
        self.code, self.starts = code, 0
        self.outputs: list[list[int]] = []
        self.is_beginning = False
        self.printable = _PRINTED_BYTES
        self.directory, self.environment = "", dict[bytes, bytes]()
        self.places: list[str] = []
        self.serve = self.do_for_candidate
        self.before, self.after = self.keep_in_step, self.pass_on_output

    def start(self) -> None:
        """Start a process of the candidate's.

        Raises:
            CandidateDied: If too many have ended.
        """
        # What tests make in a directory that they lend is the candidate's to change, too.
        os.umask(0)
        self.starts += 1
        if self.starts > _MOST_STARTS:
            raise CandidateDied(f"{_MOST_STARTS} processes of the submission have ended, and no other one is started")
        ours, theirs = _socket.socketpair()
        self.outputs = [[_nameless(), 0], [_nameless(), 0]]
        self.socket = os.environ.pop("GRADEBOX_CANDIDATE", self.socket)
        self.process = requested(self.socket, theirs.fileno(), *(output[0] for output in self.outputs))
        theirs.close()
        connection = ours.detach()
        self.connect(connection, connection)
        if self.read_bytes(1) != NEEDS_CODE:
            return
        import marshal

        # The image's modules are found where they are found here, which saves that process the search.
        code = marshal.dumps((self.code, [place for place in INSTALLED if place]))
        data = memoryview(len(code).to_bytes(4, "big") + code)
        try:
            while data:
                data = data[os.write(connection, data) :]
        except OSError as error:
            raise self.lost() from error

    def ask(self, *request: Any) -> Any:
        """Have the candidate do something, with the files of ours that it is given the paths of."""
        tempfile = sys.modules.get("tempfile")
        directory = tempfile and tempfile.tempdir
        for part in request if directory else ():
            for path in part if type(part) is tuple else (part,):
                is_path = type(path) is str or type(path).__module__.startswith("pathlib")
                if is_path and str(path).startswith(f"{directory}/"):
                    self.lend(str(path))
        return super().ask(*request)

    def keep_in_step(self) -> None:
        """See to it that there is a process, and that it has the same working directory and environment."""
        if self.is_beginning:
            return
        self.is_beginning = True
        try:
            if self.reading < 0:
                self.start()
                self.directory, self.environment = os.getcwd(), _environment().copy()
                if self.places:
                    self.ask("places", tuple(self.places))
            try:
                directory = os.getcwd()
            except OSError:
                directory = self.directory
            now, before = _environment(), self.environment
            if directory != self.directory or now != before:
                names = [name for name in {*now, *before} if now.get(name) != before.get(name)]
                changed = {name: os.environ.get(name) for name in map(os.fsdecode, names)}
                self.environment = now.copy()
                self.ask("around", directory if directory != self.directory else "", changed)
                self.directory = directory
        finally:
            self.is_beginning = False

    def pass_on_output(self) -> None:
        """Print what the candidate has printed."""
        for output, stream in zip(self.outputs, (sys.stdout, sys.stderr)):
            size = os.fstat(output[0]).st_size
            if size > output[1]:
                data = os.pread(output[0], min(size - output[1], self.printable), output[1])
                left_out = size - output[1] - len(data)
                output[1] = size
                self.printable -= len(data)
                text = data.decode("utf-8", "replace")
                if stream is not None:
                    stream.write(text + (f"\n[{left_out} bytes left out]\n" if left_out else ""))

    def receive(self) -> tuple[int, list[Any]]:
        """Read a message; one that cannot be read ends the process."""
        try:
            return super().receive()
        except Malformed as error:
            self.stop()
            raise CandidateDied(f"the process of the submission sent what cannot be read: {error}") from None

    def do_for_candidate(self, what: str, *request: Any) -> Any:
        """Run an awaitable of the tests that the submission awaits."""
        if what != "begin":
            return super().no_request(what) if what not in ("ready", "result") else what == "ready" or request[0].value
        import asyncio

        running = asyncio._get_running_loop()
        asyncio._set_running_loop(None)
        loop = asyncio.new_event_loop()
        try:
            return _Done(loop.run_until_complete(request[0]))
        finally:
            loop.close()
            asyncio._set_running_loop(running)

    def lend(self, path: str) -> None:
        """Let the candidate read and write a file or directory of this process, and all that is in it."""
        mine = os.geteuid()
        if not os.path.lexists(path):
            # It is to be made.
            path = os.path.dirname(path)
            _open(path, mine, 0o777)
        for place, directories, names in os.walk(path):
            for name in ("", *directories, *names):
                _open(os.path.join(place, name) if name else place, mine, 0o777)
        if not os.path.isdir(path):
            _open(path, mine, 0o777)
        while os.path.dirname(path) != path:
            path = os.path.dirname(path)
            _open(path, mine, 0o711)

    def lost(self) -> BaseException:
        """Return what is raised when the process has ended."""
        return CandidateDied(f"the process of the submission ended {self.stop()}, in the middle of a call")

    def stop(self) -> str:
        """End the process, and say how it ended."""
        if self.reading >= 0:
            os.close(self.reading)
        self.reading = self.writing = -1
        self.depth = 0
        said = _said(self.process)
        self.pass_on_output()
        for output in self.outputs:
            os.close(output[0])
        self.outputs = []
        if not said:
            return "because it did not stop"
        if said[0][0] != _ENDED:
            return f"before it began ({os.strerror(said[0][1])})"
        status = said[0][1]
        return f"by signal {status & 127}" if status & 127 else f"with exit status {status >> 8}"


class _Done:
    """What an awaitable came to."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _environment() -> dict[bytes, bytes]:
    """Return what `os.environ` has, without making texts of it at every request."""
    return os.environ._data  # type: ignore[attr-defined]


def _open(path: str, owner: int, mode: int) -> None:
    """Let others use a file or directory of ours."""
    import stat

    try:
        # What lies there may be exchanged at any time.
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    found = os.fstat(opened)
    if found.st_uid == owner and found.st_mode & mode != mode:
        is_program = stat.S_ISDIR(found.st_mode) or found.st_mode & 0o100
        os.fchmod(opened, found.st_mode & 0o7777 | (mode if is_program else mode & 0o666))
    os.close(opened)


def _nameless() -> int:
    """Return a file without a name, to which is appended."""
    if hasattr(os, "memfd_create"):
        made = os.memfd_create("output")
    else:
        import tempfile

        made, path = tempfile.mkstemp()
        os.unlink(path)
    import fcntl

    fcntl.fcntl(made, fcntl.F_SETFL, fcntl.fcntl(made, fcntl.F_GETFL) | os.O_APPEND)
    return made


def requested(path: str, *streams: int) -> _socket.socket:
    """Ask the supervisor for a process of the candidate's with these for stdin, stdout and stderr."""
    words = (os.getcwd(), sys.executable, "-I", "-S", "-c", _START)
    # The candidate cannot search the directory of the socket.
    own = {**os.environ, "PATH": os.environ.get("PATH", "").removeprefix(f"{os.path.dirname(_SOCKET)}:")}
    parts = [*words, *map("=".join, own.items())]
    text = "".join(f"{part}\0" for part in parts).encode("utf-8", "surrogateescape")
    file = _nameless()
    os.write(file, text)
    connection = _socket.socket(_socket.AF_UNIX)
    rights, vouching = struct.pack("4i", *streams, file), struct.pack("3i", os.getpid(), os.geteuid(), os.getegid())
    level = _socket.SOL_SOCKET
    connection.connect(path)
    connection.sendmsg(
        [struct.pack("QQIIQ", 0, 0, len(text), len(words) - 1, 1)],
        [(level, _socket.SCM_RIGHTS, rights), (level, _socket.SCM_CREDENTIALS, vouching)],
    )
    os.close(file)
    return connection


def _said(process: _socket.socket) -> list[tuple[int, int]]:
    """Return what the supervisor says of a process, after at most a second; nothing if it has not ended."""
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
