"""A unified diff as data: a `FilePatch` for each file, a `Hunk` for each changed place in it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from gradebox.sandbox.records import dataclass

CONTEXT, DELETED, ADDED, NO_NEWLINE = b" -+\\"


class Operation(StrEnum):
    MODIFY = "modify"
    CREATE = "create"
    DELETE = "delete"
    RENAME = "rename"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class Hunk:
    """One changed place in a file."""

    line: int  # The line of its header in the diff.
    old_start: int
    old_count: int
    new_start: int
    new_count: int
    body: bytes  # The unchanged lines below its header, each with a newline.

    @property
    def old_index(self) -> int:
        """The number of lines before it in the old file; a hunk without old lines names the line that it follows."""
        return self.old_start - (self.old_count > 0)

    @property
    def new_index(self) -> int:
        """The number of lines before it in the new file."""
        return self.new_start - (self.new_count > 0)

    def lines(self) -> Iterator[tuple[int, bytes, int]]:
        """Yield each line's marker, text (with its newline if any), and line number in the diff."""
        body, position, number = self.body, 0, self.line
        while position < len(body):
            end = body.index(b"\n", position) + 1
            number += 1
            # A line without a marker is an empty line of context, since some editors strip trailing blanks.
            marker = body[position] if end - position > 1 else CONTEXT
            text = body[position + (end - position > 1) : end]
            position = end
            if body[position : position + 1] == b"\\":
                position = body.index(b"\n", position) + 1
                yield marker, text[:-1], number
                number += 1
            else:
                yield marker, text, number


@dataclass(frozen=True, slots=True)
class FilePatch:
    """The part of a diff about one file."""

    line: int  # The line of the diff at which it starts.
    operation: Operation
    old: str | None  # The old path; None if the file is created.
    new: str | None  # The new path; None if the file is deleted.
    mode: int | None  # The file's permissions in the diff; None if it states none.
    hunks: tuple[Hunk, ...]  # Empty if only the name or the permissions change, or if the file is empty.
    explicit: bool  # Whether the diff declares new files as such, as git does and `diff -N` does not.
