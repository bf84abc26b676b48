"""Notifies objects in a forked process that they must not share their state with the parent.

A fork copies connections that only one process may use, locks held by threads that no longer exist, and names under
which only one process may clean up. An object with such state registers here, by a weak reference.
"""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Forkable(Protocol):
    """An object that starts afresh in a forked process."""

    def forked(self) -> None:
        """Drop the parent's state. Called in the new process, before anything else runs there."""


_forkable: weakref.WeakSet[Forkable] = weakref.WeakSet()


def register(one: Forkable) -> None:
    """Call `one.forked` after every fork of this process, in the new process."""
    _forkable.add(one)


def _in_child() -> None:
    for one in list(_forkable):
        one.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
