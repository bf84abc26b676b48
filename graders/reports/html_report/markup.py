"""Turns text into markup. Only this module makes markup from strings, so that no text of a candidate becomes markup.

Templates escape every value by themselves (`shown`). Text with its own markup, such as coloured output, is made here.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby

from markupsafe import Markup

from gradebox.graders.reports.escaping import visible


def trusted(source: str) -> Markup:
    """Return our own style sheet or script as markup. Never call it with anything from a run."""
    return Markup(source)  # noqa: S704 - it is ours


def shown(value: object) -> object:
    """Return a value as a template shows it, before escaping: None becomes empty, and control characters visible."""
    if isinstance(value, str):
        return value if isinstance(value, Markup) or value.isprintable() else visible(value)
    return "" if value is None else value


def lines(value: str) -> Markup:
    """Return preformatted text as markup: line breaks and tabs stay, other control characters become visible."""
    shown_lines = "".join(piece if plain else visible(piece) for plain, piece in _pieces(value))
    return Markup(escape(shown_lines))  # noqa: S704 - it is escaped


def styled(runs: Iterable[tuple[str, str]]) -> Markup:
    """Return preformatted text as markup, with a class for each run of text; an empty class means none.

    The escape of a control character is marked, so that it differs from the same characters in the text.
    """
    pieces = (f'<span class="{name}">{_marked(text)}</span>' if name else _marked(text) for name, text in runs)
    return Markup("".join(pieces))  # noqa: S704 - texts are escaped, and classes are of our style sheet


def marked_lines(value: str) -> Markup:
    """Return preformatted text as markup without classes, like `styled`."""
    return styled([("", value)])


def _marked(value: str) -> str:
    pieces = _pieces(value)
    return "".join(
        escape(piece) if plain else f'<span class="ctl">{escape(visible(piece))}</span>' for plain, piece in pieces
    )


def _pieces(value: str) -> Iterator[tuple[bool, str]]:
    """Yield parts of text, each after whether it is shown unchanged. A thousand consecutive NULs are one part."""
    if value.replace("\n", "").replace("\t", "").isprintable():
        yield True, value
    else:
        for plain, run in groupby(value, lambda character: character.isprintable() or character in "\n\t"):
            yield plain, "".join(run)
