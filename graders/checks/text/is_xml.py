"""`is-xml`, `contains-xml`: the text is, or contains, one well-formed XML element with certain elements in it.

Document types are refused, so there are no entities to expand and nothing to fetch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Annotated
from xml.parsers import expat

from pydantic import Field, Tag

from gradebox.graders.checks.text.text_check import Part, TextCheck, listed
from gradebox.graders.documents.entries import Entry, WrittenAs, also, by_shape, optional
from gradebox.graders.documents.fields import Name, Several

_OPENING = re.compile(r"<([A-Za-z_][\w.:-]{0,200})")
MOST_TRIES = 50
MOST_CHARACTERS = 16 * 1024 * 1024
"""For all tries together, which may overlap."""


class RequiredElements(Entry):
    """The elements that must exist."""

    required_elements: Several[Name] = Field(
        validation_alias=also("requiredElements"), description="Paths with dots, from the outermost element inwards."
    )


_Written = Annotated[
    Annotated[Part, Tag("|text")]
    | Annotated[Several[Name], Tag("|list")]
    | Annotated[RequiredElements, Tag("|mapping")],
    by_shape("must be paths of elements", "text", "list", "mapping"),
]


def _paths(written: str | tuple[str, ...] | RequiredElements) -> tuple[str, ...]:
    if isinstance(written, str):
        return tuple(part.strip() for part in written.split(",") if part.strip())
    return written.required_elements if isinstance(written, RequiredElements) else written


class IsXml(TextCheck):
    """The text is one well-formed XML element."""

    type = "is-xml"

    value: Annotated[tuple[str, ...], WrittenAs(_Written, _paths)] = optional(
        "Elements that must exist, as paths such as `book.title`.", default=()
    )

    def unmet(self, text: str) -> str:
        try:
            present = elements(text.strip(), self.value)
        except ValueError as problem:
            return str(problem)
        missing = [path for path in self.value if path not in present]
        return f"it has no element {listed(missing)}" if missing else ""


class ContainsXml(IsXml):
    """The text contains a well-formed XML element."""

    type = "contains-xml"

    def unmet(self, text: str) -> str:
        wrong = "it holds no XML element"
        tried = 0
        for opening in islice(_OPENING.finditer(text), MOST_TRIES):
            closing = text.rfind(f"</{opening[1]}>")
            end = closing + len(opening[1]) + 3 if closing > opening.start() else text.find("/>", opening.end()) + 2
            tried += max(0, end - opening.start())
            if tried > MOST_CHARACTERS:
                break
            if end > opening.start():
                wrong = super().unmet(text[opening.start() : end])
            if not wrong:
                break
        return wrong


def elements(text: str, wanted: Iterable[str]) -> frozenset[str]:
    """Return those paths of elements in an XML document that are wanted. Raises ValueError if the text is not one."""
    # No other path is made: those of a text with long names could take all memory.
    known = {path[:end] for path in wanted for end in (*(i for i, c in enumerate(path) if c == "."), len(path))}
    paths: set[str] = set()
    opened: list[str | None] = []

    def start(name: str, _attributes: object) -> None:
        above = opened[-1] if opened else ""
        path = None if above is None else f"{above}.{name}" if opened else name
        opened.append(path if path in known else None)
        if path in known:
            paths.add(path)

    # The text is decoded already. The encoding that it declares would choose a codec.
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: opened.pop()
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise ValueError(f"it is not XML: {error}") from None
    return frozenset(paths)


def _refuse_doctype(*_: object) -> None:
    raise ValueError("it has a document type, which is not read")
