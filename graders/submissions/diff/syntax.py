"""Parses unified diffs: bytes in, file patches out. Pure; every byte of the input is hostile.

It accepts the output of ``git diff`` and ``diff -u`` and diffs written by people: git's extended headers, plain
``---``/``+++`` headers with or without prefixes and timestamps, quoted names, and prose before and between patches. It
refuses everything else, with the line number: a hunk is never skipped, shortened or taken for prose.

Existing libraries are too lenient. `unidiff` stops silently at a hunk that is longer than its header declares, takes
text without any patch for an empty diff, and accepts symbolic links, binary patches and ``..``; `whatthepatch` also
accepts a hunk that is too short. Both work on decoded text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradebox.graders.model.patch import ADDED, CONTEXT, DELETED, NO_NEWLINE, FilePatch, Hunk, Operation
from gradebox.graders.submissions.diff import headers
from gradebox.graders.submissions.diff.diff_error import DiffError, shown
from gradebox.graders.submissions.diff.headers import Side

MAX_BYTES = 32 << 20
MAX_FILES = 10_000
MAX_HUNKS = 200_000

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: .*)?", re.DOTALL)
_ONE_SIDED = re.compile(rb"Only in [^:]+: .+", re.DOTALL)
_EXTENDED = re.compile(
    rb"(old mode|new mode|new file mode|deleted file mode|rename from|rename to|copy from|copy to"
    rb"|similarity index|dissimilarity index|index) (.*)",
    re.DOTALL,
)
_MODES = {b"100644": 0o644, b"100664": 0o644, b"100755": 0o755}
_REFUSED_MODES = {b"120000": "Symbolic links", b"160000": "Submodules"}


def parse(data: bytes) -> tuple[FilePatch, ...]:
    """Return the patches of a unified diff, in its order.

    Raises DiffError if it is not a unified diff, or contains something that is refused.
    """
    if len(data) > MAX_BYTES:
        raise DiffError(f"The diff has {len(data)} bytes; at most {MAX_BYTES} are taken.")
    patches = tuple(_Parser(data).patches())
    if not patches:
        raise DiffError("There is no patch in this text: no lines `--- old` and `+++ new`, and no `diff --git` line.")
    return patches


class _Parser:
    """A cursor over the lines of a diff."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0
        self._line = 1
        self._hunk_count = 0

    def patches(self) -> Iterator[FilePatch]:
        count = 0
        while (text := self._peek()) is not None:
            start = self._line
            if text.startswith(b"diff --git "):
                self._next()
                patch = self._git_patch(start, text[len(b"diff --git ") :])
            elif self._at_names(text):
                patch = self._plain_patch(start)
            else:
                self._check_prose(text)
                self._next()
                continue
            count += 1
            if count > MAX_FILES:
                raise DiffError(f"The diff changes more than {MAX_FILES} files.", start)
            yield patch

    # Lines

    def _peek(self) -> bytes | None:
        """Return the next line without its line end (LF or CRLF), None after the last line."""
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

    def _check_prose(self, text: bytes) -> None:
        """Raise DiffError if a line outside of hunks declares a change that would be lost as prose."""
        if text.startswith(b"@@ ") and _HUNK.fullmatch(text):
            raise DiffError("A hunk stands here without the `---` and `+++` lines that name its file.", self._line)
        if text.startswith((b"diff --cc ", b"diff --combined ", b"@@@ ")):
            raise DiffError("This is the combined diff of a merge, which cannot be applied.", self._line)
        differ = text.startswith((b"Binary files ", b"Files ")) and b" and " in text and text.endswith(b" differ")
        if differ or text == b"GIT binary patch":
            raise DiffError("Binary files cannot be patched.", self._line)
        if _ONE_SIDED.fullmatch(text):
            raise DiffError("A file is on one side only and its content is not here; `diff -N` has it.", self._line)

    # Headers

    def _plain_patch(self, start: int) -> FilePatch:
        old, new = self._sides()
        path = headers.clean(headers.common_name(old.name, new.name, start), start)
        hunks = self._hunks()
        emptied = len(hunks) == 1 and hunks[0].new_count == 0 and hunks[0].new_start == 0
        operation = Operation.MODIFY
        if old.name is None:
            operation = Operation.CREATE
        elif new.name is None or (new.missing and emptied):
            operation = Operation.DELETE
        return _patch(start, operation, (path, path), hunks, mode=None, explicit=False)

    def _git_patch(self, start: int, header: bytes) -> FilePatch:
        fields = self._extended_header()
        sides: tuple[Side, Side] | None = None
        hunks: tuple[Hunk, ...] = ()
        text = self._peek()
        if text is not None and self._at_names(text):
            sides = self._sides()
        elif text is not None and text.strip() not in {b"", b"--"} and not text.startswith(b"diff --git "):
            raise DiffError(f"The line {shown(text)} is not valid in the header of a patch.", self._line)
        operation = headers.operation_of(fields, sides, start)
        paths = headers.paths_of(header, operation, fields, sides, start)
        if sides:
            hunks = self._hunks()
        mode = fields.get(b"new mode") or fields.get(b"new file mode")
        if operation is Operation.MODIFY and not hunks and mode is None:
            raise DiffError("The patch changes nothing.", start)
        return _patch(start, operation, paths, hunks, mode=_MODES[mode] if mode else None, explicit=True)

    def _extended_header(self) -> dict[bytes, bytes]:
        fields: dict[bytes, bytes] = {}
        while (text := self._peek()) is not None:
            self._check_prose(text)
            match = _EXTENDED.fullmatch(text)
            if match is None:
                break
            key, value = match.groups()
            if key in fields:
                raise DiffError(f"The header has `{key.decode()}` twice.", self._line)
            moded = key.endswith(b" mode")
            mode = value if moded else value.partition(b" ")[2] if key == b"index" else b""
            if (mode or moded) and mode not in _MODES:
                what = _REFUSED_MODES.get(mode, f"Files of mode {shown(mode)}")
                raise DiffError(f"{what} cannot be patched.", self._line)
            fields[key] = value
            self._next()
        return fields

    def _sides(self) -> tuple[Side, Side]:
        old = headers.side((self._peek() or b"")[4:], self._line)
        self._next()
        new = headers.side((self._peek() or b"")[4:], self._line)
        self._next()
        return old, new

    # Hunks

    def _hunks(self) -> tuple[Hunk, ...]:
        hunks: list[Hunk] = []
        end = shift = 0
        while (text := self._peek()) is not None and text.startswith(b"@@"):
            self._hunk_count += 1
            if self._hunk_count > MAX_HUNKS:
                raise DiffError(f"The diff has more than {MAX_HUNKS} hunks.", self._line)
            hunk = self._hunk(text)
            if hunk.old_index < end:
                raise DiffError("The hunk begins before the one above it ends.", hunk.line)
            if hunk.new_index != hunk.old_index + shift:
                raise DiffError(
                    f"The hunk's new lines would begin at {hunk.old_index + shift + (hunk.new_count > 0)}, "
                    f"not at {hunk.new_start}: its header is wrong or a hunk before it is missing.",
                    hunk.line,
                )
            end = hunk.old_index + hunk.old_count
            shift += hunk.new_count - hunk.old_count
            hunks.append(hunk)
        if not hunks:
            raise DiffError("After the `---` and `+++` lines must come a hunk.", self._line)
        # A line of a hunk that its header does not count must not be taken for prose.
        if text is not None and text[:1] in {b" ", b"+", b"-"} and text.rstrip() != b"--" and not self._at_names(text):
            raise DiffError("The hunk has more lines than its header says.", self._line)
        return tuple(hunks)

    def _hunk(self, text: bytes) -> Hunk:
        line = self._line
        header = _HUNK.fullmatch(text)
        if header is None:
            raise DiffError(f"The hunk header {shown(text)} cannot be understood.", line)
        old_start, old_count, new_start, new_count = map(int, header.groups(b"1"))
        if (old_start == 0 and old_count) or (new_start == 0 and new_count) or not (old_count or new_count):
            raise DiffError("The hunk header names lines that do not exist.", line)
        self._next()
        begin = self._position
        self._skip_body(old_count, new_count, line)
        body = self._data[begin : self._position]
        return Hunk(line, old_start, old_count, new_start, new_count, body if body.endswith(b"\n") else body + b"\n")

    def _skip_body(self, old: int, new: int, header_line: int) -> None:
        """Move past the lines of a hunk with `old` old and `new` new lines, and check their form."""
        data, position = self._data, self._position
        old_open = new_open = True
        previous, previous_empty = NO_NEWLINE, False
        while position < len(data):
            end = data.find(b"\n", position)
            end = end if end >= 0 else len(data)
            marker = data[position] if end > position else CONTEXT
            if marker == NO_NEWLINE:
                if previous == NO_NEWLINE or previous_empty:
                    raise DiffError("This line does not follow a line that can be without a newline.", self._line)
                old_open = old_open and previous == ADDED
                new_open = new_open and previous == DELETED
            elif not (old or new):
                break
            else:
                if marker not in (CONTEXT, DELETED, ADDED):
                    raise DiffError(
                        f"The lines of a hunk begin with a blank, `-` or `+`, but this one is "
                        f"{shown(data[position:end])}; {old} old and {new} new lines are still missing.",
                        self._line,
                    )
                old, new = old - (marker != ADDED), new - (marker != DELETED)
                if old < 0 or new < 0:
                    raise DiffError("The hunk has other lines than its header says.", self._line)
                if not ((old_open or marker == ADDED) and (new_open or marker == DELETED)):
                    raise DiffError("This line follows a line that is marked as the last one.", self._line)
            previous, previous_empty = marker, end - position <= 1
            position = min(end + 1, len(data))
            self._line += 1
        if old or new:
            raise DiffError(f"The diff ends within this hunk: {old} old and {new} new lines are missing.", header_line)
        self._position = position


def _patch(
    start: int,
    operation: Operation,
    paths: tuple[str, str],
    hunks: tuple[Hunk, ...],
    *,
    mode: int | None,
    explicit: bool,
) -> FilePatch:
    first = hunks[0] if hunks else None
    if operation is Operation.CREATE and first and (first.old_start or first.old_count):
        raise DiffError("The file is declared as new, but its hunk has old lines.", first.line)
    if operation is Operation.DELETE and first and (first.new_start or first.new_count):
        raise DiffError("The file is declared as deleted, but its hunk has new lines.", first.line)
    old = None if operation is Operation.CREATE else paths[0]
    new = None if operation is Operation.DELETE else paths[1]
    return FilePatch(start, operation, old, new, mode, hunks, explicit)
