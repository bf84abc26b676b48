"""Lends files that tests name to the candidate, and takes them back, by requests to the supervisor (protocol.h).

The candidate owns a lent file or directory while its code runs, the grader otherwise. What is taken back holds only
regular files, directories, and links that stay inside. Files that the candidate made elsewhere are taken before a test
opens them.
"""

from __future__ import annotations

import _socket
import os
import stat
import struct
import sys
from typing import Any

from gradebox.graders.languages.python.inside.apart.in_grader.files.kept_files import KeptFiles
from gradebox.graders.languages.python.inside.apart.in_grader.files.observed import LISTING, Observed, held_files
from gradebox.graders.languages.python.inside.apart.in_grader.files.told_names import ToldNames, path_of_uri
from gradebox.graders.languages.python.inside.apart.links import link_of

CANDIDATE_SOCKET = "/.candidate/socket"
"""The supervisor's socket."""
_LEND, _RECLAIM, _EXITED = 2, 3, 16
# Where the candidate can make files, besides the workspace.
_SHARED = ("/tmp/", "/var/tmp/", "/dev/shm/")  # noqa: S108 - paths inside the container
_lstat, _join, _absolute = os.lstat, os.path.join, os.path.abspath
_MOST, _AFTER = 8, ".,:;'\")]}"
_READING = frozenset(("open", "sqlite3.connect"))
_STARTING = frozenset(("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec"))
_MOVING = frozenset(("os.rename", "os.link"))
_OPENING = _READING | LISTING | {"os.stat", "os.readlink"}
_COLLATIONS = (("#sqlite",),)
# SQLite's numbers of a statement and of an answer.
_ATTACH, _DENIED = 24, 1


