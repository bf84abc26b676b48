"""Texts as hashed shingles: runs of tokens in which names are replaced by their order of appearance. Pure.

This finds copies that were moved, indented differently, wrapped in a diff, or whose names were changed. The method is
that of Broder, "On the resemblance and containment of documents" (1997): the share of a hidden text in another text is
the share of its shingles there. `skeleton` is far faster, and decides which texts are compared by shingles.
"""

from __future__ import annotations

import re

# The number of tokens in a shingle. Shorter ones are common in unrelated code.
TOKENS = 12
# A line with fewer characters, after each name was replaced by one letter, is not distinctive.
_LEAST_LINE = 6

_TOKEN = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*|\d[\w.]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[^\s\w]")
_NAME = re.compile(rb"[A-Za-z_\x80-\xff]")
_DIFF_MARKS = re.compile(rb"(?m)^[+<>-]+")
# Keywords of the languages of cases. Any other word counts as a name.
_KEYWORDS = frozenset(
    b"and as assert async await begin break case catch class const continue def del do elif else elseif end enum except"
    b" export false False finally fn for from func function global if impl import in instanceof interface is lambda let"
    b" local match module mut new nil None nonlocal not null or pass private pub public raise return self static struct"
    b" super switch then this throw true True try type typeof undefined using var void while with yield".split()
)
# Every letter becomes `a`, and the end of a statement becomes a line break. Spaces are removed.
_LETTERS = bytes(
    ord("a") if chr(code).isalpha() or code == ord("_") or code >= 0x80 else ord("\n") if code in b";{}" else code
    for code in range(256)
)  # fmt: skip


def skeleton(text: bytes) -> frozenset[bytes]:
    """Return the distinctive lines of a text, without names and spaces."""
    bare = _without_diff_marks(text).translate(_LETTERS, b" \t\r")
    for length in (16, 4, 2, 2, 2):
        bare = bare.replace(b"a" * length, b"a")
    while b"aa" in bare:
        bare = bare.replace(b"aa", b"a")
    return frozenset(line for line in bare.split(b"\n") if len(line) >= _LEAST_LINE)


def shingles(text: bytes) -> frozenset[int]:
    """Return the hashes of all runs of `TOKENS` tokens. They are valid only in this process."""
    tokens: list[bytes] = _TOKEN.findall(_without_diff_marks(text))
    are_names = [bool(_NAME.match(token)) and token not in _KEYWORDS for token in tokens]
    found = set[int]()
    for start in range(len(tokens) - TOKENS + 1):
        order: dict[bytes, int] = {}
        run = zip(tokens[start : start + TOKENS], are_names[start : start + TOKENS], strict=True)
        found.add(hash(tuple(order.setdefault(token, len(order)) if is_name else token for token, is_name in run)))
    return frozenset(found)


def _without_diff_marks(text: bytes) -> bytes:
    return _DIFF_MARKS.sub(b"", text)
