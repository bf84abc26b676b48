"""The types of fields in case files: the accepted values, and messages for all others.

Each is an ``Annotated`` type for pydantic models. Validators take plain data from the readers, with `Trap` for scalars
that only look like text, and fail with `refused`, whose message appears in a diagnostic unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any, LiteralString, TypeVar

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, PydanticCustomError, PydanticKnownError, core_schema

from gradebox.graders.documents.diagnostics import shown
from gradebox.graders.documents.interpolation import interpolate, references
from gradebox.graders.documents.scalars import Trap, TrapKind, WrittenFloat, number_text, plain_scalar
from gradebox.graders.documents.validators import After, Before, context, refused

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?)\s*(?:([kmgt])(?:i?b)?|b)?\Z", re.IGNORECASE)
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(ms|s|sec|m|min|h)?\Z")
_SIZE_STEPS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}
_DURATION_STEPS = {"": 1.0, "ms": 0.001, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_LONGEST_ID = 128
# More than any machine has. Larger numbers would fail late: in the engine, the supervisor's protocol or a float.
MOST_BYTES = 1024**5
MOST_PROCESSORS = 4096
MOST_PIDS = 4 * 1024**2


# Text


def _interpolated(text: str, info: ValidationInfo) -> str:
    if "${{" not in text or info.context is None:
        return text
    result = interpolate(text, context(info).environ)
    if result.unset:
        template: LiteralString = "{name}"
        raise PydanticCustomError("unset", template, {"name": result.unset[0]})
    return result.text


def _not_for_a_shell(text: str) -> str:
    names = references(text)
    if names:
        hint = f'Put it into `env:` and write "${names[0]}", or write the command as a list of words.'
        raise refused("is a line for a shell, where no variable is filled in", hint)
    return text


def not_blank(text: str) -> str:
    if not text.strip():
        raise refused("must not be empty")
    return text


def _no_nul(text: str) -> str:
    if "\0" in text:
        raise refused("must not hold a NUL character")
    return text


def _number_as_text(value: Any) -> Any:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number_text(value)
    return value


def _id(text: str) -> str:
    if len(text) > _LONGEST_ID:
        raise refused(f"is longer than {_LONGEST_ID} characters", "Write a shorter one.")
    if not _ID.match(text):
        hint = "Use letters, digits, `.`, `_` and `-`, and begin with a letter or a digit."
        raise refused(f"cannot be `{shown(text)}`", hint)
    return text


def _image(text: str) -> str:
    if text.startswith("-") or any(char.isspace() for char in text):
        raise refused(f"must be a Docker image's reference, not `{shown(text)}`", "Write it like `python:3.12-slim`.")
    return text


def _inside(text: str) -> str:
    parts = text.split("/")
    if text.startswith("/") or ".." in parts or "\\" in text or "\0" in text:
        hint = "Write a path relative to the workspace, without `..`."
        raise refused(f"must lie in the workspace, not at `{shown(text)}`", hint)
    return "" if text in (".", "./") else text


def _file(text: str) -> str:
    path = text.removeprefix("./")
    if not path or path.endswith("/"):
        raise refused("must name a file", "Write a path relative to the workspace.")
    return path


Text = Annotated[str, After(_interpolated, informed=True)]
Name = Annotated[Text, After(not_blank)]
WrittenText = Annotated[Text, Before(_number_as_text)]
Id = Annotated[WrittenText, After(_id)]
Image = Annotated[Name, After(_image)]
Source = Annotated[str, After(_no_nul)]
SourceItem = Annotated[Source, After(not_blank)]
ShellText = Annotated[str, After(_not_for_a_shell), After(not_blank), After(_no_nul)]
Word = Annotated[Text, After(_no_nul)]
WorkspacePath = Annotated[Name, After(_inside)]
WorkspaceFile = Annotated[WorkspacePath, After(_file)]


# Numbers and truth values


def _scalar_of(value: Any, info: ValidationInfo) -> Any:
    """Return the scalar that a value stands for in a field for a number or a boolean."""
    if isinstance(value, str) and references(value):
        return plain_scalar(_interpolated(value, info))
    if isinstance(value, WrittenFloat):
        return float(value)
    return value


def truth(value: Any, info: ValidationInfo) -> Any:
    """Return the boolean that words such as `yes` and `off` stand for, and any other value unchanged."""
    scalar = _scalar_of(value, info)
    return scalar.truth if isinstance(scalar, Trap) and scalar.truth is not None else scalar


def size_of(text: str) -> int | None:
    """Return the number of bytes in a size such as `512m`, `1.5g` or `1GiB`, None if it is not a size."""
    match = _SIZE.match(text.strip())
    return int(float(match[1]) * _SIZE_STEPS[(match[2] or "").lower()]) if match else None


def _size(value: Any, info: ValidationInfo) -> Any:
    scalar = _scalar_of(value, info)
    if not isinstance(scalar, str):
        return scalar
    found = size_of(scalar)
    if found is None:
        raise refused(f"must be a size, not `{shown(scalar)}`", "Write it like `512m`, `1.5g` or `1GiB`.")
    return found


def _seconds(value: Any, info: ValidationInfo) -> Any:
    scalar = _scalar_of(value, info)
    if not isinstance(scalar, str):
        return scalar
    match = _DURATION.match(scalar.strip())
    if not match:
        raise refused(f"must be a number of seconds, not `{shown(scalar)}`", "Write it like `30`, `30s` or `5m`.")
    return float(match[1]) * _DURATION_STEPS[match[2] or ""]


Flag = Annotated[bool, Before(truth, informed=True)]
Number = Annotated[float, Field(allow_inf_nan=False), Before(_scalar_of, informed=True)]
Count = Annotated[int, Before(_scalar_of, informed=True)]
# Bounded, so that a sum of weights stays finite.
Weight = Annotated[Number, Field(ge=0, le=1e9)]
Fraction = Annotated[Number, Field(ge=0, le=1)]
Bytes = Annotated[int, Field(gt=0, le=MOST_BYTES), Before(_size, informed=True)]
Processors = Annotated[Number, Field(gt=0, le=MOST_PROCESSORS)]
Pids = Annotated[Count, Field(ge=1, le=MOST_PIDS)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False), Before(_seconds, informed=True)]


class OneOf:
    """One of the names of plug-ins, for ``Annotated[str, OneOf(names)]``.

    Calling `names` imports every plug-in; `is_one` can accept a name without that.
    """

    def __init__(self, names: Callable[[], Iterable[str]], is_one: Callable[[str], bool] | None = None) -> None:
        self._names = names
        self._is_one = is_one

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        """Accept only these names. They are not looked up until a document has the field."""
        return core_schema.no_info_plain_validator_function(self._known)

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Describe the names as pydantic describes a ``Literal``."""
        return {"enum": list(self._names()), "type": "string"}

    def _known(self, value: Any) -> str:
        if isinstance(value, str) and ((self._is_one and self._is_one(value)) or value in self._names()):
            return value
        raise PydanticKnownError("literal_error", {"expected": ", ".join(map(repr, self._names()))})


