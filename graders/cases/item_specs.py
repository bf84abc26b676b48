"""Examples and unit tests: lists of pieces of source -> `Item`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graders.checks import Item
from graders.documents.diagnostics import DocumentPath, shown
from graders.documents.reader import Reader


@dataclass(frozen=True, slots=True)
class ItemDefaults:
    """What a case says about its examples or its unit tests, for checks that do not say it themselves.

    Attributes:
        items: None if the case has none, empty if something is wrong with them.
    """

    path: DocumentPath
    items: tuple[Item, ...] | None = None
    setup: str = ""
    teardown: str = ""


def read_items(reader: Reader, entries: list[Any], path: DocumentPath) -> tuple[Item, ...] | None:
    """Convert a list of items; None if they could not be scored."""
    items: list[Item] = []
    places: dict[str, DocumentPath] = {}
    for index, entry in enumerate(entries):
        at = (*path, index)
        if isinstance(entry, str):
            item = Item(name=f"#{index + 1}", code=entry)
        else:
            name = entry.name or f"#{index + 1}"
            item = Item(name, entry.code, entry.weight, entry.setup, entry.teardown)
        if item.name in places:
            first = reader.document.place(places[item.name])
            message = f"the name `{shown(item.name)}` is taken by the item in line {first.line}"
            reader.error((*at, "name"), message, "Give each item a name of its own, or none.")
        places[item.name] = at
        items.append(item)
    if not items:
        reader.error(path, "there are no items here", "Write one, or remove the key.")
    elif not any(item.weight for item in items):
        reader.error(path, "the weights of all items are 0", "Give one of them a weight.")
    else:
        return tuple(items)
    return None


def known_language(reader: Reader, language: str | None, path: DocumentPath) -> str | None:
    """Return the language of items if the case names one."""
    if language is None:
        reader.error(path, "the `language` of the items is missing", "Write `language: python` in the case.")
    return language
