"""What each person pays."""

from __future__ import annotations

from page import OPEN, SHARE, server, split, visit

__all__ = ["server"]

SHARES = {
    ("10", "4"): "2.50",
    ("10", "3"): "3.34",
    ("0", "5"): "0.00",
    ("0.01", "2"): "0.01",
    # In binary, 1.1 * 100 is more than 110, and 4.35 * 100 less than 435.
    ("1.1", "1"): "1.10",
    ("4.35", "1"): "4.35",
    ("1234567.89", "1"): "1234567.89",
}


def test_shares_are_right_to_the_cent() -> None:
    steps = [step for given in SHARES for step in (OPEN, *split(*given), SHARE)]
    assert dict(zip(SHARES, visit(*steps), strict=True)) == SHARES


def test_a_click_shows_a_share_and_the_next_one_replaces_it() -> None:
    before = [["fill", "#bill", "10"], ["fill", "#people", "2"], SHARE]
    assert visit(*before, *split("10", "4"), SHARE, *split("9", "2"), SHARE) == ["", "2.50", "4.50"]
