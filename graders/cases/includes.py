"""Entries that include the cases of other files in a list of cases: ``{include: GLOB, type: suite, select: [ID]}``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, Tag, TypeAdapter

from gradebox.graders.documents.entries import Entry, WrittenAs, by_shape, optional
from gradebox.graders.documents.fields import Name, Texts


class SelectEntry(Entry):
    """Which cases are included."""

    test_ids: Texts = Field(description="Their ids, or globs of them.")


def _ids(written: Any) -> tuple[str, ...]:
    return tuple(written.test_ids if isinstance(written, SelectEntry) else written)


class IncludeEntry(Entry):
    """Cases of other files in a list of cases."""

    include: Name = Field(description="A file, a directory or a glob.")
    type: Literal["tests", "suite"] = optional(
        "Whether cases get what this suite shares, or keep what their own suite shares.", default="tests"
    )
    select: Annotated[
        tuple[str, ...],
        WrittenAs(
            Annotated[
                Annotated[Texts, Tag("|text")]
                | Annotated[Texts, Tag("|list")]
                | Annotated[SelectEntry, Tag("|mapping")],
                by_shape("must be ids, or a mapping with `test_ids`", "text", "list", "mapping"),
            ],
            _ids,
        ),
    ] = optional("Ids of the cases that are wanted, or globs; all without it.", default=())


INCLUDE: TypeAdapter[IncludeEntry] = TypeAdapter(IncludeEntry)
