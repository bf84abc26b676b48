"""The parameters of functions, for stand-ins that stay on this side."""

from __future__ import annotations

from typing import Any


class Default:
    """A default value of a function of the tests: that function uses its own instead of it."""


DEFAULT = Default()


def without_defaults(parameters: Any, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return arguments without those that are default values."""
    first = next((place for place, value in enumerate(args) if value is DEFAULT), len(args))
    rest = {parameters[place][0]: value for place, value in enumerate(args) if place > first}
    return args[:first], {name: value for name, value in {**rest, **kwargs}.items() if value is not DEFAULT}


def signature(parameters: Any, function: Any = None, annotations: Any = None) -> Any:
    """Return the signature of a stand-in for a function; one of the tests has annotations instead of the function."""
    import inspect

    if parameters is None:
        raise AttributeError("__signature__")
    for _ in range(20):
        try:
            function = function.__wrapped__
        except AttributeError:
            break
    kind, empty, kinds = inspect.Parameter, inspect.Parameter.empty, sorted(inspect._ParameterKind)
    found = (function and function.__annotations__) or annotations or {}
    told, keywords = [*((function and function.__defaults__) or ())], (function and function.__kwdefaults__) or {}
    unknown = DEFAULT if function is None else None
    told = [unknown] * (sum(has and which < 2 for _, which, has in parameters) - len(told)) + told
    made = []
    for name, which, has in parameters:
        default = empty if not has else keywords.get(name, unknown) if which > 2 else told.pop(0)
        made.append(kind(name, kinds[which], default=default, annotation=found.get(name, empty)))
    return inspect.Signature(made, return_annotation=found.get("return", empty))
