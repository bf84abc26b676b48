"""Finds values that are equal to anything, so that an assertion that compares them proves nothing.

An object is compared with a new `object()`, unless the interpreter or the judge defines its equality. The origin of a
class matters only if its object is equal to anything, because names of files and modules are easily forged, and the
judge's tests may use such an object on purpose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


def equal_to_anything(origin: Callable[[Any], str]) -> tuple[Callable[..., None], Callable[..., str]]:
    """Return `trust`, which sets how to recognise the judge's code, and `always_equal`, which checks a comparison.

    origin: returns the candidate's file that defines a class, "" for none.
    """
    import collections
    import itertools
    import sys
    import types

    modules = sys.modules

    def equality_of(kind: type) -> tuple[type, Any]:
        for base in type.__getattribute__(kind, "__mro__"):
            if "__eq__" in type.__getattribute__(base, "__dict__"):
                return base, type.__getattribute__(base, "__dict__")["__eq__"]
        return object, object.__eq__

    judge: dict[str, Callable[[Any], bool]] = {}
    # Keyed by id, since classes can be equal to others and hash like them. `known` keeps them alive, so ids stay valid.
    known: list[type] = []
    honest: dict[int, bool] = {}
    generated: dict[int, bool] = {}
    classes: dict[int, bool] = {}
    slot, member, code_type = type(object.__eq__), types.MemberDescriptorType, types.CodeType
    plain = (bool, int, float, complex, str, bytes, type(None), type, types.FunctionType, types.ModuleType)
    hashed = (dict, set, frozenset, str, bytes, range)
    bare = (list, tuple, dict, set, frozenset, str, bytes, collections.deque)
    shapes: list[tuple[type, Any]] = [
        (kind, kind.__iter__) for kind in (list, tuple, set, frozenset, collections.deque)
    ]
    shapes.append((dict, lambda found: itertools.chain.from_iterable(dict.items(found))))

    def trust(wrote: Callable[[Any], bool], says: Callable[[str], bool]) -> None:
        """Set the functions that tell whether the judge wrote a code object, and whether its sources contain a word."""
        judge.update(wrote=wrote, says=says)

    def is_honest(kind: type) -> bool:
        """Whether the interpreter or the judge defines the equality of a class."""
        known.append(kind)
        base, equality = equality_of(kind)
        code = getattr(equality, "__code__", None)
        generated[id(kind)] = getattr(code, "co_filename", "").startswith("<")
        if type(equality) is slot:
            return getattr(equality, "__objclass__", None) is base
        if base.__module__ == "unittest.mock" and hasattr(base, "mock_calls"):
            # Mocks record comparisons, so they are not compared if the judge's files use mocks.
            return judge["says"]("mock")
        return type(code) is code_type and judge["wrote"](code)

    def origin_of_class(kind: type) -> bool:
        if id(kind) not in classes:
            classes[id(kind)] = bool(origin(kind))
        return classes[id(kind)]

    def is_one_of(kind: type, kinds: tuple[type, ...]) -> bool:
        return any(kind is one for one in kinds)

    def items_of(found: Any, bases: Any) -> Iterator[Any]:
        return itertools.chain.from_iterable(iterate(found) for base, iterate in shapes if is_one_of(base, bases))

    def fields_of(found: Any, bases: Any) -> Iterator[Any]:
        inner = getattr(found, "__dict__", None)
        yield from list(inner.values()) if type(inner) is dict else ()
        for base in bases:
            for slotted in list(type.__getattribute__(base, "__dict__").values()):
                if type(slotted) is member:
                    yield slotted.__get__(found)

    def leaves(thing: Any) -> Iterator[tuple[Any, bool, tuple[int, ...]]]:
        """Yield the objects in a value that define their own equality, at any depth, among its first 500 parts.

        With each: whether the result of its comparison counts as a truth value, as in containers and data classes, or
        may be used differently by the class around it; and its place in the value.
        """
        waiting: list[tuple[Any, bool, tuple[int, ...]]] = [(thing, True, ())]
        left = 500
        while waiting and left:
            left -= 1
            found, is_truth, place = waiting.pop()
            kind = type(found)
            if is_one_of(kind, plain):
                continue
            if id(kind) not in honest:
                honest[id(kind)] = is_honest(kind)
            if not honest[id(kind)]:
                yield found, is_truth, place
            bases, is_data = type.__getattribute__(kind, "__mro__"), kind is types.SimpleNamespace
            try:
                items = enumerate(itertools.islice(items_of(found, bases), left))
                is_item = is_truth and (honest[id(kind)] or generated[id(kind)])
                waiting += [(item, is_item, (*place, number)) for number, item in items]
                fields = fields_of(found, bases) if is_data or origin_of_class(kind) else ()
                is_truth = is_truth and (is_data or generated[id(kind)])
                fields = enumerate(itertools.islice(fields, left))
                waiting += [(field, is_truth, (*place, -1 - number)) for number, field in fields]
            except Exception:
                # A slot is empty, or a container changed meanwhile.
                continue

    def is_bare(found: Any, depth: int = 3) -> bool:
        """Whether an object may hold nothing that an honest equality could compare."""
        if found is None or is_one_of(type(found), bare):
            return not found
        kind = type(found)
        if is_one_of(kind, plain) or not depth:
            return False
        bases = type.__getattribute__(kind, "__mro__")
        try:
            parts = [*itertools.islice(itertools.chain(items_of(found, bases), fields_of(found, bases)), 50)]
        except Exception:
            return False
        return not parts or any(is_bare(part, depth - 1) for part in parts)

    def is_alike(leaf: Any, place: tuple[int, ...], other: Any, start: int) -> bool:
        """Whether the other side has an object of this class at this place, and both may be equal by being empty."""
        return is_bare(leaf) and any(
            type(found) is type(leaf) and beside[start:] == place for found, _, beside in leaves(other)
        )

    def is_wanted(kind: type) -> bool:
        """Whether the judge's files mention this class, which is equal to anything and not the candidate's."""
        module = str(getattr(kind, "__module__", ""))
        words = ("ANY", "__eq__") if module == "unittest.mock" else (module.partition(".")[0],)
        is_there = getattr(modules.get(module), "__dict__", {}).get(kind.__name__) is kind and module != "builtins"
        return is_there and not origin_of_class(kind) and any(judge["says"](word) for word in words)

    def always_equal(*sides: Any, inside: bool = False) -> str:
        """Return a clause about an object in a comparison that is equal to anything, "" if there is none.

        inside: whether the comparison is `first in second`.
        """
        # Hashed containers also need the right hash, so only the first side is checked.
        for number in [0] if inside and is_one_of(type(sides[1]), hashed) else range(len(sides)):
            for leaf, is_truth, place in leaves(sides[number]):
                try:
                    found = leaf == object()
                    # A result without a truth value, such as an array, raises.
                    is_equal = found if is_truth else found is True
                    if is_equal and not is_wanted(type(leaf)):
                        # With `in`, the first side is compared with the items of the second.
                        starts = (1, 0) if inside else (0, 0)
                        if is_alike(leaf, place[starts[1 - number] :], sides[1 - number], starts[number]):
                            continue
                        return f"an object of the class {type(leaf).__name__} is equal to anything"
                except Exception:
                    continue
        return ""

    return trust, always_equal
