"""Turns outputs of commands and diffs into markup of limited length.

The limit counts characters of the page, not bytes: a candidate can print bytes that take thirty times as many
characters when they are escaped.

Terminal colours (SGR sequences) become classes of the style sheet, each the nearest of sixteen colours. Other sequences
that begin with ESC are text: a page has no cursor to move, no title to set and no link to open.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup
from rich.ansi import AnsiDecoder
from rich.color import ColorSystem
from rich.style import Style

from gradebox.graders.reports import wording
from gradebox.graders.reports.html_report.markup import marked_lines, styled
from gradebox.graders.runs.saved_evidence import Output, SavedStep

# The most bytes shown of one stream of a failed command, and of one that passed.
STREAM_MAX = 8 * 1024
_PASSED_MAX = 1024
# How many times as long as its bytes markup may be.
_GROWTH = 3
_SLACK = 256
_DIFF_LINE_MAX = 400
_DIFF_CLASSES = {"+": "add", "-": "del", "@": "hunk", "\\": "meta"}
_DIFF_NAMES = (
    "+++ ", "--- ", "diff ", "index ", "new file", "deleted file", "old mode", "new mode", "rename ", "Binary ",
)  # fmt: skip
_SGR = re.compile(r"\x1b\[([0-9;:]{0,64})m")
_FLAGS = {
    "bold": "bold", "dim": "dim", "reverse": "inverse", "italic": "italic", "strike": "struck", "underline": "underline"
}  # fmt: skip


class CharacterBudget:
    """The number of characters that outputs of one verdict may still take."""

    def __init__(self, characters: int) -> None:
        self._left = characters

    def take(self, requested: int) -> int:
        """Take up to `requested` characters, as many as the budget has, and return their number."""
        taken = max(0, min(requested, self._left))
        self._left -= taken
        return taken


class Stream(NamedTuple):
    """One stream of a command as the page shows it; `content` is empty if there is no room."""

    name: str
    size: str
    content: Markup


def shares(steps: Sequence[SavedStep], budget: CharacterBudget) -> list[tuple[int, int]]:
    """Return how many bytes of stdout and stderr to show of each command; failed commands get theirs first."""
    found = [(0, 0)] * len(steps)
    for number, step in sorted(enumerate(steps), key=lambda item: item[1].passed):
        most = _PASSED_MAX if step.passed else STREAM_MAX
        out, err = (budget.take(min(output.total_bytes, most)) for output in (step.stdout, step.stderr))
        found[number] = out, err
    return found


def stream(name: str, output: Output, most: int) -> Stream | None:
    """Return one stream of a command, with at most `most` bytes shown; None if it is empty."""
    if not output.total_bytes:
        return None
    parts, shown = _parts(output, most)
    size = wording.size(output.total_bytes)
    if len(parts) > 1:
        size += f", the first and the last {wording.size(shown)} shown" if shown else ", not shown"
    return Stream(name, size, Markup("").join(parts) if shown else Markup(""))


def _parts(output: Output, most: int) -> tuple[list[Markup], int]:
    """Return the parts of an output to show, and how many bytes they show."""
    kept = output.head + output.tail
    if output.omitted_bytes <= 0 and len(kept) <= most:
        whole = _coloured(kept)
        if len(whole) <= most * _GROWTH + _SLACK:
            return [whole], len(kept)
    half = most // 2
    head, head_bytes = _fitting(kept[:half], half * _GROWTH, lambda data: data[: len(data) // 2])
    tail, tail_bytes = _fitting(kept[len(kept) - half :], half * _GROWTH, lambda data: data[-(len(data) // 2) :])
    shown = head_bytes + tail_bytes
    return [head, _omitted(wording.size(output.total_bytes - shown)), tail], shown


def _fitting(data: bytes, most: int, smaller: Callable[[bytes], bytes]) -> tuple[Markup, int]:
    """Return markup of limited length, and how many bytes it shows."""
    while data and len(found := _coloured(data)) > most + _SLACK:
        data = smaller(data) if len(data) > 1 else b""
    return (found, len(data)) if data else (Markup(""), 0)


def _coloured(data: bytes) -> Markup:
    """Return markup of bytes that may begin or end within a character, or may not be text."""
    begin = next((place for place, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0)
    return styled(runs(getincrementaldecoder("utf-8")("replace").decode(data[begin:])))


def _omitted(what: str) -> Markup:
    return styled([("cut", f"… {what} not shown …")])


def changed_lines(diff: str) -> tuple[int, int]:
    added = removed = 0
    for line in diff.split("\n"):
        added += line.startswith("+") and not line.startswith("+++ ")
        removed += line.startswith("-") and not line.startswith("--- ")
    return added, removed


def diff_lines(diff: str, most: int) -> Markup:
    """Return a unified diff of limited length, with each line coloured by its kind."""
    shown, left = [], most
    every = diff.removesuffix("\n").split("\n")
    for line in every:
        short = line if len(line) <= _DIFF_LINE_MAX else f"{line[:_DIFF_LINE_MAX]} […]"
        left -= len(marked_lines(short)) + 1
        if left < 0:
            break
        shown.append(short)
    # The element of a line includes its line break, so that a colour covers the whole line.
    content = styled((kind, "\n".join([*run, ""])) for kind, run in groupby(shown, _kind))
    return content + _omitted(wording.counted(omitted, "line")) if (omitted := len(every) - len(shown)) else content


def _kind(line: str) -> str:
    return "name" if line.startswith(_DIFF_NAMES) else _DIFF_CLASSES.get(line[:1], "")


def runs(source: str) -> Iterator[tuple[str, str]]:
    """Split the output of a command into runs of one style, and yield the classes and the text of each."""
    source = source.replace("\r\n", "\n")
    style, end = Style.null(), 0
    for match in _SGR.finditer(source):
        if match.start() > end:
            yield _classes(style), source[end : match.start()]
        style, end = _after(style, match[1].replace(":", ";")), match.end()
    if end < len(source):
        yield _classes(style), source[end:]


@lru_cache(1024)
def _after(style: Style, parameters: str) -> Style:
    """Return the style after an SGR sequence; unknown parameters change nothing."""
    decoder = AnsiDecoder()
    decoder.style = style
    decoder.decode_line(f"\x1b[{parameters}m")
    return decoder.style


@lru_cache(1024)
def _classes(style: Style) -> str:
    """Return the classes of the style sheet for a style; empty for plain text."""
    names = [f"a-{name}" for flag, name in _FLAGS.items() if getattr(style, flag)]
    colours = (style.bgcolor, style.color) if style.reverse else (style.color, style.bgcolor)
    for kind, colour in zip(("fg", "bg"), colours, strict=True):
        if colour is not None and not colour.is_default:
            names.append(f"{kind}{colour.downgrade(ColorSystem.STANDARD).number}")
    return " ".join(names)
