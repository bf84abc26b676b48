"""What is no bill, and what is no number of people."""

from __future__ import annotations

from page import SHARE, server, split, visit

__all__ = ["server"]

WRONG = [("", "2"), ("ten", "2"), ("-1", "2"), ("1.234", "2"), ("10", ""), ("10", "0"), ("10", "1.5"), ("10", "-2")]


def test_wrong_input_is_refused_and_is_not_in_the_history() -> None:
    steps = [step for given in WRONG for step in (*split("10", "2"), *split(*given), SHARE)]
    *shown, entries = visit(*steps, ["texts", "#history li"])
    assert dict(zip(WRONG, shown, strict=True)) == dict.fromkeys(WRONG, "?")
    assert entries == ["10 / 2 = 5.00"] * len(WRONG)
