"""Lent objects that the submission does not hold now: the grader's process keeps only weak references to them."""

from __future__ import annotations

import _weakref
from typing import Any

from gradebox.graders.languages.python.inside.apart.in_grader.errors import Errors
from gradebox.graders.languages.python.inside.apart.sharing import identity


class Resting(Errors):
    """Keeps lent objects alive only while the submission holds them.

    Attributes:
        resting: Lent objects that the submission does not hold now, as weak references. The candidate's process keeps
            its stand-ins for them as long as these objects live.
    """

    def forget_all(self) -> None:
        super().forget_all()
        self.resting: dict[int, list[Any]] = {}
        self.checkpoint.classes = [], []

    def given(self, value: Any, kind: str, path: Any) -> int:
        self.wake(self.numbers.get(identity(value), 0))
        found, (numbers, names) = super().given(value, kind, path), self.checkpoint.classes
        if isinstance(value, type) and found > (numbers or [0])[-1]:
            numbers.append(found)
            names.append(value.__name__)
        return found

    def known_object(self, found: int) -> Any:
        self.wake(found)
        return super().known_object(found)

    def take_away(self, each: int) -> None:
        self.wake(each)
        super().take_away(each)

    def rest(self, each: int) -> None:
        """Keep only a weak reference to a lent object that the submission does not hold; `wake` undoes this."""
        entry = self.ours.get(each)
        if entry is None:
            return
        key, resting, numbers, released = identity(entry[0]), self.resting, self.numbers, self.released

        def gone(_: Any) -> None:
            if resting.pop(each, None):
                numbers.pop(key, None)
                released[each] = None

        try:
            if type(key) is not int:
                raise TypeError("a method is made anew whenever it is taken")
            resting[each] = [_weakref.ref(entry[0], gone), *entry[1:]]
        except TypeError:
            self.take_away(each)
            self.released[each] = None
        else:
            del self.ours[each]

    def wake(self, each: int) -> None:
        """Hold a resting object again, if one has this number."""
        entry = self.resting.get(each)
        value = entry and entry[0]()
        if entry and value is not None:
            self.ours[each] = [value, *entry[1:]]
            del self.resting[each]
