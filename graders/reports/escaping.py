r"""Makes text of candidates harmless: for terminals, for files that other programs read, and for logs of CI systems.

CI systems act on instructions in text that they show:

| in | instruction | who acts on it |
|---|---|---|
| a log | `::name ...::` at the beginning of a line, after blanks | GitHub, Gitea and Forgejo |
| a log | `##[name ...]`, `##vso[...]`, `##teamcity[...]`, anywhere | GitHub and Azure Pipelines, TeamCity |
| a log | `--- `, `+++ `, `~~~ `, `^^^ +++` at the beginning of a line | Buildkite, which only folds lines at them |
| JUnit | `[[ATTACHMENT|path]]`, `[[PROPERTY|name=value]]` | Jenkins, GitLab, Azure Pipelines; test management |

Other instructions contain control characters (`section_start:` of GitLab, notes of Jenkins, links of Buildkite), which
every report removes. To disarm an instruction, one of its characters becomes a JSON escape: people can still read it,
and a line of JSON keeps its meaning.

ANSI sequences are those of ECMA-48 5th edition (5.3 to 5.6). A control string must end on its line to count as one, so
that output cannot hide the text after it. Pure.
"""

from __future__ import annotations

import re

# No part gives back what it has matched, and a control string ends before another may begin. So time grows with the
# length of a text and no faster.
_ANSI = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\n\x80-\x9f]*+(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*+[0-OQ-WYZ\\`-~]"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_COMMAND_ANYWHERE = re.compile(r"##(?=[A-Za-z_-]*+\[)")
# The blanks include all that GitHub's runner trims. A carriage return also ends a line.
_COMMAND_AT_BEGIN = re.compile(r"(?:\A|(?<=[\r\n]))([^\S\r\n]*+):(?=:)")
_GROUPS = re.compile(
    r"(?:\A|(?<=[\r\n]))((?:\x1b\[[0-9;]*+m)*+)(?:-(?=--\s)|\+(?=\+\+\s)|~(?=~~\s)|\^(?=\^\^\s++\+\+\+))"
)
_MARKER = re.compile(r"\[(?=\[\s*+(?:/\s*+)?[A-Za-z_-]++\s*+[|\]])")


def visible(text: str) -> str:
    """Return text in which no character acts on a terminal: control and formatting characters are escaped."""
    return "".join(c if c.isprintable() else "    " if c == "\t" else _escape(c) for c in text)


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        # Python's form of a byte in a file name that is not UTF-8.
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def plain(text: str) -> str:
    """Return text without ANSI sequences and control characters; keep line breaks, and escape other unprintables."""
    stripped = _CONTROLS.sub("", _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    return "\n".join(map(visible, stripped.split("\n")))


def plain_line(text: str, max_characters: int = 600) -> str:
    """Return text as one line of limited length, with a mark if it was cut."""
    line = plain(text).replace("\n", " ").strip()
    return line if len(line) <= max_characters else f"{line[:max_characters]} [...]"


def inert(lines: str) -> str:
    """Return whole lines without commands for CI systems."""
    return _COMMAND_AT_BEGIN.sub(r"\1\\u003a", _COMMAND_ANYWHERE.sub(r"#\\u0023", lines))


def ungrouped(lines: str) -> str:
    """Return whole lines in which Buildkite sees no group headers."""
    return _GROUPS.sub(lambda found: f"{found[1]}\\u{ord(found[0][-1]):04x}", lines)


def unmarked(text: str) -> str:
    """Return text in which no reader of JUnit files finds an attachment or a property."""
    return _MARKER.sub(r"\\u005b", text)
