"""Reads the header of a file's patch: names with their quotes and prefixes, and the operation. Pure.

Names stay bytes until `clean` has checked them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gradebox.graders.model.patch import Operation
from gradebox.graders.submissions.diff.diff_error import DiffError, shown

MAX_PATH_BYTES = 4096
MAX_COMPONENT_BYTES = 255
MAX_DEPTH = 64
_MAX_BLANKS = 32

_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:([0-3][0-7]{2})|(.))", re.DOTALL)
_LETTERS = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))
_STAMP = re.compile(rb"(1970-01-01|1969-12-31) (\d\d):(\d\d):00(?:\.0+)? ([+-])(\d\d)(\d\d)")
_MINUTES_A_DAY = 24 * 60
# The operation of a patch, by a line in its header.
_OPERATIONS = {
    **dict.fromkeys((b"old mode", b"new mode"), Operation.MODIFY),
    b"new file mode": Operation.CREATE,
    b"deleted file mode": Operation.DELETE,
    **dict.fromkeys((b"rename from", b"rename to"), Operation.RENAME),
    **dict.fromkeys((b"copy from", b"copy to"), Operation.COPY),
}


class Side(NamedTuple):
    """A ``---`` or ``+++`` line."""

    name: bytes | None  # The name as written; None for /dev/null.
    missing: bool  # Whether its time is the epoch: `diff -N` marks a missing file that way.


def side(text: bytes, line: int) -> Side:
    """Read the text after ``--- `` or ``+++ ``."""
    quoted = _QUOTED.match(text)
    if quoted:
        name, rest = _unquote(quoted[1], line), text[quoted.end() :]
    elif text.startswith(b'"'):
        raise DiffError(f"The quoted name {shown(text)} does not end.", line)
    else:
        name, tab, stamp = text.partition(b"\t")
        rest = tab + stamp
    if rest and not rest.startswith(b"\t"):
        raise DiffError(f"After the name {shown(name)} stands {shown(rest)}.", line)
    if name == b"/dev/null" and not quoted:
        return Side(None, missing=True)
    return Side(name, _is_epoch(rest[1:]))


def header_name(text: bytes, line: int) -> bytes | None:
    """Return the file name after ``diff --git ``, None if it is unclear or there are two names.

    Without quotes, two names that contain blanks can be separated only if they are equal after their prefixes.
    """
    quoted = _QUOTED.match(text)
    if quoted:
        second = _QUOTED.fullmatch(text, quoted.end() + 1)
        if not second or text[quoted.end() : second.start()] != b" ":
            return None
        return _same(_unquote(quoted[1], line), _unquote(second[1], line))
    half = len(text) // 2
    if text[half : half + 1] == b" " and (name := _same(text[:half], text[half + 1 :])):
        return name
    # The prefixes have different lengths. The name can have at most _MAX_BLANKS blanks; other lines may name it too.
    words = text.split(b" ", _MAX_BLANKS)
    found = {_same(b" ".join(words[:count]), b" ".join(words[count:])) for count in range(1, len(words))} - {None}
    return found.pop() if len(found) == 1 else None


def _same(old: bytes, new: bytes) -> bytes | None:
    """Return the common part of two names: the whole name, or the part after the first directory of each."""
    if old == new:
        return old
    old_prefix, old_slash, old_rest = old.partition(b"/")
    new_prefix, new_slash, new_rest = new.partition(b"/")
    alike = old_slash and new_slash and old_rest == new_rest and old_prefix and new_prefix
    return old_rest if alike else None


def common_name(old: bytes | None, new: bytes | None, line: int) -> bytes:
    """Return the file that both ``---`` and ``+++`` name, without prefixes.

    If names differ only in their first directory (``a/`` and ``b/``, ``before/`` and ``after/``), it is a prefix.
    Equal names have no prefix. If the other name is /dev/null, ``a/`` is the prefix of an old name and ``b/`` of a
    new one.
    """
    if old is None and new is None:
        raise DiffError("Both names are /dev/null.", line)
    for name in (old, new):
        if name is not None and name.startswith(b"/"):
            raise DiffError(f"The path {shown(name)} is absolute.", line)
    if old is None:
        return (new or b"").removeprefix(b"b/")
    if new is None:
        return old.removeprefix(b"a/")
    name = _same(old, new)
    if not name:
        raise DiffError(f"The patch names two files, {shown(old)} and {shown(new)}, but does not rename.", line)
    return name


def is_name(written: bytes | None, name: bytes) -> bool:
    """Return whether a ``---`` or ``+++`` line names `name`, with a prefix or without."""
    return written is not None and name in (written, written.partition(b"/")[2])


def plain_name(text: bytes, line: int) -> bytes:
    """Read the name after ``rename from `` and similar words."""
    if not text.startswith(b'"'):
        return text
    quoted = _QUOTED.fullmatch(text)
    if not quoted:
        raise DiffError(f"The quoted name {shown(text)} does not end.", line)
    return _unquote(quoted[1], line)


def clean(name: bytes, line: int) -> str:
    """Return `name` as text; bytes that are not UTF-8 become surrogate escapes.

    Raises DiffError if it could lead out of the workspace or into `.git`, or cannot be the path of a file.
    """
    if problem := _problem(name):
        raise DiffError(f"The path {shown(name)} {problem}.", line)
    return name.decode("utf-8", "surrogateescape")


def _problem(name: bytes) -> str:
    components = name.split(b"/")
    if not name:
        return "is empty"
    if name.startswith(b"/"):
        return "is absolute"
    if b"\0" in name:
        return "holds a NUL"
    if any(component in {b"", b".", b".."} for component in components):
        return "has an empty, '.' or '..' component"
    if any(component.lower() == b".git" for component in components):
        return "has a '.git' component"
    if len(name) > MAX_PATH_BYTES or len(components) > MAX_DEPTH or max(map(len, components)) > MAX_COMPONENT_BYTES:
        return "is too long"
    return ""


def operation_of(fields: dict[bytes, bytes], sides: tuple[Side, Side] | None, start: int) -> Operation:
    """Return the operation of a git header with these lines."""
    found = {operation for key, operation in _OPERATIONS.items() if key in fields}
    halves = [f"{name} {half}".encode() in fields for name in ("rename", "copy") for half in ("from", "to")]
    paired = halves[0] == halves[1] and halves[2] == halves[3] and (b"old mode" in fields) == (b"new mode" in fields)
    # A renamed or copied file may also change its permissions.
    found = found if found == {Operation.MODIFY} else found - {Operation.MODIFY}
    moded = b"new mode" in fields and found & {Operation.CREATE, Operation.DELETE}
    if len(found) > 1 or not paired or moded:
        raise DiffError("The header contradicts itself or is incomplete.", start)
    null_sides = (bool(sides and sides[0].name is None), bool(sides and sides[1].name is None))
    by_names = {(True, False): Operation.CREATE, (False, True): Operation.DELETE, (False, False): None}.get(null_sides)
    operation = next(iter(found), by_names or Operation.MODIFY)
    expected = operation if operation in (Operation.CREATE, Operation.DELETE) else None
    if (sides and by_names != expected) or null_sides == (True, True):
        raise DiffError(f"The header says {operation}, but the `---` and `+++` lines contradict it.", start)
    return operation


def paths_of(
    header: bytes, operation: Operation, fields: dict[bytes, bytes], sides: tuple[Side, Side] | None, start: int
) -> tuple[str, str]:
    """Return the old and the new path of a git patch. All lines that name a path must agree."""
    if operation in (Operation.RENAME, Operation.COPY):
        old, new = (plain_name(fields[f"{operation} {half}".encode()], start) for half in ("from", "to"))
        agree = not sides or (is_name(sides[0].name, old) and is_name(sides[1].name, new))
    else:
        common = header_name(header, start)
        if common is None and sides is None:
            raise DiffError(f"{shown(header)} does not name one file.", start)
        agree = common is None or all(side.name is None or is_name(side.name, common) for side in sides or ())
        if common is None and sides is not None:
            common = common_name(sides[0].name, sides[1].name, start)
        old = new = common or b""
    if not agree:
        raise DiffError("The `---` and `+++` lines name another file than the lines above them.", start)
    return clean(old, start), clean(new, start)


def _unquote(text: bytes, line: int) -> bytes:
    def plain(escape: re.Match[bytes]) -> bytes:
        if escape[1]:
            return bytes([int(escape[1], 8)])
        letter = _LETTERS.get(escape[2][0])
        if letter is None:
            raise DiffError(f"The name {shown(text)} has the unknown escape {shown(escape[0])}.", line)
        return bytes([letter])

    return _ESCAPE.sub(plain, text)


def _is_epoch(stamp: bytes) -> bool:
    match = _STAMP.fullmatch(stamp)
    if not match:
        return False
    minutes = int(match[2]) * 60 + int(match[3]) - (_MINUTES_A_DAY if match[1] == b"1969-12-31" else 0)
    offset = int(match[5]) * 60 + int(match[6])
    return minutes == (offset if match[4] == b"+" else -offset)
