"""What a command printed, as much of it as there is room for: its head and its tail, with a line between them.

Room is counted in the characters of the page and not in bytes, since a candidate can print what takes thirty times as
many characters when it is made visible.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Callable, Sequence

from graders.reports import wording as amounts
from graders.reports.html_report.ansi import coloured
from graders.reports.html_report.markup import (
    NOTHING,
    Html,
    block,
    element,
    joined,
)
from graders.runs.saved_evidence import Output, SavedStep

# Of one stream of a command that went wrong, and of one that did not.
STREAM_MAX = 8 * 1024
_QUIET_MAX = 1024
# Markup may be so many times as long as the bytes that it shows.
_GROWTH = 3
_SLACK = 256


class Room:
    """How many characters the outputs of one verdict may still take."""

    def __init__(self, characters: int) -> None:
        self._left = characters

    def take(self, wanted: int) -> int:
        """Return how many of `wanted` characters there are, and take them."""
        taken = max(0, min(wanted, self._left))
        self._left -= taken
        return taken


def shares(steps: Sequence[SavedStep], room: Room) -> list[tuple[int, int]]:
    """Return how many bytes of stdout and stderr of each command are shown; those that went wrong choose first."""
    found = [(0, 0)] * len(steps)
    for number, step in sorted(enumerate(steps), key=lambda item: item[1].passed):
        most = _QUIET_MAX if step.passed else STREAM_MAX
        found[number] = (
            room.take(min(step.stdout.total_bytes, most)),
            room.take(min(step.stderr.total_bytes, most)),
        )
    return found


def stream(name: str, output: Output, most: int) -> Html:
    """Return one stream of a command; nothing where it wrote nothing.

    Args:
        name: Of the stream.
        output: What was kept of it.
        most: How many bytes are shown.
    """
    if not output.total_bytes:
        return NOTHING
    parts, shown = _parts(output, most)
    size = amounts.size(output.total_bytes)
    if len(parts) > 1:
        size += f", the first and the last {amounts.size(shown)} of it" if shown else ", none of it"
    return joined(
        element("p", name, " ", element("small", size), class_="stream"),
        block("out", name, *parts) if shown else NOTHING,
    )


def _parts(output: Output, most: int) -> tuple[list[Html], int]:
    """Return what is shown of an output, and how many bytes of it that are."""
    kept = output.head + output.tail
    if output.omitted_bytes <= 0 and len(kept) <= most:
        whole = coloured(_decoded(kept))
        if len(whole) <= most * _GROWTH + _SLACK:
            return [whole], len(kept)
    half = most // 2
    head, of_head = _fitting(kept[:half], half * _GROWTH, lambda data: data[: len(data) // 2])
    tail, of_tail = _fitting(kept[len(kept) - half :], half * _GROWTH, lambda data: data[-(len(data) // 2) :])
    shown = of_head + of_tail
    cut = element("span", f"… {amounts.size(output.total_bytes - shown)} not shown …", class_="cut")
    return [head, cut, tail], shown


def _fitting(data: bytes, most: int, smaller: Callable[[bytes], bytes]) -> tuple[Html, int]:
    """Return markup of at most so many characters, and of how many bytes it is."""
    while data and len(found := coloured(_decoded(data))) > most + _SLACK:
        data = smaller(data) if len(data) > 1 else b""
    return (found, len(data)) if data else (NOTHING, 0)


def _decoded(data: bytes) -> str:
    """Decode what may be cut in the middle of a character, or be no text at all."""
    begin = next((place for place, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0)
    return getincrementaldecoder("utf-8")("replace").decode(data[begin:])
