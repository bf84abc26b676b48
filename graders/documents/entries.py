"""`Entry`: the base class of every pydantic model of a document.

A model declares the type, meaning and other names of its fields: with `optional`, or with ``Field(description=...)``
if a field is required. Reading accepts every spelling of a field, treats an explicit ``null`` as a missing field, and
reports unknown keys without giving up on the rest. Two spellings of one field in one place are an error. Writing uses
first names only.

Python code builds the same models without a document. It can use first names only, and gives a field with `WrittenAs`
the value that the model keeps, not the form in which documents write it.
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

# The other spellings of fields, by first name. A dot separates the key of a mapping from a key inside it.
Names = Mapping[str, tuple[str, ...]]

_NO_NAMES: Names = {}
_SPELLINGS: dict[str, tuple[str, ...]] = {}


def also(*spellings: str) -> AliasChoices:
    """Return other spellings of a field for its `validation_alias`.

    A spelling with a dot names a key inside another field of the same mapping: ``execution.evaluators`` in a case is
    another name of the case's ``assertions``.
    """
    paths = [spelling.split(".") for spelling in spellings]
    return AliasChoices(*(AliasPath(first, *rest) if rest else first for first, *rest in paths))


def optional(meaning: str, *names: str, **more: Any) -> Any:
    """Return an optional field, from its meaning, its other names, and other arguments of `Field`.

    The default is None unless `more` has another.
    """
    if "default_factory" not in more:
        more.setdefault("default", None)
    return Field(description=meaning, validation_alias=also(*names) if names else None, **more)


class Entry(BaseModel):
    """A mapping with known keys."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, defer_build=True, validate_by_name=True, validate_by_alias=False
    )
    # Other places in this mapping where fields of a nested mapping may be written.
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
        """Return a copy with changed values, which are not validated."""
        # Equals `model_copy(update=...)` in a third of the time: every check of a document is copied once or twice.
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

    `convert` turns the form into the value that the model keeps; None if a later step does that.
    """

    def __init__(self, form: Any, convert: Callable[[Any], Any] | None = None) -> None:
        self._form = form
        self._convert = convert

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read the form from a document, and take a value from Python code as it is."""
        inner = handler.generate_schema(self._form)
        if self._convert is not None:
            inner = core_schema.no_info_after_validator_function(self._convert, inner)
        return core_schema.with_info_wrap_validator_function(self._kept_or_read, inner)

    @staticmethod
    def _kept_or_read(value: Any, read: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        return value if info.context is None else read(value)


class Late:
    """The type of a field that few documents have, for ``Annotated[Any, Late(TYPE)]``: built when first needed."""

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
    """Return the other spellings of a model's fields, by first name."""
    named = {name: about.validation_alias for name, about in model.model_fields.items()}
    own = {name: _dotted(alias) for name, alias in named.items() if isinstance(alias, AliasChoices)}
    return {**own, **model.elsewhere}


def _dotted(alias: AliasChoices) -> tuple[str, ...]:
    paths = (choice.path if isinstance(choice, AliasPath) else [choice] for choice in alias.choices)
    return tuple(".".join(map(str, path)) for path in paths)


def all_spellings(first: str) -> tuple[str, ...]:
    """Return the other spellings that a field of this name has in any model."""
    return _SPELLINGS.get(first, ())


def spelled_in(holder: str) -> tuple[str, ...]:
    """Return the keys of the mapping `holder`, such as ``execution``, that are other names of its owner's fields."""
    others = (other for spelled in _SPELLINGS.values() for other in spelled)
    return tuple(dict.fromkeys(other.rpartition(".")[2] for other in others if other.rpartition(".")[0] == holder))


def derived(model: type[Entry]) -> Iterator[type[Entry]]:
    """Yield all models that derive from `model`."""
    for inner in model.__subclasses__():
        yield inner
        yield from derived(inner)


@cache
def homes(model: type[BaseModel]) -> Mapping[str, str]:
    """Return the keys of a model's nested mappings, each with the field that holds the mapping.

    A key that several nested mappings have is left out.
    """
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
    """Return the keys that `_first_names` need not look at: first names that do not begin another spelling."""
    return (
        frozenset(model.model_fields)
        - model.internal
        - {names[0] for spelling in _spelled(model) for names in spelling.others}
    )


def _rename(mapping: dict[str, Any], spelling: _Spelling) -> None:
    """Move a field to its first name, in place: diagnostics find the position of a mapping by its identity."""
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
    """Return the mapping that holds the last of the names, None if that key is missing or null."""
    for name in names[:-1]:
        inner = mapping.get(name)
        if not isinstance(inner, dict):
            return None
        mapping = inner
    return mapping if mapping.get(names[-1]) is not None else None


def by_shape(message: str, *shapes: str) -> Discriminator:
    """Choose an alternative of a union by the shape of the value: ``|text``, ``|list``, ``|mapping``.

    `shapes` are the alternatives without ``|``. `message` reports any other shape, and follows the field's name.
    """

    def shape(value: Any) -> str | None:
        match value:
            # The user probably forgot the quotes around a number or a boolean.
            case str() | Trap() | bool() | int() | float():
                found = "text"
            case list() | tuple():
                found = "list"
            case dict() | BaseModel():
                found = "mapping"
            case _:
                return None
        return f"|{found}" if found in shapes else None

    # pydantic formats the message as a template, but ours contain no placeholders.
    template: Any = message
    return Discriminator(shape, custom_error_type="shape", custom_error_message=template)


def by_type(message: str, *types: str) -> Discriminator:
    """Choose an alternative of a union by the value of its key `type`. A tag is ``|`` and one of `types`."""

    def choose(value: Any) -> str | None:
        found = value.get("type") if isinstance(value, dict) else None
        return f"|{found}" if isinstance(found, str) and found in types else None

    template: Any = message
    return Discriminator(choose, custom_error_type="choice", custom_error_message=template)
