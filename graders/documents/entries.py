"""`Entry`: what every pydantic model of a document has in common.

A model says everything about its fields: type, meaning and other names (`optional`; ``Field(description=...)`` of one
that must be written). It reads every spelling of a field under its first name, takes an explicit
``null`` for a field that is not there, and reports unknown keys without giving up on the rest. Two spellings of one
field in one place are an error. Only reading needs the other names; everything we write uses the first one.

The same model is built from Python, without a document: then the first names alone are known, and a field that is
written in one form and kept in another (`WrittenAs`) takes what it keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from typing import Any, ClassVar, LiteralString, NamedTuple, Self, get_args

from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from gradebox.graders.documents.scalars import Trap
from gradebox.graders.documents.validators import context

# Other spellings of a field, by its first name: a dot leads into a mapping.
Names = Mapping[str, tuple[str, ...]]

_NO_NAMES: Names = {}
_SPELLINGS: dict[str, tuple[str, ...]] = {}


def also(*spellings: str) -> AliasChoices:
    """Return other spellings of a field for its `validation_alias`.

    A spelling with a dot lies inside another field of the same mapping: ``execution.evaluators`` in a case is the
    case's ``assertions``.
    """
    paths = [spelling.split(".") for spelling in spellings]
    return AliasChoices(*(AliasPath(first, *rest) if rest else first for first, *rest in paths))


def optional(meaning: str, *names: str, **more: Any) -> Any:
    """Return a field that need not be written: its meaning, its other names, and whatever else `Field` takes.

    Its default is None where none is given.
    """
    if "default_factory" not in more:
        more.setdefault("default", None)
    return Field(description=meaning, validation_alias=also(*names) if names else None, **more)


class Entry(BaseModel):
    """A mapping with known keys."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, defer_build=True, validate_by_name=True, validate_by_alias=False
    )
    # Fields of a mapping inside this one that may be written in another place of this one.
    elsewhere: ClassVar[Names] = _NO_NAMES
    internal: ClassVar[frozenset[str]] = frozenset()  # Fields that no document can write.

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Note the spellings of the model's fields."""
        for first, others in spellings(cls).items():
            _SPELLINGS[first] = tuple(dict.fromkeys((*_SPELLINGS.get(first, ()), *others)))

    @model_validator(mode="before")
    @classmethod
    def _first_names(cls, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, dict) or info.context is None:
            return value
        if None in value.values():
            for key in [key for key, child in value.items() if child is None]:
                del value[key]
        if _plain_keys(cls).issuperset(value):
            return value
        for spelling in _spelled(cls):
            _rename(value, spelling)
        for key in [key for key in value if key not in cls.model_fields or key in cls.internal]:
            context(info).unknown.append((value, key, cls))
            del value[key]
        return value

    def but(self, **changes: Any) -> Self:
        """Return a copy with other values, which are not validated."""
        # As `model_copy(update=...)` in a third of its time: every check of a document is copied once or twice.
        copy = type(self).__new__(type(self))
        object.__setattr__(copy, "__dict__", {**self.__dict__, **changes})
        object.__setattr__(copy, "__pydantic_fields_set__", self.model_fields_set | changes.keys())
        object.__setattr__(copy, "__pydantic_extra__", None)
        object.__setattr__(copy, "__pydantic_private__", None)
        return copy

    @classmethod
    def known_keys(cls) -> tuple[str, ...]:
        """Return every key that may be written, under all its names."""
        others = [other for names in spellings(cls).values() for other in names if "." not in other]
        return (*(name for name in cls.model_fields if name not in cls.internal), *others)


class WrittenAs:
    """The form in which a document writes a field, for ``Annotated[KEPT, WrittenAs(FORM, convert)]``.

    `convert` makes what is kept of it; None where a later step does.
    """

    def __init__(self, form: Any, convert: Callable[[Any], Any] | None = None) -> None:
        self._form = form
        self._convert = convert

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read the form where there is a document; built from Python, the field takes what it keeps."""
        inner = handler.generate_schema(self._form)
        if self._convert is not None:
            inner = core_schema.no_info_after_validator_function(self._convert, inner)
        return core_schema.with_info_wrap_validator_function(self._kept_or_read, inner)

    @staticmethod
    def _kept_or_read(value: Any, read: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        return value if info.context is None else read(value)


class Late:
    """The type of a field that few documents have, for ``Annotated[Any, Late(TYPE)]``: it is built when one has it."""

    def __init__(self, form: Any) -> None:
        self._form = form

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(self._form)

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read values by the type."""
        return core_schema.with_info_plain_validator_function(self._read)

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Describe the type itself."""
        return handler(self._adapter.core_schema)

    def _read(self, value: Any, info: ValidationInfo) -> Any:
        return self._adapter.validate_python(value, strict=True, context=info.context)


@cache
def spellings(model: type[Entry]) -> Names:
    """Return the other spellings of a model's fields, by their first names."""
    named = {name: about.validation_alias for name, about in model.model_fields.items()}
    own = {name: _dotted(alias) for name, alias in named.items() if isinstance(alias, AliasChoices)}
    return {**own, **model.elsewhere}


def _dotted(alias: AliasChoices) -> tuple[str, ...]:
    paths = (choice.path if isinstance(choice, AliasPath) else [choice] for choice in alias.choices)
    return tuple(".".join(map(str, path)) for path in paths)


def all_spellings(first: str) -> tuple[str, ...]:
    """Return the other spellings of a field, whatever model it belongs to."""
    return _SPELLINGS.get(first, ())


def spelled_in(holder: str) -> tuple[str, ...]:
    """Return the keys of a mapping, such as ``execution``, that are other names of its owner's fields."""
    others = (other for spelled in _SPELLINGS.values() for other in spelled)
    return tuple(dict.fromkeys(other.rpartition(".")[2] for other in others if other.rpartition(".")[0] == holder))


def derived(model: type[Entry]) -> Iterator[type[Entry]]:
    """Yield all models that derive from one."""
    for inner in model.__subclasses__():
        yield inner
        yield from derived(inner)


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
def _spelled(model: type[Entry]) -> tuple[_Spelling, ...]:
    return tuple(
        _Spelling(tuple(first.split(".")), tuple(tuple(other.split(".")) for other in others))
        for first, others in spellings(model).items()
    )


@cache
def _plain_keys(model: type[Entry]) -> frozenset[str]:
    """Return the keys of a mapping that are known, and neither are nor lead to another spelling of a field."""
    return (
        frozenset(model.model_fields)
        - model.internal
        - {names[0] for spelling in _spelled(model) for names in spelling.others}
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

    `shapes` are the alternatives without ``|``; `message` is for any other shape, and reads after the field's name.
    """

    def shape(value: Any) -> str | None:
        match value:
            # A number or a truth value is text that wants quotes.
            case str() | Trap() | bool() | int() | float():
                found = "text"
            case list() | tuple():
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
    """Choose an alternative of a union by the value of its key `type`: a tag is one of `types` with ``|`` before it."""

    def choose(value: Any) -> str | None:
        found = value.get("type") if isinstance(value, dict) else None
        return f"|{found}" if isinstance(found, str) and found in types else None

    template: Any = message
    return Discriminator(choose, custom_error_type="choice", custom_error_message=template)
