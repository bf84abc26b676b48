"""Tells what must not be shared with a forked process that it is in one.

A fork copies connections that two processes must not use at a time, locks that a thread held which is not there any
more, and names under which only one of the two may clean up. Whatever has such things asks here to be told; it is not
kept alive by that.
"""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Forkable(Protocol):
    """What begins anew in a forked process."""

    def forked(self) -> None:
        """Forget, in the new process and before anything else runs there, what belongs to the old one."""


_forkable: weakref.WeakSet[Forkable] = weakref.WeakSet()


def tell(one: Forkable) -> None:
    """Have an object told of every fork of this process, in the new process."""
    _forkable.add(one)


def _in_child() -> None:
    for one in list(_forkable):
        one.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
