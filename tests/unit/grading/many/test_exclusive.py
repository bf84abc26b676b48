"""Which gradings run beside others."""

from __future__ import annotations

import threading
from threading import Event, Thread

from gradebox.graders.grading.many.exclusive import Exclusive


def never() -> bool:
    return False


class Holder:
    """A thread that holds the lock until it is released."""

    def __init__(self, lock: Exclusive, *, alone: bool) -> None:
        self.has, self.release = Event(), Event()
        self.thread = Thread(target=self._hold, args=(lock, alone), daemon=True)
        self.thread.start()

    def _hold(self, lock: Exclusive, alone: bool) -> None:
        with lock.held(alone=alone, unwanted=never):
            self.has.set()
            self.release.wait(30)

    def end(self) -> None:
        self.release.set()
        self.thread.join(30)


def test_many_hold_it_together_or_one_alone() -> None:
    lock = Exclusive()
    first, second = (Holder(lock, alone=False) for _ in range(2))
    assert first.has.wait(30)
    assert second.has.wait(30)
    alone = Holder(lock, alone=True)
    first.end()
    assert not alone.has.wait(0.3)
    second.end()
    assert alone.has.wait(30)
    assert lock.is_held_alone
    late = Holder(lock, alone=False)
    assert not late.has.wait(0.3)
    alone.end()
    assert late.has.wait(30)
    late.end()
    assert not lock.is_held_alone


def test_none_begins_before_one_that_waits_to_be_alone() -> None:
    lock = Exclusive()
    first, alone = Holder(lock, alone=False), Holder(lock, alone=True)
    assert first.has.wait(30)
    while not lock._waiting:
        threading.Event().wait(0.01)
    late = Holder(lock, alone=False)
    assert not late.has.wait(0.3)
    first.end()
    assert alone.has.wait(30)
    assert not late.has.is_set()
    alone.end()
    assert late.has.wait(30)
    late.end()


def test_work_left_to_another_thread_holds_it_too() -> None:
    lock = Exclusive()
    with lock.held(alone=False, unwanted=never):
        lock.join()
    alone = Holder(lock, alone=True)
    assert not alone.has.wait(0.3)
    lock.leave()
    assert alone.has.wait(30)
    alone.end()


def test_nobody_waits_once_it_is_unwanted() -> None:
    lock = Exclusive()
    first = Holder(lock, alone=False)
    assert first.has.wait(30)
    with lock.held(alone=True, unwanted=lambda: True):
        pass
    assert not lock.is_held_alone
    first.end()


def test_a_forked_process_starts_afresh() -> None:
    lock = Exclusive()
    lock.join()
    lock.forked()
    with lock.held(alone=True, unwanted=never):
        assert lock.is_held_alone
