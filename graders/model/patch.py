"""A unified diff as data: a `FilePatch` for each file, a `Hunk` for each of its places. Pure."""

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
    """One place of a file that changes."""

    line: int  # Line of the diff at which its header stands.
    old_start: int
    old_count: int
    new_start: int
    new_count: int
    body: bytes  # The lines below its header as they were written, each with a newline.

    @property
    def old_index(self) -> int:
        """How many lines of the old file stand before it; a hunk without old lines names the line it follows."""
        return self.old_start - (self.old_count > 0)

    @property
    def new_index(self) -> int:
        """How many lines of the new file stand before it."""
        return self.new_start - (self.new_count > 0)

    def lines(self) -> Iterator[tuple[int, bytes, int]]:
        """Yield marker, text with its newline if it has one, and line of the diff."""
        body, position, number = self.body, 0, self.line
        while position < len(body):
            end = body.index(b"\n", position) + 1
            number += 1
            # A line without even a marker is an empty line of context: some editors strip blanks at the end of lines.
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

    line: int  # Line of the diff at which it begins.
    operation: Operation
    old: str | None  # The path it reads, None when the file is created.
    new: str | None  # The path it writes, None when the file is deleted.
    mode: int | None  # Permissions that the diff gives the file, None when it gives none.
    hunks: tuple[Hunk, ...]  # None when only the name or the permissions change, or the file is empty.
    explicit: bool  # Whether the diff declares new files as such, as git does and `diff -N` does not.
