"""Turns errors of pydantic into sentences for the author of a case file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gradebox.graders.documents.diagnostics import DocumentPath, written_path
from gradebox.graders.documents.scalars import Trap, TrapKind, plain_scalar
from gradebox.graders.documents.suggest import suggestion
from gradebox.graders.documents.validators import described


class Explanation(NamedTuple):
    """A message that follows the field's name, and a hint."""

    message: str
    hint: str = ""


Details = Mapping[str, Any]


def explain(error: Details, *, yaml: bool = True) -> Explanation:
    """Explain one of pydantic's errors in plain English.

    `error` is an element of ``ValidationError.errors()``. In JSON and TOML, a list is written in brackets.
    """
    value = error["input"]
    kind = str(error["type"])
    if not yaml and kind in _LISTS:
        return _LIST_IN_BRACKETS(error)
    if not yaml and kind == "string_type":
        return Explanation(f"must be text, not {described(value)}", _quoting(value))
    if isinstance(value, Trap) and value.kind is TrapKind.EMPTY and kind not in _WHATEVER_THE_VALUE:
        return Explanation("has no value", "Write one, or remove the key.")
    special = _EXPLANATIONS.get(kind)
    return special(error) if special else Explanation(str(error["msg"]).removeprefix("Value error, ").rstrip("."))


def subject(path: DocumentPath) -> str:
    if not path:
        return "this"
    start = len(path) - 1
    while start > 0 and isinstance(path[start], int):
        start -= 1
    return f"`{written_path(path[start:])}`"


def _quoting(value: Any) -> str:
    match value:
        case Trap(text=text):
            return f'Quote it: "{text}".'
        case bool():
            return f'Quote it: "{str(value).lower()}".'
        case int() | float():
            return f'Quote it: "{value}".'
        case _:
            return ""


def _text(error: Details) -> Explanation:
    value = error["input"]
    also = f", which YAML also reads as {value.kind}" if isinstance(value, Trap) else ""
    return Explanation(f"must be text, not {described(value)}{also}", _quoting(value))


def _number(what: str) -> Callable[[Details], Explanation]:
    def explain_it(error: Details) -> Explanation:
        value = error["input"]
        hint = ""
        if isinstance(value, Trap):
            hint = "Write it in decimal, without `_`, `:` or a leading zero."
        elif isinstance(value, str) and isinstance(plain_scalar(value), (int, float)):
            hint = f"Write it without quotes: {value}."
        return Explanation(f"must be {what}, not {described(value)}", hint)

    return explain_it


def _truth(error: Details) -> Explanation:
    value = error["input"]
    truth = plain_scalar(value) if isinstance(value, str) else value
    written = truth.truth if isinstance(truth, Trap) else truth
    hint = f"Write {str(bool(written)).lower()} without quotes." if isinstance(written, bool) else ""
    return Explanation(f"must be true or false, not {described(value)}", hint)


def _shape(what: str, hint: str = "") -> Callable[[Details], Explanation]:
    return lambda error: Explanation(f"must be {what}, not {described(error['input'])}", hint)


def _bound(words: str, key: str) -> Callable[[Details], Explanation]:
    def explain_it(error: Details) -> Explanation:
        bound = error["ctx"][key]
        limit = str(bound) if isinstance(bound, int) else f"{bound:g}"
        return Explanation(
            f"must be {words} {limit}, not {described(error['input'])}", _in_its_unit(error["input"], bound)
        )

    return explain_it


def _in_its_unit(value: Any, bound: float) -> str:
    """Return a hint for a number that is probably meant in another unit, MiB or percent; empty if not."""
    if not isinstance(value, (int, float)) or value <= 0:
        return ""
    if bound == 1 and 1 < value <= 100:
        return f"Write {value / 100:g} if you mean {value:g} %."
    return f"Write `{value:g}m` if you mean MiB." if bound > 1_000_000 > value * 10 else ""


def _choice(error: Details) -> Explanation:
    value = error["input"]
    allowed = [part.strip().strip("'") for part in str(error["ctx"]["expected"]).replace(" or ", ", ").split(",")]
    return Explanation(f"cannot be {described(value)}", suggestion(str(value), allowed))


def _unset(error: Details) -> Explanation:
    name = error["ctx"]["name"]
    hint = f"Set it, or write `${{{{ {name}:- }}}}` for an empty default."
    return Explanation(f"names the environment variable {name}, which is not set", hint)


_EXPLANATIONS: Mapping[str, Callable[[Details], Explanation]] = {
    "missing": lambda _: Explanation("is missing"),
    "refused": lambda error: Explanation(str(error["ctx"]["message"]), str(error["ctx"]["hint"])),
    "unset": _unset,
    "shape": lambda error: Explanation(f"{error['msg']}, not {described(error['input'])}"),
    "choice": lambda error: Explanation(str(error["msg"])),
    "string_type": _text,
    "bool_type": _truth,
    "int_type": _number("a whole number"),
    "int_from_float": _number("a whole number"),
    "float_type": _number("a number"),
    "finite_number": _number("a finite number"),
    "literal_error": _choice,
    "list_type": _shape("a list", "Begin each of its entries with `- `."),
    "tuple_type": _shape("a list", "Begin each of its entries with `- `."),
    "dict_type": _shape("a mapping"),
    "model_type": _shape("a mapping"),
    "model_attributes_type": _shape("a mapping"),
    "greater_than": _bound("greater than", "gt"),
    "greater_than_equal": _bound("at least", "ge"),
    "less_than": _bound("less than", "lt"),
    "less_than_equal": _bound("at most", "le"),
    "too_short": lambda _: Explanation("must not be empty"),
}
_LISTS = frozenset({"list_type", "tuple_type"})
_LIST_IN_BRACKETS = _shape("a list", "Put its entries into brackets: `[...]`.")
_WHATEVER_THE_VALUE = frozenset({"missing", "refused", "unset"})
