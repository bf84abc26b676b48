"""Checks that objects of the submission give as many items as their length says, if the reference's objects do so.

Otherwise a test that compares two lengths and then the items pairwise would compare nothing if there are no items.
"""

from __future__ import annotations

from typing import Any

from gradebox.graders.languages.python.inside.apart.links import Link, link_of

_NEXT_ITEM = frozenset(("next", "anext"))
_BEGINNING = frozenset(("iter", "reversed"))
_CHANGING_NOTHING = _BEGINNING.union(("len", "bool", "getitem", "contains", "eq", "hash", "repr", "str", "format"))
_OTHER_LENGTH = "other length"
"""The contract's word for an object whose length differs from the number of items that it yields."""


class Lengths:
    """The reported lengths and the counts of items."""

    def __init__(self, checkpoint: Any) -> None:
        self.checkpoint = checkpoint

    def asked(self, request: Any, value: Any) -> None:
        """Record an answer.

        Raises:
            RuntimeError: If it is the length of an object that gave a different number of items.
        """
        what, thing, name = (*request, None, None)[:3]
        link, name = link_of(thing), "iter" if what == "iter" else name if type(name) is str else ""
        if link is None:
            return
        if what in ("operator", "iter") and name in _CHANGING_NOTHING:
            made = link_of(value) if name in _BEGINNING else None
            if name == "len" and type(value) is int:
                if link.items is None:
                    link.items = link.length
                link.length = value
                self._compare(link, link.items)
            elif made is not None and made is not link:
                made.counted, made.first = link, made.taken
        elif name in _NEXT_ITEM:
            # What is its own iterator has fewer items from now on.
            link.length = link.items = None
        elif what not in ("get", "item"):
            self._forget(request)

    def raised(self, request: Any, kind: Any) -> None:
        """Record an exception, which may be the end of an iteration.

        Raises:
            RuntimeError: If there were fewer or more items than the object's length.
        """
        what, thing, name = (*request, None, None)[:3]
        link = link_of(thing)
        if link is None or what != "operator":
            return
        if kind is StopIteration and name == "next" and link.counted is not None:
            counted, link.counted = link.counted, None
            # Do not count the request that ended the iteration.
            self._compare(counted, link.taken - link.first - 1)
        elif kind is IndexError and name == "getitem" and type(request[3]) is int and request[3] >= 0:
            # The object may have more items than the tests have requested.
            self._compare(link, min(request[3], link.length or 0))
            link.items = None

    def _compare(self, link: Link, items: int | None) -> None:
        link.items = items
        if items is None or link.length is None or items == link.length:
            return
        if not self.checkpoint.is_told(link.paths, _OTHER_LENGTH) and self.checkpoint.words is not None:
            raise RuntimeError(f"an object of the submission says that it has {link.length} items, and gives {items}")

    def _forget(self, request: Any) -> None:
        """Forget the lengths that a request may have changed: of its subject and its arguments."""
        for part in request[1:]:
            for each in (part, *part) if type(part) is tuple else (part,):
                link = link_of(each)
                if link is not None:
                    link.length = link.items = None
