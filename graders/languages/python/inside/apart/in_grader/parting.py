"""Parts the submission's copies of containers from the tests' own, where the reference changes no container.

A test may compute what it expects from an argument after the call: `assert f(data) == sorted(data)`. So what the test
holds stays as it is. What the submission gives back later is a copy, which has the changes. Of a stream there is no
copy: the test fails if the submission removes what is in it. What the reference changes in one argument of a call says
nothing about the others.
"""

from __future__ import annotations

from typing import Any

from gradebox.graders.languages.python.inside.apart.contract import further
from gradebox.graders.languages.python.inside.apart.describing import full_name
from gradebox.graders.languages.python.inside.apart.in_grader.resting import Resting
from gradebox.graders.languages.python.inside.apart.sharing import identity

_IN_MEMORY, _WRITING = ("_io.StringIO", "_io.BytesIO"), ("write", "writelines", "truncate")


class Parting(Resting):
    """Knows where the reference changes what tests lend.

    Attributes:
        lent_at: Where each container or stream was lent, by its number: the paths of messages, each with the number of
            the argument, 0 if it is none.
    """

    argument = 0

    def forget_all(self) -> None:
        super().forget_all()
        self.lent_at: dict[int, dict[Any, None]] = {}

    def share(self, value: Any, place: Any) -> tuple[int, bool]:
        found, is_new = super().share(value, place)
        self.lent_at.setdefault(found, {})[place[0], self.argument] = None
        return found, is_new

    def given(self, value: Any, kind: str, path: Any) -> int:
        found = super().given(value, kind, path)
        if kind == "library":
            self.lent_at.setdefault(found, {})[path, self.argument] = None
        return found

    def forget(self, found: int) -> None:
        super().forget(found)
        self.lent_at.pop(found, None)

    def may_change(self, found: int) -> bool:
        """Record that the submission changes what was lent; return whether the reference changes it, too."""
        places = [*self.lent_at.get(found, ())]
        # If it is an argument of the call that runs, it does not matter what earlier calls may change.
        now = [each for each in places if self.waiting and each[0] == self.waiting[-1][1]]
        paths = [further(paths, f"<{number}") if number else paths for paths, number in now or places]
        told = [self.checkpoint.is_told(each, "change") for each in paths]
        return self.checkpoint.words is None or any(told)

    def check_written(self, method: Any, args: Any) -> None:
        """Fail the test if a method removes what the test has in a stream, and the reference removes nothing there."""
        is_writing = type(method).__name__ == "builtin_function_or_method" and method.__name__ in _WRITING
        stream: Any = method.__self__ if is_writing else None
        found = self.numbers.get(identity(stream), 0)
        if found not in self.lent_at or full_name(type(stream)) not in _IN_MEMORY:
            return
        place = stream.tell()
        is_within = place < stream.seek(0, 2)
        stream.seek(place)
        if (is_within or (args and method.__name__ == "truncate")) and not self.may_change(found):
            raise self.checkpoint.forbid(TypeError("the submission overwrites a stream of the test"))

    def to_change(self, found: int, value: Any, place: Any) -> Any:
        """Return a container of the tests that changed, or a copy of it if the reference changes none there."""
        return value if found < 0 or found in self.parted or self.may_change(found) else part_from(self, value)


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
