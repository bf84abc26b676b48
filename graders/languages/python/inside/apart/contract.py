"""The contract: what may cross the boundary at each path, as recorded with the reference solution.

docs/explanation/boundary.md describes it.
"""

from __future__ import annotations

import _bisect
import itertools
from typing import Any

from gradebox.graders.languages.inside.boundary import BOUNDARY
from gradebox.graders.languages.python.inside.apart.wire import json_text

_PYTHON = BOUNDARY["python"]
_TWO_SIDED, _OTHERS = _PYTHON["operators"]["two_sided"], _PYTHON["operators"]["others"]
OPERATORS = frozenset([*_TWO_SIDED, *_OTHERS])
TWO_SIDED = frozenset(_TWO_SIDED)
"""Operators that pass the other operand to an object of the submission."""
_STEPS = BOUNDARY["limits"]["path_steps"]
UNSETTLED = "changing"
"""The contract's word for an attribute of a module or class that is not the same all the time."""
_OBJECTS = frozenset(("object", "function", "class"))
_DATA = frozenset(("data",))
_ARRIVALS = _OBJECTS | _DATA
_MOST_POSITIONS, _MOST_CHARACTERS = 16, 32
# The host accepts contracts of up to a megabyte.
_MOST_NOTED = 4000


def plain_operator(name: str) -> str:
    """Return the operator of which another is a variant: Python uses `+` for `+=`, or `__radd__` for `__add__`."""
    return name[1:] if name[:1] in ("i", "r") and name[1:] in TWO_SIDED else name


# The operators that Python may use instead of another one, or that a class may define for it.
_IMPLIED = {
    name: [each for each in _TWO_SIDED if plain_operator(each) == plain_operator(name)]
    + _PYTHON["implies"].get(name, [])
    for name in OPERATORS
}


