"""Entries that include the cases of other files in a list of cases: ``{include: GLOB, type: suite, select: [ID]}``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, Tag, TypeAdapter

from gradebox.graders.documents.entries import Entry, WrittenAs, by_shape, optional
from gradebox.graders.documents.fields import Name, Texts


class SelectEntry(Entry):
    """Selects the cases to include."""

    test_ids: Texts = Field(description="Ids of the cases, or globs of ids.")


def _ids(written: Any) -> tuple[str, ...]:
    return tuple(written.test_ids if isinstance(written, SelectEntry) else written)


class IncludeEntry(Entry):
    """Cases of other files in a list of cases."""

    include: Name = Field(description="A file, a directory or a glob.")
    type: Literal["tests", "suite"] = optional(
        "`tests`: the cases get what this suite shares. `suite`: they keep what their own suite shares.",
        default="tests",
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
    ] = optional("Ids of the cases to include, or globs of ids. Default: all.", default=())


INCLUDE: TypeAdapter[IncludeEntry] = TypeAdapter(IncludeEntry)
