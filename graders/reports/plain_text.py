"""What candidates printed as text for files that other programs read: no ANSI sequences, no control characters.

Sequences are those of ECMA-48 5th edition (5.4 control sequences, 5.6 control strings, 5.3 the rest). A control string
that does not end in its line is none: nothing that was printed may hide what follows it. Pure.
"""

from __future__ import annotations

import re

from graders.documents.printable import visible

_ANSI = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-OQ-WYZ\\`-~]"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def plain(text: str) -> str:
    """Return text without sequences and control characters; line breaks stay, what is left unprintable is escaped."""
    stripped = _CONTROLS.sub("", _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    return "\n".join(map(visible, stripped.split("\n")))


def plain_line(text: str, most: int = 600) -> str:
    """Return text as one line of at most so many characters, and a mark where there was more."""
    line = plain(text).replace("\n", " ").strip()
    return line if len(line) <= most else f"{line[:most]} [...]"
