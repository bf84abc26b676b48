"""Parts the submission's copies of containers from the tests' own, where the reference changes no container.

A test may compute what it expects from an argument after the call: `assert f(data) == sorted(data)`. So what the test
holds stays as it is. What the submission gives back later is a copy, which has the changes.
"""

from __future__ import annotations

from typing import Any


def part_from(side: Any, value: Any) -> Any:
    """Let a copy take the place of a container, also within copies of those that have it; return the copy."""
    made = {id(value): _part(side, value)}
    # Keep them alive, so that no other container gets the same `id`.
    kept = [value]
    while True:
        held = {found: entry[0] for found, entry in side.shared.items() if _has_any(entry[0], made)}
        if not held:
            return made[id(value)]
        for found, outer in held.items():
            inner = outer
            if found > 0 and found not in side.parted:
                made[id(outer)] = inner = _part(side, outer)
                kept.append(outer)
            _put_in(inner, made)
            side.remember(inner)


def _part(side: Any, value: Any) -> Any:
    found = side.shared_numbers.pop(id(value))
    side.parted.add(found)
    # The test's own container gets another number when it is lent again.
    side.shared[found][0] = made = value.copy()
    side.shared_numbers[id(made)] = found
    return made


def _items(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else () if type(value) in (set, bytearray) else value


def _has_any(value: Any, made: dict[int, Any], depth: int = 0) -> bool:
    return any(id(item) in made or (type(item) is tuple and depth < 4 and _has_any(item, made, depth + 1))
               for item in _items(value))  # fmt: skip


def _put_in(value: Any, made: dict[int, Any]) -> None:
    """Put the copies in place of what they were made of."""
    for key, item in [*value.items()] if isinstance(value, dict) else [*enumerate(value)]:
        value[key] = _mapped(item, made)


def _mapped(item: Any, made: dict[int, Any]) -> Any:
    if type(item) is tuple:
        parts = tuple([_mapped(part, made) for part in item])
        return item if all(one is other for one, other in zip(parts, item)) else parts
    return made.get(id(item), item)
