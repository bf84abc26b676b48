"""`is-xml`, `contains-xml`: the text is, or contains, one well-formed XML element with certain elements in it.

Document types are refused, so there are no entities to expand and nothing to fetch.
"""

from __future__ import annotations

import re
from typing import Annotated
from xml.parsers import expat

from pydantic import Field, Tag

from gradebox.graders.checks.text.text_check import Part, TextCheck, listed
from gradebox.graders.documents.entries import Entry, WrittenAs, also, by_shape, optional
from gradebox.graders.documents.fields import Name, Several

_OPENING = re.compile(r"<([A-Za-z_][\w.:-]{0,200})")
MOST_TRIES = 50


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
            present = elements(text.strip())
        except ValueError as problem:
            return str(problem)
        missing = [path for path in self.value if path not in present]
        return f"it has no element {listed(missing)}" if missing else ""


class ContainsXml(IsXml):
    """The text contains a well-formed XML element."""

    type = "contains-xml"

    def unmet(self, text: str) -> str:
        wrong = "it holds no XML element"
        for number, opening in enumerate(_OPENING.finditer(text)):
            closing = text.rfind(f"</{opening[1]}>")
            end = closing + len(opening[1]) + 3 if closing > opening.start() else text.find("/>", opening.end()) + 2
            if number < MOST_TRIES and end > opening.start():
                wrong = super().unmet(text[opening.start() : end])
            if not wrong:
                break
        return wrong


def elements(text: str) -> frozenset[str]:
    """Return the paths of all elements of an XML document. Raises ValueError if the text is not one."""
    paths: set[str] = set()
    opened: list[str] = []

    def start(name: str, _attributes: object) -> None:
        opened.append(name)
        if len(opened) <= 100:
            paths.add(".".join(opened))

    parser = expat.ParserCreate()
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