def further(paths: Any, step: str) -> tuple[tuple[str, ...], ...]:
    """Return paths with one more step, if it is not empty. An object that came on several paths has all of them."""
    is_key = len(step) > 2 and step[0] == "["
    longer = [path if not step or (path[-1:] == (step,) and not is_key) else (*path, step) for path in paths]
    return tuple([path if len(path) <= _STEPS else path[: _STEPS // 2] + path[-(_STEPS // 2) :] for path in longer])


def _start(path: tuple[str, ...], is_one: Any) -> tuple[str, ...]:
    """Return the longest proper prefix of a path for which `is_one` holds, () if there is none."""
    return next((path[:end] for end in range(len(path) - 1, 0, -1) if is_one(path[:end])), ())


class Contract:
    """The contract that is enforced, or the one that is being recorded.

    Attributes:
        words: The words of the contract, by path; None without a contract.
        noted: The words recorded so far, by path; None if nothing is recorded.
    """

    def __init__(self) -> None:
        self.words: dict[str, set[str]] | None = None
        self.noted: dict[str, set[str]] | None = None
        self.sorted: list[str] = []

    def begin(self, contract: Any, record: bool) -> None:
        """Enforce a contract, or record one."""
        self.noted = {} if record else None
        if contract is None:
            return
        self.words = {path: set(words) for path, words in contract.items()}
        for path, words in contract.items():
            for verb, name in (word.partition(" ")[::2] for word in words):
                if verb == "operator":
                    self.words[path] |= {f"operator {each}" for each in _IMPLIED.get(name, ())}
                if verb == "function":
                    # These attributes were sent along with the function, so no request for them was recorded.
                    self.words[path].update(("get __name__", "get __qualname__", "get __doc__"))
                if verb == "method":
                    # A method of the reference may be an attribute that holds a function in the submission.
                    self.words[path].add(f"get {name}")
                    self.words.setdefault(f"{path}.{name}", set()).update(("call", "function"))
                elif verb == "get" and "call" in contract.get(f"{path}.{name}", ()):
                    self.words[path].add(f"method {name}")
        self.sorted = sorted(self.words)

    def item(self, paths: Any, key: Any) -> Any:
        """Return the paths of an item.

        A key or position becomes a step of its own while a contract is recorded, and later if the contract has it.
        """
        text = ""
        if type(key) is int and 0 <= key < _MOST_POSITIONS:
            text = str(key)
        elif type(key) is str and len(key) <= _MOST_CHARACTERS:
            text = json_text(key)
        step = f"[{text}]"
        return tuple([each for path in paths for each in further((path,), step if self.is_apart(path, step) else "[]")])

    def is_apart(self, path: tuple[str, ...], step: str) -> bool:
        """Whether an item has a path of its own."""
        if "=" in path:
            return False
        if self.noted is not None:
            return len(self.noted) < _MOST_NOTED
        return self.has_any("".join(path) + step)

    def has_any(self, start: str) -> bool:
        """Whether the contract has a path that begins with a text."""
        place = _bisect.bisect_left(self.sorted, start)
        return place < len(self.sorted) and self.sorted[place].startswith(start)

    def attributes(self, start: str) -> list[str]:
        """Return the public names of attributes that the contract has below a path, and that were always the same."""
        found = self.sorted[_bisect.bisect_left(self.sorted, start) :]
        names = [path[len(start) :] for path in itertools.takewhile(lambda path: path.startswith(start), found)]
        words = {name: self.words[start + name] for name in names if name.isidentifier()}  # type: ignore[index]
        return [each for each in words if each[0] != "_" and words[each] & _ARRIVALS and UNSETTLED not in words[each]]

    def is_class(self, path: str) -> bool:
        """Whether the reference gave a class on a path."""
        return "class" in (self.words or {}).get(path, ())

    def note(self, paths: Any, word: str) -> None:
        for path in paths if self.noted is not None else ():
            self.noted.setdefault("".join(path), set()).add(word)  # type: ignore[union-attr]

    def arrived(self, paths: Any, word: str, is_known: bool) -> bool:
        """Record that an object came on paths; return whether one may, or one that has come as an object before."""
        self.note(paths, word)
        if self.words is None or self.noted is not None:
            return True
        kinds = list(filter(None, map(self.kinds, paths)))
        return (bool(kinds) or is_known) and not any(_OBJECTS.isdisjoint(found) for found in kinds)

    def may_be_mock(self, paths: Any) -> bool:
        """Record that a mock of the tests came back on paths; return whether it may."""
        self.note(paths, "mock")
        known = [self.words.get("".join(path), set()) for path in paths] if self.words is not None else []
        known = [words for words in known if not words <= {"none"}]
        return self.noted is not None or all("mock" in words for words in known)

    def kinds(self, path: tuple[str, ...]) -> frozenset[str]:
        """Return the kinds that the reference gave on a path; none for `None`, where an object may come as well.

        Below data without parts, such as a text or an empty list, everything is data.
        """
        words = (self.words or {}).get("".join(path), ())
        inner = [end for end in range(1, len(path)) if path[end][:1] in ("[", ".")]
        is_below = not words and any(self.is_whole(path[:end]) for end in inner)
        return _DATA if is_below else _ARRIVALS.intersection(words)

    def is_whole(self, path: tuple[str, ...]) -> bool:
        """Whether the reference gave only data without parts on a path."""
        text = "".join(path)
        return _ARRIVALS.intersection((self.words or {}).get(text, ())) == _DATA and not self.has_any(f"{text}[")

    def has_object(self, path: tuple[str, ...]) -> bool:
        """Whether the reference gave an object on a path."""
        return not _OBJECTS.isdisjoint(self.kinds(path))

    def has_attributes(self, path: tuple[str, ...]) -> bool:
        """Whether the reference gave an object on a path, and tests requested more of it than its items."""
        words = (self.words or {}).get("".join(path), ())
        return "object" in words and any(word.startswith(("get ", "method ")) for word in words)

    def of_object(self, paths: Any, same: set[tuple[str, ...]]) -> Any:
        """Return the paths of an object that came on `paths`; `same` holds the paths of other objects of its class.

        An object of the same class that led to it, as in a tree, lends it its path, so that the depth of a tree does
        not matter. If the reference gave nothing or `None` there, any object that led to it lends it its path.
        """
        alike = [_start(path, same.__contains__) for path in paths]
        if self.noted is not None:
            return tuple([other or path for path, other in zip(paths, alike)])
        if self.words is None:
            return paths
        known = [path for path, start in zip(paths, alike)
                 if self.kinds(path) and not (start and self.has_alike(path, path[len(start) :], same))]  # fmt: skip
        found = [*known, *filter(None, alike)]
        if all((self.words.get("".join(path)) or set()) <= _ARRIVALS | {"none"} for path in found):
            # The tests requested nothing of it there.
            found += [_start(path, self.has_attributes) for path in paths]
        return tuple(dict.fromkeys(filter(None, found))) or paths

    def has_alike(self, path: tuple[str, ...], rest: tuple[str, ...], same: set[tuple[str, ...]]) -> bool:
        """Whether the reference gave an object on the rest of a path that it never took, after an object of a class."""
        return "".join(path) not in (self.words or {}) and any(self.has_object(one + rest) for one in same)

    def taken(self, paths: Any) -> Any:
        """Return those paths that the contract has."""
        words = self.words if self.noted is None else None
        return paths if words is None else [path for path in paths if "".join(path) in words]

    def caught(self, paths: Any, error: BaseException) -> bool:
        """Record that a failure of a function passed on `paths` was caught; return whether the reference does that."""
        return self.is_told(paths, f"catch {type(error).__name__}")

    def raises(self, paths: Any, name: str) -> bool:
        """Record the exception that a request on `paths` raised; return whether the reference raises it."""
        return self.is_told(paths, f"raise {name}")

    def is_told(self, paths: Any, word: str) -> bool:
        """Record a word; return whether the contract has it."""
        self.note(paths, word)
        return self.noted is not None or any(word in (self.words or {}).get("".join(path), ()) for path in paths)