# Collections


T = TypeVar("T")


def as_tuple(value: Any) -> Any:
    if isinstance(value, Trap):
        # A `Trap` is a tuple, which pydantic would accept as a list.
        raise PydanticCustomError("list_type", "must be a list")
    return tuple(value) if isinstance(value, list) else value


def listed(value: Any) -> Any:
    return (value,) if isinstance(value, (str, Trap, int, float)) else as_tuple(value)


def _env(value: dict[str, str]) -> dict[str, str]:
    for name, text in value.items():
        if not _ENV_NAME.match(name):
            raise refused(f"cannot contain the variable name `{shown(name)}`", "Use letters, digits and `_`.")
        if "\0" in text:
            raise refused(f"must not hold a NUL character in {name}")
    return value


def _free(value: Any, info: ValidationInfo) -> Any:
    """Return data that gradebox does not interpret, with traps replaced by their text."""
    match value:
        case Trap(kind=TrapKind.EMPTY):
            return None
        case Trap(kind=kind, text=text):
            if kind is not TrapKind.DATE:
                message = f"`{shown(text)}` is kept as text, and other readers of YAML take it for {kind}"
                context(info).notes.append((value, message, f'Write "{shown(text)}" if it is text.'))
            return text
        case WrittenFloat():
            return float(value)
        case str():
            return _interpolated(value, info)
        case list():
            return [_free(item, info) for item in value]
        case dict():
            return {key: _free(item, info) for key, item in value.items()}
        case _:
            return value


# `Several` is a list; for `Listed`, a single element may stand for a list of one.
Several = Annotated[tuple[T, ...], Before(as_tuple)]
Listed = Annotated[tuple[T, ...], Before(listed)]
Texts = Listed[Name]
Sources = Listed[Source]
Globs = Listed[WorkspacePath]
Env = Annotated[dict[str, WrittenText], After(_env)]
Free = Annotated[Any, Before(_free, informed=True)]
FreeMapping = Annotated[dict[str, Free], Field()]
