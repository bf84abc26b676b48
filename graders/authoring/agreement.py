"""Whether two gradings agree: in everything but times and ids. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graders.model.result import Result
from graders.model.verdict_document import document

_OF_ONE_GRADING = frozenset({"id", "run", "started", "repeat", "number", "reused"})


def differences(one: Result, other: Result) -> list[str]:
    """Return what differs between two gradings of one submission, each with its place in the verdict's document."""
    documents = (_timeless(document(graded).model_dump(mode="json")) for graded in (one, other))
    return list(_compared(*documents))


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        kept = (key for key in value if key not in _OF_ONE_GRADING and not key.endswith("seconds"))
        return {key: _timeless(value[key]) for key in kept}
    return [_timeless(inner) for inner in value] if isinstance(value, list) else value


def _compared(one: Any, other: Any, path: str = "") -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys((*one, *other)):
            yield from _compared(one.get(key), other.get(key), f"{path}.{key}" if path else key)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            label = left.get("name", index) if isinstance(left, dict) else index
            yield from _compared(left, right, f"{path}[{label}]")
    elif one != other:
        yield f"{path} was {one!r} and then {other!r}"
