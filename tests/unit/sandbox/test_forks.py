"""An object learns of a fork in the new process alone, and is not kept alive for it."""

from __future__ import annotations

import gc
import os
import weakref

import pytest

from gradebox.sandbox import forks


class Counted:
    """Counts the forks that it was told of."""

    def __init__(self) -> None:
        self.forks = 0

    def forked(self) -> None:
        self.forks += 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_only_the_new_process_is_told() -> None:
    one = Counted()
    forks.register(one)
    child = os.fork()
    if child == 0:
        os._exit(one.forks)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 1
    assert one.forks == 0


def test_a_registered_object_is_not_kept_alive() -> None:
    one = Counted()
    gone = weakref.ref(one)
    forks.register(one)
    del one
    gc.collect()
    assert gone() is None
