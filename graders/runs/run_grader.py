"""The grader of a command: somebody listens to it, and it shares with other gradings what they have found out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Self

from gradebox.graders.grading.baseline_cache import BaselineCache
from gradebox.graders.grading.fingerprint import Key
from gradebox.graders.grading.grader import Grader
from gradebox.graders.grading.settings import wrapped
from gradebox.graders.judges.reply_cache import ReplyCache
from gradebox.graders.judges.spending import Spending
from gradebox.graders.model.events import Event
from gradebox.graders.model.result import Result


class RunGrader(Grader):
    """A `Grader` with what a program that uses it has no need of."""

    def wired(
        self,
        *,
        emit: Callable[[Event], None] = lambda _: None,
        known: Callable[[Key, str | None], Result | None] = lambda *_: None,
        replies: ReplyCache | None = None,
        spending: Spending | None = None,
        baselines: BaselineCache | None = None,
    ) -> Self:
        """Return this grader, before its first use.

        Args:
            emit: Takes events, from any thread. What it raises is raised to the caller.
            known: Returns an earlier result that still holds, as `Settings.known` says.
            replies: Of judges; in memory by default.
            spending: What judges may cost; no limit by default.
            baselines: What cases come to without a submission; in memory by default.
        """
        self._settings = replace(
            self._settings, emit=wrapped(emit), known=known, replies=replies or ReplyCache(),
            spending=spending or Spending(), baselines=baselines or BaselineCache(),
        )  # fmt: skip
        return self
