"""Colours of a terminal: SGR sequences become classes of the style sheet.

Source: ECMA-48 5th edition, 8.3.117 (SGR), and xterm's 256 colours and its bright ones (90 to 107). Colours of 24 bits
become the nearest of the sixteen, since each needs a class. Anything else that begins with ESC is text: a
page has no cursor to move, no title to set and no link to open. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_SGR = re.compile(r"\x1b\[([0-9;:]{0,64})m")
_BASIC = (
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
    (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255),
    (255, 255, 255),
)  # fmt: skip
_CUBE = (0, 95, 135, 175, 215, 255)
_FLAGS = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "inverse", 9: "struck"}
_ENDS = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("inverse",), 29: ("struck",)}


class Look(NamedTuple):
    """How text looks: numbers of the sixteen colours, None for the default, and flags such as bold or underline."""

    colour: int | None = None
    ground: int | None = None
    flags: frozenset[str] = frozenset()


PLAIN = Look()


@lru_cache(1024)
def classes(look: Look) -> str:
    """Return the classes of the style sheet that look like this; empty for plain text."""
    colour, ground = look.colour, look.ground
    names = [f"a-{flag}" for flag in sorted(look.flags)]
    if "inverse" in look.flags:
        colour, ground = ground, colour
    if colour is not None:
        names.append(f"fg{colour}")
    if ground is not None:
        names.append(f"bg{ground}")
    return " ".join(names)


def runs(source: str) -> Iterator[tuple[str, str]]:
    """Yield the output of a command in runs: the classes of each, and its text."""
    source = source.replace("\r\n", "\n")
    look, end = PLAIN, 0
    for match in _SGR.finditer(source):
        if match.start() > end:
            yield classes(look), source[end : match.start()]
        look, end = looking(look, match[1]), match.end()
    if end < len(source):
        yield classes(look), source[end:]


@lru_cache(1024)
def looking(look: Look, parameters: str) -> Look:
    """Return how text looks after an SGR sequence; unknown parameters change nothing."""
    codes = [int(code) if code else 0 for code in re.split("[;:]", parameters)]
    while codes:
        code = codes.pop(0)
        if code in (38, 48):
            number = _extended(codes)
            if number is not None:
                look = look._replace(colour=number) if code == 38 else look._replace(ground=number)
        else:
            look = _after(look, code)
    return look


def _after(look: Look, code: int) -> Look:
    if code == 0:
        return PLAIN
    if code in _FLAGS:
        return look._replace(flags=look.flags | {_FLAGS[code]})
    if code in _ENDS:
        return look._replace(flags=look.flags.difference(_ENDS[code]))
    if code == 39:
        return look._replace(colour=None)
    if code == 49:
        return look._replace(ground=None)
    for first, is_ground, bright in ((30, False, 0), (40, True, 0), (90, False, 8), (100, True, 8)):
        if first <= code < first + 8:
            number = code - first + bright
            return look._replace(ground=number) if is_ground else look._replace(colour=number)
    return look


def _extended(codes: list[int]) -> int | None:
    """Take the rest of `38` or `48` from the codes and return the nearest of the sixteen colours."""
    kind = codes.pop(0) if codes else None
    if kind == 5 and codes:
        number = codes.pop(0)
        return number if number < 16 else _nearest(_of_256(number)) if number < 256 else None
    if kind == 2 and len(codes) >= 3:
        red, green, blue = (min(codes.pop(0), 255) for _ in range(3))
        return _nearest((red, green, blue))
    # An incomplete colour has no meaning.
    codes.clear()
    return None


def _of_256(number: int) -> tuple[int, int, int]:
    if number >= 232:
        grey = 8 + 10 * (number - 232)
        return grey, grey, grey
    number -= 16
    return _CUBE[number // 36], _CUBE[number // 6 % 6], _CUBE[number % 6]


def _nearest(colour: tuple[int, int, int]) -> int:
    return min(range(16), key=lambda number: sum((a - b) ** 2 for a, b in zip(_BASIC[number], colour, strict=True)))
