"""Reads the names and texts of compiled Python without loading it: `marshal` is not safe for hostile data.

A `.pyc` has its code as bytecode, which differs by version, but its names and constants unchanged.
"""

from __future__ import annotations

import marshal
import re

# A short ASCII text of `marshal`: its type, with or without the reference bit, and its length.
_SHORT = re.compile(rb"[zZ\xda\xfa](?=([\x03-\xff]))")
_PRINTABLE = re.compile(rb"[\x20-\x7e]+")
_HEADER_BYTES = 16


def is_compiled(data: bytes) -> bool:
    """Return whether data begins like a `.pyc`: with a version number and a line end."""
    return len(data) > _HEADER_BYTES and data[2:4] == b"\r\n"


def names_in(data: bytes) -> frozenset[bytes]:
    """Return names and short texts in the data of `marshal`, without file names and names in angle brackets."""
    found = set[bytes]()
    for match in _SHORT.finditer(data):
        start, length = match.end() + 1, match[1][0]
        text = data[start : start + length]
        if len(text) == length and _PRINTABLE.fullmatch(text) and not text.startswith(b"<") and b"/" not in text:
            found.add(text)
    return frozenset(found)


def names_of_source(source: bytes, path: str) -> frozenset[bytes]:
    """Return the names that Python source contains when compiled; none if it cannot be compiled."""
    try:
        code = compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return names_in(marshal.dumps(code))
