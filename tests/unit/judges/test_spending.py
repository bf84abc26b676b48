"""What judging costs and may cost."""

from __future__ import annotations

import pytest

from gradebox.graders.errors import UsageRefused
from gradebox.graders.judges.spending import Spending


@pytest.mark.parametrize(
    ("budget", "usd", "tokens"),
    [
        (None, None, None),
        ("2.50usd", 2.5, None),
        ("2", 2.0, None),
        (" 3 USD", 3.0, None),
        ("200000tokens", None, 200_000),
        ("0usd", 0.0, None),
    ],
)
def test_a_budget_is_dollars_or_tokens(budget: str | None, usd: float | None, tokens: int | None) -> None:
    found = Spending.limited(budget)
    assert (found.most_usd, found.most_tokens) == (usd, tokens)


@pytest.mark.parametrize("budget", ["", "much", "-1", "1e9", "5 eur", "nan", "1usdx"])
def test_anything_else_is_refused_with_an_example(budget: str) -> None:
    with pytest.raises(UsageRefused, match=r"Write 2\.50usd or 200000tokens"):
        Spending.limited(budget)


def test_it_is_used_up_once_it_is_reached() -> None:
    spending = Spending(most_tokens=100)
    spending.add(60, None)
    assert not spending.used_up
    spending.add(60, 0.5)
    assert spending.used_up
    assert str(spending) == "2 requests, 120 tokens, 0.5000 USD"
    dear = Spending(most_usd=1.0)
    dear.add(1, 1.0)
    assert dear.used_up
    assert not Spending().used_up
    assert Spending(most_usd=0.0).used_up
