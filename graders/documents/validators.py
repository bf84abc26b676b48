"""What validators of pydantic models share: their context, their errors, and how they are attached to a type."""

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
    """What validators need besides the value, and what they notice that is not a failure of the value."""

    environ: Mapping[str, str]  # For `${{ NAME }}`.
    # Keys that a model does not have: the mapping they are in, the key, the model.
    unknown: list[tuple[Any, str, type[BaseModel]]] = field(default_factory=list)
    notes: list[tuple[Any, str, str]] = field(default_factory=list)  # Values worth a warning: the value, message, hint.


def refused(message: str, hint: str = "") -> PydanticCustomError:
    """Make the error of a validator. `message` reads after the field's name: "must be ..."."""
    template: LiteralString = "{message}"
    return PydanticCustomError("refused", template, {"message": message, "hint": hint})


def context(info: ValidationInfo) -> Context:
    assert isinstance(info.context, Context)
    return info.context


def described(value: Any) -> str:
    """Name a value in a message."""
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
    """As pydantic's ``AfterValidator``, for these types, which are in most fields of all models.

    Pydantic inspects a function's signature in every field to see whether it takes the context: that is a fortieth of
    what `grade` computes before it asks an engine.

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
    """As pydantic's ``BeforeValidator``."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Call the function, then validate the type."""
        if self._informed:
            return core_schema.with_info_before_validator_function(self._function, handler(source))
        return core_schema.no_info_before_validator_function(self._function, handler(source))
