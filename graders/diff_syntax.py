"""What a unified diff says: bytes in, file patches out. Pure; every byte of the input is hostile.

Understands what ``git diff``, ``diff -u`` and people write: git's extended headers, plain ``---``/``+++`` headers with or
without prefixes and timestamps, quoted names, prose before and between patches. What it does not understand it
refuses, with the line of the diff at which it stopped: a hunk is never skipped, shortened or taken for prose.

The libraries on offer were tried and are too lenient for this. `unidiff` stops silently at a hunk that is longer than
its header says, takes text without any patch for an empty diff, and lets symbolic links, binary patches and ``..``
pass; `whatthepatch` also takes a hunk that is too short. Both work on decoded text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

MAX_BYTES = 32 << 20
MAX_FILES = 10_000
MAX_HUNKS = 200_000
MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255

CONTEXT, DELETED, ADDED = b" -+"
_BACKSLASH = ord("\\")

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: .*)?", re.DOTALL)
_BINARY = re.compile(rb"GIT binary patch|Binary files .+ differ|Files .+ and .+ differ", re.DOTALL)
_ONE_SIDED = re.compile(rb"Only in [^:]+: .+", re.DOTALL)
_INDEX = re.compile(rb"index [0-9a-f]{4,64}\.\.[0-9a-f]{4,64}(?: (\d{6}))?")
_EPOCH = re.compile(rb"\t(1970-01-01|1969-12-31) (\d\d):(\d\d):00(?:\.0+)? ([+-])(\d\d)(\d\d)")
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(rb'\\(?:([0-3][0-7]{2})|([abtnvfr"\\])|.?)', re.DOTALL)
_LETTERS = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_MODES = {b"100644": 0o644, b"100664": 0o644, b"100755": 0o755}
_NULL = b"/dev/null"


class DiffError(Exception):
    """A diff cannot be understood, is refused, or does not apply.

    Args:
        message: A whole sentence.
        line: Line of the diff, from 1; 0 when it is about the diff as a whole.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line

    def __str__(self) -> str:
        return f"Line {self.line} of the diff: {self.message}" if self.line else self.message


class Operation(StrEnum):
    """What a patch does to its file."""

    MODIFY = "modify"
    CREATE = "create"
    DELETE = "delete"
    RENAME = "rename"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place of a file that changes.

    Attributes:
        line: Line of the diff at which its header stands.
        old_start, old_count: Its lines in the file as it was.
        new_start, new_count: Its lines in the file as it becomes.
        body: The lines below its header as they were written, each with its newline.
    """

    line: int
    old_start: int
    old_count: int
    new_start: int
    new_count: int
    body: bytes

    def lines(self) -> Iterator[tuple[int, bytes, int]]:
        """Yield marker, text with its newline if it has one, and line of the diff."""
        body, position, number = self.body, 0, self.line
        while position < len(body):
            end = body.index(b"\n", position) + 1
            number += 1
            if end - position == 1:
                yield CONTEXT, b"\n", number
            elif body[end : end + 1] == b"\\":
                yield body[position], body[position + 1 : end - 1], number
                end = body.index(b"\n", end) + 1
                number += 1
            else:
                yield body[position], body[position + 1 : end], number
            position = end


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a diff says about one file.

    Attributes:
        line: Line of the diff at which it begins.
        operation: What it does.
        old: The path it reads, None when the file is created.
        new: The path it writes, None when the file is deleted.
        mode: Permissions that the diff gives the file, None when it says nothing of them.
        hunks: In the order of the diff; none when only the name or the permissions change, or the file is empty.
        explicit: Whether a new file would have been announced as such, as git does. `diff -N` does not.
    """

    line: int
    operation: Operation
    old: str | None
    new: str | None
    mode: int | None
    hunks: tuple[Hunk, ...]
    explicit: bool


class _Side(NamedTuple):
    """The name on a ``---`` or ``+++`` line as it is written, None for /dev/null; `missing` if its time says so."""

    name: bytes | None
    missing: bool = False


def parse(data: bytes) -> tuple[FilePatch, ...]:
    """Return the patches of a unified diff, in its order.

    Raises:
        DiffError: If it is not a unified diff, or one that is refused.
    """
    if len(data) > MAX_BYTES:
        raise DiffError(f"The diff has {len(data)} bytes; at most {MAX_BYTES} are taken.")
    patches = tuple(_Parser(data).patches())
    if not patches:
        raise DiffError(
            "There is no patch in this text: no line pair `--- old` and `+++ new`, and no `diff --git` line."
        )
    return patches


