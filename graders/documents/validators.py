"""Shared parts of validators of pydantic models: their context, their errors, and how they are attached to a type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, LiteralString

from pydantic import BaseModel, GetCoreSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from gradebox.graders.documents.diagnostics import shown
from gradebox.graders.documents.scalars import Trap, TrapKind, number_text
from gradebox.sandbox.records import dataclass


@dataclass(slots=True)
class Context:
    """Data that validators need besides the value, and observations that do not make the value invalid."""

    environ: Mapping[str, str]  # The variables for `${{ NAME }}`.
    # Keys that a model does not have: the mapping with the key, the key, the model.
    unknown: list[tuple[Any, str, type[BaseModel]]] = field(default_factory=list)
    notes: list[tuple[Any, str, str]] = field(default_factory=list)  # Values worth a warning: the value, message, hint.


def refused(message: str, hint: str = "") -> PydanticCustomError:
    """Return the error of a validator. `message` follows the field's name: "must be ..."."""
    template: LiteralString = "{message}"
    return PydanticCustomError("refused", template, {"message": message, "hint": hint})


def context(info: ValidationInfo) -> Context:
    assert isinstance(info.context, Context)
    return info.context


def described(value: Any) -> str:
    """Return a description of a value for a message."""
    match value:
        case Trap(kind=TrapKind.EMPTY):
            return "empty"
        case Trap(text=text):
            return f"`{shown(text)}`"
        case bool():
            return f"`{str(value).lower()}`"
        case int() | float():
            return f"the number {number_text(value)}"
        case str():
            return f"the text `{shown(value)}`" if value else "empty text"
        case list():
            return "a list"
        case dict():
            return "a mapping"
        case _:
            return "empty"


class After:
    """A faster ``AfterValidator`` of pydantic, for types that most fields use.

    Pydantic inspects the signature of a validator in every field to see whether it takes the context. That takes a
    fortieth of the time that `grade` computes before it calls an engine.

    The function takes the value, and the `ValidationInfo` if `informed`.
    """

    def __init__(self, function: Callable[..., Any], *, informed: bool = False) -> None:
        self._function = function
        self._informed = informed

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate the type, then call the function."""
        if self._informed:
            return core_schema.with_info_after_validator_function(self._function, handler(source))
        return core_schema.no_info_after_validator_function(self._function, handler(source))


class Before(After):
    """A faster ``BeforeValidator`` of pydantic."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Call the function, then validate the type."""
        if self._informed:
            return core_schema.with_info_before_validator_function(self._function, handler(source))
        return core_schema.no_info_before_validator_function(self._function, handler(source))