class Lending:
    """The files that the candidate and the grader own in turns.

    Attributes:
        paths: The files and directories that requests named last, with the number of that request.
        is_lent: Whether the candidate owns them now.
        is_kept: Whether the candidate keeps them, because it is writing to one.
        is_torn: Whether a test opened a file during that time, so that later writes are lost.
        observed: What tests observe beside messages.
        told: The files that the candidate has named.
        kept: Says which files of the tests the candidate has changed.
        held: Files that a test had open for reading when the candidate's code began to run, and what they told then.
        taken: Files taken from the candidate, which are returned before its code runs again.
        of_case, is_serving: Functions: the file of the case to which a path leads, and whether the submission has
            called a function of the tests.
        limits, forbid: Functions that record a limit of judging apart, or another error, which fails the test.
        is_told: A function that records a word of the contract, and returns whether the reference's has it.
    """

    of_case: Any = staticmethod(lambda path: "")
    is_serving: Any = staticmethod(lambda: False)
    limits: Any = staticmethod(lambda what: None)
    forbid: Any = staticmethod(lambda error: None)
    is_told: Any = staticmethod(lambda paths, word: True)

    def __init__(self, socket: str) -> None:
        self.socket, self.paths, self.request = socket, dict[str, int](), 0
        self.taken, self.held = list[str](), dict[str, object]()
        self.is_lent = self.is_kept = self.is_torn = self.has_begun = False
        self.watch(os.getcwd())
        self.told, self.observed, self.kept = ToldNames(), Observed(), KeptFiles()
        sys.addaudithook(self.take)

    def watch(self, workspace: str) -> None:
        """Set the directories in which the candidate can make files."""
        self.watched = (f"{workspace}/", *_SHARED)

    def take(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Before a file is opened, take the first entry on its path that the candidate owns: it could lead anywhere."""
        if self.observed.is_reading():
            return
        moved = [_absolute(os.fsdecode(each)) for each in arguments[:2]] if event in _MOVING else ()
        self.told.readable.update(moved if moved and self._was_lent(moved[0]) else ())
        self.observed.hear(event, arguments, self.socket)
        if event in _STARTING and self.has_begun:
            self._start(event, arguments)
        if event not in _OPENING or type(arguments[0]) is int:
            return
        if arguments[0] is None:
            arguments = (".",)
        if link_of(arguments[0]) is not None:
            raise TypeError("a path of the submission must be converted by `str` before it is opened")
        # A text of the submission's own class would be asked for its methods.
        path = "".join([os.fsdecode(arguments[0])])
        is_uri = event == "sqlite3.connect" and path.startswith("file:")
        self._take_file(event, _absolute(path_of_uri(path) if is_uri else path))

    def _take_file(self, event: str, path: str) -> None:
        self.observed.has_listed |= event in LISTING and path in (self.watched[0][:-1], os.getcwd())
        start = next((start for start in self.watched if path.startswith(start)), "")
        place = start[:-1]
        for part in path[len(start) :].split("/") if start else ():
            directory, place = place, _join(place, part)
            try:
                owner = _lstat(place).st_uid
            except OSError:
                if _is_shared(directory) or self._was_lent(path):
                    self.observed.read(event, path, is_written=self.is_kept)
                return
            if owner not in (0, os.geteuid()):
                # The text of a link leads nowhere.
                if event == "os.readlink" or not self.has_begun:
                    self.observed.read(event, path, is_written=self.is_kept)
                    return
                self.told.readable.add(place)
                if not self._request(_RECLAIM, place):
                    self.taken.append(place)
                self.is_torn |= self.is_kept
                self.observed.read(event, path, is_written=self.is_kept)
                return
        if not start:
            self.observed.see(path)
        if not self.has_begun:
            return
        if start and self._was_lent(path):
            self.observed.read(event, path, is_written=self.is_kept)
        self.told.refuse(path)
        if event in _READING:
            self.told.count(self.of_case(path), self.is_serving())

    def _was_lent(self, path: str) -> bool:
        """Whether the candidate has owned a file, or a directory above it."""
        return any(f"{path}/".startswith(f"{each}/") for each in self.told.readable)

    def _start(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Look at the words of a program that a test starts, which may name files."""
        program, words, directory, env = (*arguments, None, None, None)[:4]
        if event != "subprocess.Popen":
            directory = env = None
        if program == "candidate":
            _check_program(env)
            return
        texts = [os.fsdecode(text) for text in (words if type(words) in (list, tuple) else [program])]
        for word in [*texts, *(part for text in texts for part in text.split())]:
            self.take("open", (_join(os.fsdecode(directory or "."), word.strip("'\"")),))

    def attach(self, action: int, file: str | None, *rest: Any) -> int:
        """Take a database before a statement attaches it; return whether SQLite may do so."""
        if action == _ATTACH and file != "":
            if file is None:
                # SQLite tells the names of literals alone.
                self.limits("a statement attaches a database by a computed name; write the name into the statement")
                return _DENIED
            self.take("sqlite3.connect", (file,))
        return 0

    def have_collations(self, connection: Any) -> None:
        """Let texts be equal by a collation of SQLite only where the reference's are; its order stays as it is."""

        def collated(name: str, plain: Any) -> Any:
            def compare(one: str, other: str) -> int:
                left, right = plain(one), plain(other)
                if left == right and one != other and not self.is_told(_COLLATIONS, f"collate {name}"):
                    left, right = one, other
                return (left > right) - (left < right)

            return compare

        for name, plain in (("NOCASE", _lowered), ("RTRIM", lambda text: text.rstrip(" "))):
            connection.create_collation(name, collated(name, plain))

    def watch_stat(self) -> None:
        """Make functions take files as opening does, because Python raises no audit events for them."""
        for name in ("stat", "lstat", "access", "readlink", "open"):
            plain = getattr(os, name)

            def looked(path: Any, *args: Any, name: str = name, plain: Any = plain, **named: Any) -> Any:
                # A path from the descriptor of a directory is not followed.
                if named.get("dir_fd") is not None:
                    self.observed.use()
                # Opening raises an event.
                if type(path) is not int and name != "open":
                    self.take("os.readlink" if name == "readlink" else "os.stat", (os.fspath(path),))
                return plain(path, *args, **named)

            for known in (os.supports_fd, os.supports_dir_fd, os.supports_follow_symlinks):
                if plain in known:
                    known.add(looked)
            setattr(os, name, looked)

    def find(self, values: Any) -> None:
        """Record the paths in a request, also within its texts, that lie below the directory for temporary files."""
        tempfile = sys.modules.get("tempfile")
        directory: Any = tempfile and tempfile.tempdir
        self.request += 1
        self._find(values, directory, 0)
        for each in [each for each, request in self.paths.items() if request < self.request]:
            if len(self.paths) > _MOST:
                del self.paths[each]

    def _find(self, values: Any, directory: Any, depth: int) -> None:
        for value in values if directory and depth < 4 else ():
            kind = type(value)
            if kind is tuple or kind is list or kind is dict:
                self._find(value.values() if kind is dict else value, directory, depth + 1)
            elif kind is str or kind.__module__.startswith("pathlib"):
                first, *parts = str(value).split(f"{directory}/")
                if first or len(parts) > 1:
                    # Within a text, such as `--out=PATH`, a path ends at the next blank.
                    parts = ["".join(part.split(maxsplit=1)[:1]).rstrip(_AFTER) for part in parts]
                for part in parts:
                    self.add(os.path.normpath(f"{directory}/{part}"), directory)

    def add(self, path: str, directory: str = "") -> None:
        """From now on, lend a file or directory, or the directory in which it will be made."""
        known = [each for each in self.paths if f"{path}/".startswith(f"{each}/")]
        if known or not path.startswith(f"{directory}/"):
            self.paths.update(dict.fromkeys(known, self.request))
            return
        is_readable = any(f"{path}/".startswith(f"{each}/") for each in self.told.readable)
        if not is_readable and self.told.has(path):
            # The submission has named what no test has lent to it.
            return
        if not os.path.isdir(path) and os.path.dirname(path) != directory:
            path = os.path.dirname(path)
        if os.path.realpath(os.path.dirname(path)) == os.path.dirname(path):
            self.paths[path] = self.request
            self.told.readable.add(path)

    def lend(self) -> None:
        """Make the candidate own the files."""
        self.has_begun = True
        while self.taken:
            self._request(_LEND, self.taken.pop())
        if self.paths:
            held, known = held_files(self._was_lent, self.observed.databases), self.held if self.is_lent else {}
            self.held = {path: known.get(path) or self.observed.content("open", path) for path in held}
            self.is_lent = True
            self.observed.aside(self.kept.keep, self.paths)
            for path in [path for path in self.paths if self._request(_LEND, path)]:
                del self.paths[path]

    def reclaim(self) -> None:
        """Make the grader own the files again."""
        if self.is_lent:
            self.is_lent = False
            for path in self.paths:
                self._request(_RECLAIM, path)
            name = self.observed.aside(self.kept.changed, self.is_told)
            if name:
                what = "a file of the test that the reference leaves as it is"
                self.forbid(AssertionError(f"the submission has changed {name}, {what}"))
            for path, before in self.held.items():
                if before is None or self.observed.content("open", path) != before:
                    self.observed.read("open", path)

    def _request(self, what: int, path: str) -> int:
        """Send the supervisor a request; return an error number, 0 for success."""
        text = os.fsencode(path) + b"\0"
        connection = request_to_supervisor(self.socket, struct.pack("QQIIQ", 0, 0, len(text), 1, what) + text)
        ending, number = struct.unpack("2i", connection.recv(8, _socket.MSG_WAITALL))
        connection.close()
        return number if ending != _EXITED else 0


def _is_shared(directory: str) -> bool:
    """Whether others than this user may make files in a directory."""
    try:
        status = _lstat(directory)
    except OSError:
        return False
    return status.st_uid not in (0, os.geteuid()) or bool(status.st_mode & stat.S_IWOTH)


def _lowered(text: str) -> str:
    """Return a text without capital letters of ASCII, as SQLite compares it."""
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _check_program(env: Any) -> None:
    """Refuse to look up `candidate` on a path that the submission may have made."""
    directory = os.path.dirname(CANDIDATE_SOCKET)
    if os.get_exec_path(env)[0] != directory:
        raise PermissionError(f"PATH must begin with {directory} where a test starts `candidate`")


def request_to_supervisor(path: str, message: bytes, rights: bytes = b"") -> _socket.socket:
    """Send the supervisor a request; return the connection on which it answers."""
    level = _socket.SOL_SOCKET
    vouching = struct.pack("3i", os.getpid(), os.geteuid(), os.getegid())
    connection = _socket.socket(_socket.AF_UNIX)
    connection.connect(path)
    parts: Any = [(level, _socket.SCM_RIGHTS, rights)] if rights else []
    connection.sendmsg([message], [*parts, (level, _socket.SCM_CREDENTIALS, vouching)])
    return connection