def shown(raw: bytes | str) -> str:
    """Return `raw` quoted, with what cannot be printed escaped, and not too long."""
    text = raw if isinstance(raw, str) else raw[:200].decode("utf-8", "backslashreplace")
    quoted = ascii(text[:80])
    return f"{quoted}..." if len(text) > 80 else quoted


class _Parser:
    """A cursor over the lines of a diff."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0
        self._line = 1
        self._hunks = 0

    def patches(self) -> Iterator[FilePatch]:
        count = 0
        while (text := self._peek()) is not None:
            start = self._line
            if text.startswith(b"diff --git "):
                self._next()
                patch = self._git(start, text[len(b"diff --git ") :])
            elif self._at_names(text):
                old, new = self._names()
                patch = self._plain(start, old, new)
            else:
                self._refuse(text)
                self._next()
                continue
            count += 1
            if count > MAX_FILES:
                raise DiffError(f"The diff changes more than {MAX_FILES} files.", start)
            yield patch

    # Lines

    def _peek(self) -> bytes | None:
        """Return the next line without its end, None after the last. A carriage return before the end goes too."""
        if self._position >= len(self._data):
            return None
        end = self._data.find(b"\n", self._position)
        return self._data[self._position : end if end >= 0 else len(self._data)].removesuffix(b"\r")

    def _next(self) -> None:
        end = self._data.find(b"\n", self._position)
        self._position = end + 1 if end >= 0 else len(self._data)
        self._line += 1

    def _at_names(self, text: bytes) -> bool:
        if not text.startswith(b"--- "):
            return False
        end = self._data.find(b"\n", self._position)
        return end >= 0 and self._data.startswith(b"+++ ", end + 1)

    def _refuse(self, text: bytes) -> None:
        """Raise if a line outside of any patch is not prose."""
        if _HUNK.fullmatch(text):
            raise DiffError("A hunk stands here without the `---` and `+++` lines that name its file.", self._line)
        if text.startswith((b"diff --cc ", b"diff --combined ", b"@@@ ")):
            raise DiffError("This is the combined diff of a merge, which cannot be applied.", self._line)
        if _BINARY.fullmatch(text):
            raise DiffError(
                "The diff says that binary files differ, not how; binary files cannot be patched.", self._line
            )
        if _ONE_SIDED.fullmatch(text):
            raise DiffError(
                "The diff says that a file is on one side only, without its content; `diff -N` has it.", self._line
            )

    # Headers

    def _plain(self, start: int, old: _Side, new: _Side) -> FilePatch:
        hunks = self._all_hunks(start)
        path = _one_path(old.name, new.name, start)
        emptied = len(hunks) == 1 and hunks[0].new_count == 0 and hunks[0].new_start == 0
        operation = Operation.MODIFY
        if old.name is None:
            operation = Operation.CREATE
        elif new.name is None or (new.missing and emptied):
            operation = Operation.DELETE
        return _patch(start, operation, path, path, None, hunks, explicit=False)

    def _git(self, start: int, names: bytes) -> FilePatch:
        said = self._extended()
        sides: tuple[_Side, _Side] | None = None
        hunks: tuple[Hunk, ...] = ()
        if (text := self._peek()) is not None and text.startswith(b"--- "):
            if not self._at_names(text):
                raise DiffError("After this line must come one that begins with `+++ `.", self._line)
            sides = self._names()
            hunks = self._all_hunks(start)
        elif text is not None and text.strip() not in {b"", b"--"} and not text.startswith(b"diff --git "):
            raise DiffError(f"The line {shown(text)} cannot be understood in the header of a patch.", self._line)

        operation = _operation(said, sides, start)
        both = _both_names(names)
        if operation in (Operation.RENAME, Operation.COPY):
            old, new = (_name(said[f"{operation} {way}".encode()], start) for way in ("from", "to"))
            if sides and not (_means(sides[0].name, old) and _means(sides[1].name, new)):
                raise DiffError(f"The `---` and `+++` lines name other files than the {operation} lines.", start)
        elif both is not None:
            old = new = both
            if sides and not all(side.name is None or _means(side.name, both) for side in sides):
                raise DiffError("The `---` and `+++` lines name another file than the `diff --git` line.", start)
        elif sides:
            old = new = _one_path(sides[0].name, sides[1].name, start)
        else:
            raise DiffError("The `diff --git` line does not name one file.", start)
        mode = said.get(b"new mode") or said.get(b"new file mode")
        if not hunks and (sides or (operation is Operation.MODIFY and mode is None)):
            raise DiffError("The patch changes nothing.", start)
        return _patch(start, operation, old, new, _MODES[mode] if mode else None, hunks, explicit=True)

    def _extended(self) -> dict[bytes, bytes]:
        """Read git's extended header lines, each at most once."""
        said: dict[bytes, bytes] = {}
        while (text := self._peek()) is not None:
            self._refuse(text)
            key, value = _extended_line(text)
            if not key:
                break
            if key in said:
                raise DiffError(f"The header says `{key.decode()}` twice.", self._line)
            if key.endswith(b"mode") and value:
                self._check_mode(value)
            said[key] = value
            self._next()
        return said

    def _check_mode(self, mode: bytes) -> None:
        if mode in _MODES:
            return
        what = {b"120000": "Symbolic links", b"160000": "Submodules"}.get(mode, f"Files of mode {shown(mode)}")
        raise DiffError(f"{what} cannot be patched.", self._line)

    def _names(self) -> tuple[_Side, _Side]:
        sides = []
        for _ in range(2):
            text = self._peek() or b""
            sides.append(_side(text[4:], self._line))
            self._next()
        return sides[0], sides[1]

    # Hunks

    def _all_hunks(self, start: int) -> tuple[Hunk, ...]:
        hunks = []
        while (text := self._peek()) is not None:
            header = _HUNK.fullmatch(text)
            if header is None:
                if text.startswith(b"@@"):
                    raise DiffError(f"The hunk header {shown(text)} cannot be understood.", self._line)
                self._check_ended(text)
                break
            self._hunks += 1
            if self._hunks > MAX_HUNKS:
                raise DiffError(f"The diff has more than {MAX_HUNKS} hunks.", self._line)
            hunks.append(self._hunk(header))
        if not hunks:
            raise DiffError("The patch has no hunk.", start)
        return tuple(hunks)

    def _check_ended(self, text: bytes) -> None:
        """Raise if the line after a hunk looks like one more line of it."""
        if text.startswith(b"\\"):
            raise DiffError(
                "This line says that there is no newline, but it does not follow a line of a hunk.", self._line
            )
        if text[:1] in {b" ", b"+", b"-"} and text.rstrip() != b"--" and not self._at_names(text):
            raise DiffError("The hunk has more lines than its header says.", self._line)

    def _hunk(self, header: re.Match[bytes]) -> Hunk:
        old_start, old_count, new_start, new_count = (
            int(group) if group is not None else 1 for group in header.groups()
        )
        line = self._line
        if (old_start == 0 and old_count) or (new_start == 0 and new_count) or not (old_count or new_count):
            raise DiffError("The hunk header names lines that do not exist.", line)
        self._next()
        data, position, begin = self._data, self._position, self._position
        old, new = old_count, new_count
        old_open = new_open = True
        marker = _BACKSLASH
        while position < len(data):
            end = data.find(b"\n", position)
            end = len(data) if end < 0 else end
            following = data[position] if end > position else CONTEXT
            if following == _BACKSLASH:
                if marker == _BACKSLASH:
                    raise DiffError(
                        "This line says that there is no newline, but it does not follow a line.", self._line
                    )
                old_open = old_open and marker == ADDED
                new_open = new_open and marker == DELETED
            elif not (old or new):
                break
            else:
                if following not in (CONTEXT, DELETED, ADDED):
                    raise DiffError(
                        f"A hunk's line begins with a blank, `-` or `+`, not {shown(data[position:end])}.", self._line
                    )
                old -= following != ADDED
                new -= following != DELETED
                if old < 0 or new < 0:
                    raise DiffError("The hunk has other lines than its header says.", self._line)
                if (following != ADDED and not old_open) or (following != DELETED and not new_open):
                    raise DiffError("A line follows the one that has no newline at the end of the file.", self._line)
            marker = following
            position = min(end + 1, len(data))
            self._line += 1
        if old or new:
            raise DiffError(f"The diff ends within a hunk: {old} old and {new} new lines are missing.", line)
        self._position = position
        body = data[begin:position]
        return Hunk(line, old_start, old_count, new_start, new_count, body if body.endswith(b"\n") else body + b"\n")
