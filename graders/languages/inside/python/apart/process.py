"""The grader's side: starts the candidate's process, and another one when that has ended.

The process is a fork of the one that this is a fork of, if it is one. Otherwise it gets this program's own byte code
over its stdin, a socket, so that nothing is compiled twice. What it prints goes to files without a name, and from there
to the stdout and stderr of this process, before an answer counts.
"""

from __future__ import annotations

import _socket
import os
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


class Candidate(Peer):
    """The connection to the candidate's process.

    Attributes:
        words: What starts a program as the candidate: `candidate --forked`, if the environment names no other.
        code: What that process runs.
    """

    def __init__(self, code: CodeType) -> None:
        super().__init__(is_careful=True, side=1)
        self.words, self.code = os.environ.pop("GRADEBOX_CANDIDATE", "candidate --forked").split(), code
        self.process = self.starts = 0
        self.outputs: list[list[int]] = []
        self.is_beginning = False
        self.printable = _PRINTED_BYTES
        self.directory, self.environment = "", dict(os.environ)
        self.places: list[str] = []
        self.serve = self.do_for_candidate
        self.before, self.after = self.keep_in_step, self.pass_on_output

    def start(self) -> None:
        """Start a process of the candidate's.

        Raises:
            CandidateDied: If too many have ended.
        """
        import marshal

        # What tests make in a directory that they lend is the candidate's to change, too.
        os.umask(0)
        self.starts += 1
        if self.starts > _MOST_STARTS:
            raise CandidateDied(f"{_MOST_STARTS} processes of the submission have ended, and no other one is started")
        ours, theirs = _socket.socketpair()
        self.outputs = [[_nameless(), 0], [_nameless(), 0]]
        sources = (theirs.fileno(), self.outputs[0][0], self.outputs[1][0])
        actions = [(os.POSIX_SPAWN_DUP2, source, target) for target, source in enumerate(sources)]
        words = [*self.words, sys.executable, "-I", "-S", "-c", _START]
        self.process = os.posix_spawnp(words[0], words, os.environ, file_actions=actions)
        theirs.close()
        connection = ours.detach()
        self.connect(connection, connection)
        if self.read_bytes(1) != NEEDS_CODE:
            return
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
                self.directory, self.environment = os.getcwd(), dict(os.environ)
                if self.places:
                    self.ask("places", tuple(self.places))
            try:
                directory = os.getcwd()
            except OSError:
                directory = self.directory
            if directory != self.directory or os.environ != self.environment:
                environment = dict(os.environ)
                names = {*environment, *self.environment}
                changed = {n: environment.get(n) for n in names if environment.get(n) != self.environment.get(n)}
                self.ask("around", directory if directory != self.directory else "", changed)
                self.directory, self.environment = directory, environment
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
        status = _ended(self.process)
        self.pass_on_output()
        for output in self.outputs:
            os.close(output[0])
        self.outputs = []
        self.process = 0
        if status < 0:
            return "because it did not stop"
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        return f"by signal {code - 128}" if code > 128 else f"with exit status {code}"


class _Done:
    """What an awaitable came to."""

    def __init__(self, value: Any) -> None:
        self.value = value


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


def _ended(process: int) -> int:
    """Return the wait status of a process, after at most a second; -1 for none."""
    import time

    for _ in range(100):
        pid, status = os.waitpid(process, os.WNOHANG)
        if pid:
            return status
        time.sleep(0.01)
    os.kill(process, 9)
    os.waitpid(process, 0)
    return -1
