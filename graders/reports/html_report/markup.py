"""Builds HTML from elements; there is no other way to get any, so that nothing a candidate wrote can become markup.

A plain `str` is text: it is escaped, and characters that act on a reader (control, formatting, unassigned) are shown as
escapes. Only `Html` passes as it is, and only this module makes it from strings. Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from itertools import groupby

from graders.reports.escaping import visible

# Elements without content (HTML Living Standard, section 13.1.2).
_VOID = frozenset({"br", "col", "hr", "input", "link", "meta", "wbr"})
_NAME = re.compile(r"[a-z][a-z0-9-]*", re.IGNORECASE)


class Html(str):
    """Markup that may stand in a page as it is."""

    __slots__ = ()


Child = Html | str | int | None

NOTHING = Html()

# A block of so many lines fits into its height however narrow the page is.
_STILL_LINES = 10


def trusted(source: str) -> Html:
    """Return our own style sheet or script as markup. Never call it with what a run holds."""
    return Html(source)


def text(value: str) -> Html:
    """Return text as markup; every control or formatting character is made visible, the ends of lines too."""
    if value.isalnum():
        return Html(value)
    return Html(escape(value if value.isprintable() else visible(value)))


def lines(value: str, *, mark: bool = False) -> Html:
    """Return text as markup for where white space is kept: its lines and tabs stay what they are.

    Args:
        value: The text.
        mark: Whether what had to be made visible is marked, so that it can be told from the same written out.
    """
    if value.replace("\n", "").replace("\t", "").isprintable():
        return Html(escape(value))
    pieces = []
    # A thousand NULs in a row are one piece.
    for plain, run in groupby(value, _stays):
        piece = "".join(run)
        pieces.append(escape(piece) if plain else span("ctl", piece) if mark else text(piece))
    return Html("".join(pieces))


def _stays(character: str) -> bool:
    return character.isprintable() or character in "\n\t"


def joined(*children: Child) -> Html:
    """Return markup one after another."""
    return Html("".join(map(_markup, children)))


def element(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Html:
    """Return an element.

    Args:
        name: Of the element.
        *children: Markup, or text, which is escaped. None is left out.
        **attributes: Underscores in names become hyphens, and one at the end is dropped (`class_`, `for_`). True is an
            attribute without a value; None and False are left out.
    """
    opening = name
    for key, value in attributes.items():
        if value is True:
            opening += f" {_named(key)}"
        elif value is not None and value is not False:
            written = f"{value:g}" if isinstance(value, float) else str(value)
            opening += f' {_named(key)}="{text(written)}"'
    if name in _VOID:
        return Html(f"<{opening}>")
    return Html(f"<{opening}>{''.join(map(_markup, children))}</{name}>")


def span(class_: str, content: Child) -> Html:
    """Return what is by far the most frequent element; the class is one of ours."""
    return Html(f'<span class="{text(class_)}">{_markup(content)}</span>')


def scrolling(label: str, table: Html) -> Html:
    """Return a table that may be wider than the page; where it is, the keyboard reaches all of it."""
    return element("div", table, class_="scroll", tabindex=0, role="group", aria_label=label)


def block(class_: str, label: str, *parts: Html) -> Html:
    """Return preformatted text; where it may be long enough to scroll, it can be reached with the keyboard.

    Args:
        class_: Of the block.
        label: What it is called.
        *parts: Its content.
    """
    content = joined(*parts)
    if content.count("\n") + len(content) / 80 < _STILL_LINES:
        return element("pre", element("code", content), class_=class_)
    return element("pre", element("code", content), class_=class_, tabindex=0, role="group", aria_label=label)


def _markup(child: Child) -> str:
    if isinstance(child, Html):
        return child
    return "" if child is None else text(str(child))


@lru_cache
def _named(key: str) -> str:
    name = key.rstrip("_").replace("_", "-")
    # Neither is allowed by the page's policy: a browser would drop it without a word.
    assert _NAME.fullmatch(name), key
    assert name != "style", key
    assert not name.startswith("on"), key
    return name
