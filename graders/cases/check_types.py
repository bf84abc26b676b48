"""What the readers of all types of check share: a check as it is written, and how one type is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from graders.checks import CheckSpec
from graders.documents.diagnostics import DocumentPath
from graders.cases.item_specs import ItemDefaults
from graders.documents.reader import Reader


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a check takes from its case.

    Attributes:
        language: Of the items.
        imports: Of the items.
        items: What the case says about items, by type of check.
    """

    language: str | None = None
    imports: tuple[str, ...] = ()
    items: Mapping[str, ItemDefaults] | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """One check as it is written, while it is being read.

    Attributes:
        type: The first name of its type.
        old_name: Whether its type or its command goes by a name of old, which means another protocol.
        common: The arguments that every `CheckSpec` takes.
        read_members: Reads a list of checks inside this one.
    """

    reader: Reader
    path: DocumentPath
    type: str
    old_name: bool
    common: Mapping[str, Any]
    surroundings: Surroundings
    read_members: Callable[[Iterable[Any], DocumentPath], tuple[CheckSpec, ...]]

    def error(self, at: DocumentPath, message: str, hint: str = "") -> None:
        """Report a mistake at a path below the check's."""
        self.reader.error((*self.path, *at), message, hint)

    def warning(self, at: DocumentPath, message: str, hint: str = "") -> None:
        """Report something doubtful at a path below the check's."""
        self.reader.warning((*self.path, *at), message, hint)


@dataclass(frozen=True, slots=True)
class CheckType:
    """How one type of check is loaded.

    Attributes:
        adapter: Reads its fields.
        build: Makes the check of them; None if something is wrong, which is then among the findings.
    """

    adapter: TypeAdapter[Any]
    build: Callable[[Any, Written], CheckSpec | None]
