"""What lasts is had by one grading at a time, and all of it ends with the call."""

from __future__ import annotations

from gradebox.graders.grading.many.leases import Leases


class Thing:
    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def test_what_was_given_back_is_taken_once() -> None:
    leases, one = Leases(), Thing()
    leases.give("key", one)
    assert leases.take("key") is one
    assert leases.take("key") is None
    assert one.closed == 0


def test_another_key_ends_what_nobody_has() -> None:
    leases, one, other = Leases(), Thing(), Thing()
    leases.give("one", one)
    leases.give("other", other)
    assert leases.take("other") is other
    assert (one.closed, other.closed) == (0, 0)
    assert leases.take("third") is None
    assert (one.closed, other.closed) == (1, 0)


def test_closing_ends_all_of_it_and_what_is_given_back_later() -> None:
    leases, one, late = Leases(), Thing(), Thing()
    leases.give("key", one)
    leases.close()
    leases.give("key", late)
    assert (one.closed, late.closed) == (1, 1)
    assert leases.take("key") is None
