"""Text of files and candidates as it can be shown: no character of it acts on a terminal. Pure."""

from __future__ import annotations

from sandbox.defences import Defence, is_on


def visible(text: str) -> str:
    """Return text in which no character can act on a terminal: controls and formatting characters are escaped."""
    if not is_on(Defence.VISIBLE_TEXT):
        return text
    return "".join(c if c.isprintable() else "    " if c == "\t" else _escape(c) for c in text)


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        # A byte that is not UTF-8, as Python keeps it in a file name.
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def readable(text: str) -> str:
    """Return text that any reader of JSON takes: bytes of names that are not UTF-8 become replacement characters."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
