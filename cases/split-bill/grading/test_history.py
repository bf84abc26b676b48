"""Which bills were split before."""

from __future__ import annotations

from page import OPEN, server, split, visit

__all__ = ["server"]

ENTRIES = ["texts", "#history li"]


def test_the_newest_entry_is_the_first_and_a_new_page_has_none() -> None:
    before, after, reloaded = visit(ENTRIES, *split("10", "3"), *split("0.50", "2"), ENTRIES, OPEN, ENTRIES)
    assert (before, reloaded) == ([], [])
    assert after == ["0.50 / 2 = 0.25", "10 / 3 = 3.34"]
