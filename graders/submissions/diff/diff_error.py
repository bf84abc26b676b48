"""The error about a diff, and how its messages quote hostile bytes."""

from __future__ import annotations

_SHOWN = 80


class DiffError(Exception):
    """A diff cannot be understood, is refused, or does not apply.

    The message is a whole sentence; the line of the diff counts from 1, and is 0 when it is about the diff as a whole.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line

    def __str__(self) -> str:
        return f"Line {self.line} of the diff: {self.message}" if self.line else self.message


def shown(raw: bytes | str) -> str:
    """Return `raw` quoted, with what cannot be printed escaped, and not too long."""
    text = raw if isinstance(raw, str) else raw[: 4 * _SHOWN].decode("utf-8", "surrogateescape")
    # Escapes whatever could move a terminal's cursor; letters of any script stay readable.
    quoted = repr(text[:_SHOWN]).encode("utf-8", "backslashreplace").decode("utf-8")
    return f"{quoted}..." if len(text) > _SHOWN else quoted
