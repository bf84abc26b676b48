"""Finds values that are equal to anything whatsoever, so that an assertion that compares them proves nothing.

An object is compared with one that is made on the spot, unless its equality is the interpreter's own or the judge wrote
it. Where a class comes from decides only if it is equal to anything: names of files and modules are easily forged, and
the judge's tests may want such an object themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


def equal_to_anything(origin: Callable[[Any], str]) -> tuple[Callable[..., None], Callable[..., str]]:
    """Return what takes note of how the judge's code is known, and what looks at the sides of a comparison.

    origin: the file of the candidate's that a class comes from.
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
    # By id, since classes can be equal to others and hash like them; these live as long as their ids.
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
        """Take note of what tells whether the judge wrote a code, and whether a word stands in what it wrote."""
        judge.update(wrote=wrote, says=says)

    def is_honest(kind: type) -> bool:
        """Whether the equality of a class is not a program but the interpreter's own, or the judge's."""
        known.append(kind)
        base, equality = equality_of(kind)
        code = getattr(equality, "__code__", None)
        generated[id(kind)] = getattr(code, "co_filename", "").startswith("<")
        if type(equality) is slot:
            return getattr(equality, "__objclass__", None) is base
        if base.__module__ == "unittest.mock" and hasattr(base, "mock_calls"):
            # It takes note of being compared.
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
        """Yield what has an equality of its own in a value, at any depth but not without end.

        With each: whether what its comparison returns is taken for a truth, as containers and data classes do, or may
        be something that the class around it makes use of; and the place of it in the value.
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
                # A slot is empty, or something changes meanwhile.
                continue

    def is_bare(found: Any, depth: int = 3) -> bool:
        """Whether an object may hold nothing that an honest equality could look at."""
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
        """Whether the other side has an object of the same class there, and both may be equal for want of contents."""
        return is_bare(leaf) and any(
            type(found) is type(leaf) and beside[start:] == place for found, _, beside in leaves(other)
        )

    def is_wanted(kind: type) -> bool:
        """Whether the judge's files speak of a class that is not the candidate's, and is equal to anything."""
        module = str(getattr(kind, "__module__", ""))
        words = ("ANY", "__eq__") if module == "unittest.mock" else (module.partition(".")[0],)
        is_there = getattr(modules.get(module), "__dict__", {}).get(kind.__name__) is kind and module != "builtins"
        return is_there and not origin_of_class(kind) and any(judge["says"](word) for word in words)

    def always_equal(*sides: Any, inside: bool = False) -> str:
        """Say what of the candidate's on one of the sides of a comparison is equal to anything; "" if nothing is.

        inside: whether the first is looked for in the second.
        """
        # What is looked up there must have the right hash, too.
        for number in [0] if inside and is_one_of(type(sides[1]), hashed) else range(len(sides)):
            for leaf, is_truth, place in leaves(sides[number]):
                try:
                    found = leaf == object()
                    # What cannot be taken for a truth, such as an array, raises.
                    is_equal = found if is_truth else found is True
                    if is_equal and not is_wanted(type(leaf)):
                        # What is looked for is one of the items of the other side.
                        starts = (1, 0) if inside else (0, 0)
                        if is_alike(leaf, place[starts[1 - number] :], sides[1 - number], starts[number]):
                            continue
                        return f"an object of the class {type(leaf).__name__} is equal to anything"
                except Exception:
                    continue
        return ""

    return trust, always_equal
