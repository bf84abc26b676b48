"""Text as markup: the only module that makes markup from strings, so that nothing a candidate wrote can become any.

Templates escape every value by themselves (`shown`). Text with markup of its own, such as coloured output, is made
here. Pure.
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
    """Return a value as a template shows it, before it is escaped: None is empty, and controls are made visible."""
    if isinstance(value, str):
        return value if isinstance(value, Markup) or value.isprintable() else visible(value)
    return "" if value is None else value


def lines(value: str) -> Markup:
    """Return text as markup where white space is kept: line ends and tabs stay, other controls are made visible."""
    shown_lines = "".join(piece if plain else visible(piece) for plain, piece in _pieces(value))
    return Markup(escape(shown_lines))  # noqa: S704 - it is escaped


def styled(runs: Iterable[tuple[str, str]]) -> Markup:
    """Return such text with a class for each run of it; an empty class is none.

    What stands for a control character is marked, so that it differs from the same written out.
    """
    pieces = (f'<span class="{name}">{_marked(text)}</span>' if name else _marked(text) for name, text in runs)
    return Markup("".join(pieces))  # noqa: S704 - texts are escaped, and classes are of our style sheet


def marked_lines(value: str) -> Markup:
    """Return the same without classes."""
    return styled([("", value)])


def _marked(value: str) -> str:
    pieces = _pieces(value)
    return "".join(
        escape(piece) if plain else f'<span class="ctl">{escape(visible(piece))}</span>' for plain, piece in pieces
    )


def _pieces(value: str) -> Iterator[tuple[bool, str]]:
    """Yield parts of text, and whether they are shown as they are. A thousand NULs in a row are one part."""
    if value.replace("\n", "").replace("\t", "").isprintable():
        yield True, value
    else:
        for plain, run in groupby(value, lambda character: character.isprintable() or character in "\n\t"):
            yield plain, "".join(run)
