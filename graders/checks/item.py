"""`Item`: one piece of source of an example or a unit test, and lists of them in a document.

An item may be no program as it stands, because YAML has cut off a text that should have been quoted. A candidate cannot
pass it, and it would look like the candidate's failure. That is a warning: a setup may begin what an item ends, and
another version of a language may read what this one does not.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

from pydantic import Field, Tag

from graders.documents.diagnostics import DocumentPath, shown
from graders.documents.entries import Entry, WrittenAs, by_shape
from graders.documents.fields import Name, Several, Source, SourceItem, Weight
from graders.documents.reader import Reader
from sandbox.dataclass import dataclass

_COMMAS = "If YAML cut it short, at a comma between brackets or at ` #`, quote the text."
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")


class Item(Entry):
    """One example or unit test."""

    # `#1`, `#2` ... where the author gives none.
    name: Name = Field(default_factory=str, description="Shown in reports; its number where it is not given.")
    code: SourceItem = Field(description="Source in the case's language; for bash, a command line.")
    weight: Weight = Field(default=1.0, description="Its share of the check.")
    setup: Source = Field(default="", description="Runs before it, in the same program.")
    teardown: Source = Field(default="", description="Runs after it, in the same program.")


_OneItem = Annotated[
    Annotated[SourceItem, Tag("|text")] | Annotated[Item, Tag("|mapping")],
    by_shape("must be source text or a mapping with `code`", "text", "mapping"),
]


def _each(written: tuple[str | Item, ...]) -> tuple[Item, ...]:
    # The text is validated; ten thousand cases have many items.
    return tuple(Item.model_construct(code=one) if isinstance(one, str) else one for one in written)


ItemList = Annotated[tuple[Item, ...], WrittenAs(Several[_OneItem], _each)]


@dataclass(frozen=True, slots=True)
class ItemDefaults:
    """What a case says about its examples or its unit tests, for checks that leave it out.

    Attributes:
        items: None if the case has none, empty if something is wrong with them.
    """

    path: DocumentPath
    items: tuple[Item, ...] | None = None
    setup: str = ""
    teardown: str = ""


def named_items(items: tuple[Item, ...], reader: Reader, path: DocumentPath) -> tuple[Item, ...] | None:
    """Return the items of a document with names; None if they could not be scored."""
    named: list[Item] = []
    places: dict[str, DocumentPath] = {}
    for index, item in enumerate(items):
        at = (*path, index)
        name = item.name or f"#{index + 1}"
        if name in places:
            first = reader.document.place(places[name])
            message = f"the name `{shown(name)}` is taken by the item in line {first.line}"
            reader.error((*at, "name"), message, "Give each item a name of its own, or none.")
        places[name] = at
        named.append(item.but(name=name))
    if not named:
        reader.error(path, "there are no items here", "Write one, or remove the key.")
    elif not any(item.weight for item in named):
        reader.error(path, "the weights of all items are 0", "Give one of them a weight.")
    else:
        return tuple(named)
    return None


def known_language(reader: Reader, language: str | None, path: DocumentPath) -> str | None:
    """Return the language of items if the case names one."""
    if not language:
        reader.error(path, "the `language` of the items is missing", "Write `language: python` in the case.")
        return None
    return language


def check_sources(reader: Reader, items: Sequence[Item], language: str, path: DocumentPath) -> None:
    """Warn of items that were probably cut.

    Args:
        reader: Gets the warnings.
        items: In the order in which they are written.
        language: Of the items.
        path: Of the list.
    """
    if language == "python":
        for index, item in enumerate(items):
            wrong = _no_python(item.code)
            if wrong:
                reader.warning((*path, index), f"the item is not Python: {wrong}", _COMMAS)
        return
    for index, (one, other) in enumerate(pairwise(items)):
        if _open(one.code) > 0 and _open(other.code) < 0:
            message = "a bracket of this item is closed in the next one, as if they were one text"
            reader.warning((*path, index), message, _COMMAS)


def _no_python(code: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return (error.msg if isinstance(error, SyntaxError) else str(error)) or type(error).__name__
    return ""


def _open(code: str) -> int:
    """Return how many more brackets are opened than closed outside of quotes."""
    bare = _QUOTED.sub("", code)
    return sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))
