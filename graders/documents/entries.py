"""`Entry`: what every pydantic model of a case file has in common.

It reads every spelling of a field under its first name, takes an explicit ``null`` for a field that is not there, and
reports unknown keys without giving up on the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, LiteralString, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, Discriminator, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from graders.documents import aliases
from graders.documents.fields import context
from graders.documents.scalars import Trap


class Entry(BaseModel):
    """A mapping with known keys.

    Attributes:
        kind: Its name in the table of aliases; empty when no field of it has another name.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)
    kind: ClassVar[str] = ""

    @model_validator(mode="before")
    @classmethod
    def _first_names(cls, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, dict):
            return value
        for key in [key for key, child in value.items() if child is None]:
            del value[key]
        for spelling in _spellings(cls.kind):
            _rename(value, spelling)
        for key in [key for key in value if key not in cls.model_fields]:
            context(info).unknown.append((value, key, cls))
            del value[key]
        return value

    @classmethod
    def known_keys(cls) -> tuple[str, ...]:
        """Return every key that may be written, under all its names."""
        names = aliases.FIELDS.get(cls.kind, {})
        others = [other for first in names for other in names[first] if "." not in other]
        return (*cls.model_fields, *others)


@cache
def homes(model: type[BaseModel]) -> Mapping[str, str]:
    """Return the keys that only a mapping inside a model's has, with the field that holds this mapping."""
    found: dict[str, list[str]] = {}
    for name, about in model.model_fields.items():
        for inner in get_args(about.annotation) or (about.annotation,):
            if isinstance(inner, type) and issubclass(inner, Entry):
                for key in inner.model_fields:
                    found.setdefault(key, []).append(name)
    return {key: names[0] for key, names in found.items() if len(names) == 1}


class _Spelling(NamedTuple):
    first: tuple[str, ...]
    others: tuple[tuple[str, ...], ...]


@cache
def _spellings(kind: str) -> tuple[_Spelling, ...]:
    names = aliases.FIELDS.get(kind, {})
    return tuple(
        _Spelling(tuple(first.split(".")), tuple(tuple(other.split(".")) for other in others))
        for first, others in names.items()
    )


def _rename(mapping: dict[str, Any], spelling: _Spelling) -> None:
    """Move a field to its first name, in place: the identity of nested mappings is what their diagnostics go by."""
    if all(names[0] not in mapping for names in spelling.others):
        return
    written = [names for names in (spelling.first, *spelling.others) if _holder(mapping, names) is not None]
    if len(written) > 1:
        template: LiteralString = "{first} {second}"
        first, second = (".".join(names) for names in written[:2])
        raise PydanticCustomError("two_spellings", template, {"first": first, "second": second})
    if not written or written[0] == spelling.first:
        return
    holder = _holder(mapping, written[0])
    assert holder is not None
    value = holder.pop(written[0][-1])
    target = mapping
    for name in spelling.first[:-1]:
        target = target.setdefault(name, {})
        if not isinstance(target, dict):
            return
    target[spelling.first[-1]] = value


def _holder(mapping: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any] | None:
    """Return the mapping that holds the last of the names, None if it is not there."""
    for name in names[:-1]:
        inner = mapping.get(name)
        if not isinstance(inner, dict):
            return None
        mapping = inner
    return mapping if mapping.get(names[-1]) is not None else None


def by_shape(message: str, *shapes: str) -> Discriminator:
    """Choose an alternative of a union by the shape of the value: ``|text``, ``|list``, ``|mapping``.

    Args:
        message: What is said of any other shape; it reads after the field's name.
        shapes: The alternatives there are, without ``|``.
    """

    def shape(value: Any) -> str | None:
        match value:
            # A number or a truth value is text that wants quotes.
            case str() | Trap() | bool() | int() | float():
                found = "text"
            case list():
                found = "list"
            case dict() | BaseModel():
                found = "mapping"
            case _:
                return None
        return f"|{found}" if found in shapes else None

    # pydantic formats the message as a template; ours have no fields.
    template: Any = message
    return Discriminator(shape, custom_error_type="shape", custom_error_message=template)


def by_type(message: str, *types: str) -> Discriminator:
    """Choose an alternative of a union by the value of its key `type`.

    Args:
        message: What is said where it is missing or another.
        types: The values there are; the tags are these with ``|`` before them.
    """

    def choose(value: Any) -> str | None:
        found = value.get("type") if isinstance(value, dict) else None
        return f"|{found}" if isinstance(found, str) and found in types else None

    template: Any = message
    return Discriminator(choose, custom_error_type="choice", custom_error_message=template)
