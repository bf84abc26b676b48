"""Finds the differences between two gradings of one submission."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict_document import document

# Fields that differ between any two gradings.
_OF_ONE_GRADING = frozenset({"id", "run", "started", "repeat", "number", "reused"})
# Fields that differ if commands have another environment.
_OF_THE_ENVIRONMENT = frozenset({"case_hash", "content", "hashes"})


def differences(one: Result, other: Result, *, env: bool = False) -> list[str]:
    """Return the differences between two gradings of one submission, each with its path in the verdict's document.

    With `env`, commands had different environments, so hashes that include the environment are left out.
    """
    without = _OF_ONE_GRADING | (_OF_THE_ENVIRONMENT if env else frozenset())
    documents = (_without(without, document(result).model_dump(mode="json")) for result in (one, other))
    return list(_compared(*documents))


def _without(keys: frozenset[str], value: Any) -> Any:
    """Return a part of a document without some keys, and without times and memory."""
    if isinstance(value, dict):
        kept = (key for key in value if key not in keys and not key.endswith(("seconds", "memory_bytes")))
        return {key: _without(keys, value[key]) for key in kept}
    return [_without(keys, inner) for inner in value] if isinstance(value, list) else value


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
