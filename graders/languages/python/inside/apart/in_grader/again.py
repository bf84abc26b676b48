"""Checks the items of a container again if it arrives at another place, where the reference may give data."""

from __future__ import annotations

from typing import Any

from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer
from gradebox.graders.languages.python.inside.apart.in_grader.opaque import Opaque
from gradebox.graders.languages.python.inside.apart.links import link_of

_AGAIN = "again"


class _Kept:
    """A peer that sends nothing, and keeps objects that are not data."""

    def __init__(self, peer: Any) -> None:
        self.share = peer.share
        self.values: list[Any] = []

    def told_factory(self, factory: Any) -> Any:
        # A `DefaultValue` is this side's own, so that it stays as it is.
        return factory

    def put_other(self, writer: Writer, value: Any, depth: int) -> Any:
        if isinstance(value, tuple):
            return ["n", self.put_other(writer, type(value), depth), *writer.each(tuple(value), depth)]
        self.values.append(value._gradebox_original if type(value) is Opaque else value)
        return [_AGAIN, len(self.values) - 1]


class _Again(Reader):
    values: list[Any]

    def _tagged(self, tag: str, tree: list[Any], depth: int) -> Any:
        if tag != _AGAIN:
            return super()._tagged(tag, tree, depth)
        value = self.values[tree[1]]
        if link_of(value) is None:
            return value
        return self.peer.arrived(value, "class" if isinstance(value, type) else "object", {}, self, depth)


def look_again(peer: Any, value: Any, tag: tuple[str, str], place: Any) -> None:
    """Let the items of a container arrive at the places that it has now."""
    kept, reader = _Kept(peer), _Again(peer)
    writer: Any = Writer(kept)
    trees = writer.content(value, tag)
    reader.values, reader.place, reader.is_noted = kept.values, place, peer.checkpoint.noted is not None
    # Keep the old items alive, which nothing else may hold.
    old = list(value)
    value.clear()
    reader.content(value, tag, trees, 0)
    del old
