"""Text of candidates inside Markdown: nothing in it is markup, a link, an image, a mention or the end of a block.

No line begins with it either, since a comment is read by more than what renders it: GitLab takes `/merge` at the
beginning of a line for an order, also in a block that has a shorter fence inside, and bots of GitHub do the like.

Rules are those of CommonMark 0.31 (6.1, 2.5: a character reference is never structure; 4.5: a fence ends with no fewer
backticks than it began with) and of GitHub's tables, mentions and references. Pure.
"""

from __future__ import annotations

import re

from graders.reports.instructions import inert
from graders.reports.plain_text import plain, plain_line

_RUNS = re.compile("`+")
# GitHub looks for mentions, addresses and references after the references here have become characters again.
_JOINED = {"@": "&#64;&#8288;", "#": "&#35;&#8288;"}


def escaped(text: str, most: int = 300) -> str:
    """Return text as one line that means itself in a paragraph, a heading or a cell of a table."""
    return "".join(map(_escape, plain_line(text, most)))


def code(text: str, most: int = 300) -> str:
    """Return the same, shown as code. An element and no backticks: those would not take all that a name may hold."""
    return f"<code>{escaped(text, most)}</code>"


def fenced(text: str) -> str:
    """Return text as a block of its own; it begins and ends a line, and each line of it begins with a blank."""
    shown = "\n".join(f" {line}" for line in inert(plain(text).rstrip("\n")).split("\n"))
    longest = max((len(run) for run in _RUNS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown}\n{fence}\n"


def _escape(character: str) -> str:
    if character.isalnum() or character == " ":
        return character
    return _JOINED.get(character) or f"&#{ord(character)};"
