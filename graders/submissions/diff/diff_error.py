"""The error about a diff, and the quoting of hostile bytes in its messages."""

from __future__ import annotations

_SHOWN = 80


class DiffError(Exception):
    """A diff cannot be parsed, is refused, or does not apply.

    The message is a whole sentence. Lines of the diff count from 1; `line` is 0 for an error about the whole diff.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line

    def __str__(self) -> str:
        return f"Line {self.line} of the diff: {self.message}" if self.line else self.message


def shown(raw: bytes | str) -> str:
    """Return `raw` quoted and shortened, with unprintable characters escaped."""
    text = raw if isinstance(raw, str) else raw[: 4 * _SHOWN].decode("utf-8", "surrogateescape")
    # `repr` escapes characters that could move a terminal's cursor; letters of any script stay readable.
    quoted = repr(text[:_SHOWN]).encode("utf-8", "backslashreplace").decode("utf-8")
    return f"{quoted}..." if len(text) > _SHOWN else quoted
