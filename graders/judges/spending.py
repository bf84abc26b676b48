"""The cost of judging, and the budget for it. May be used from several threads."""

from __future__ import annotations

import re
from dataclasses import field
from threading import Lock

from gradebox.graders.errors import UsageRefused
from gradebox.sandbox.records import dataclass

PRICES = "Write input_usd_per_million and output_usd_per_million, or a budget in tokens."
_BUDGET = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*(usd|tokens)?\Z")


@dataclass(slots=True)
class Spending:
    """The cost of the judges of a run so far, and its limits."""

    most_usd: float | None = None  # None for no limit.
    most_tokens: int | None = None  # Limit of tokens in requests and replies, None for no limit.
    requests: int = 0  # How many requests were sent.
    tokens: int = 0
    usd: float = 0.0
    _lock: Lock = field(default_factory=Lock, repr=False)

    @classmethod
    def limited(cls, budget: str | None) -> Spending:
        """Return the budget in ``--judge-budget``. Raises UsageRefused if it is not a budget."""
        if budget is None:
            return cls()
        match = _BUDGET.match(budget.strip().lower())
        if match is None:
            raise UsageRefused(f"--judge-budget cannot be {budget!r}.", remedy="Write 2.50usd or 200000tokens.")
        if match[2] == "tokens":
            return cls(most_tokens=int(float(match[1])))
        return cls(most_usd=float(match[1]))

    def __str__(self) -> str:
        """Return the cost in a few words, for people."""
        cost = f", {self.usd:.4f} USD" if self.usd else ""
        return f"{self.requests} request{'' if self.requests == 1 else 's'}, {self.tokens} tokens{cost}"

    @property
    def used_up(self) -> bool:
        """Whether the budget is used up. Replies to requests that were already sent are still used."""
        with self._lock:
            dear = self.most_usd is not None and self.usd >= self.most_usd
            return dear or (self.most_tokens is not None and self.tokens >= self.most_tokens)

    def add(self, tokens: int, usd: float | None) -> None:
        with self._lock:
            self.requests += 1
            self.tokens += tokens
            self.usd += usd or 0.0
