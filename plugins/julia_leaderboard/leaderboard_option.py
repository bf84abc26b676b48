"""``--leaderboard DIR``: every verdict of a definition's case is also written as an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gradebox.graders.runs.added_options import AddedOption

if TYPE_CHECKING:
    from gradebox.graders.model.case import Case
    from gradebox.graders.model.events import Event
    from gradebox.graders.runs.request import Request

OPTIONS = (
    AddedOption(
        "--leaderboard DIR",
        "Where to write evaluations of definition.toml cases, under the leaderboard's file names.",
        section="Results",
        kind=Path,
        recorded=True,
    ),
)


def listener(request: Request, cases: Sequence[Case]) -> Callable[[Event], None]:
    """Return a listener that writes the evaluations, verdict by verdict."""
    from gradebox.graders.model.events import VerdictReported  # noqa: PLC0415 - help needs the option alone
    from gradebox.plugins.julia_leaderboard.evaluations import Leaderboard  # noqa: PLC0415 - the same

    board = Leaderboard(request.added["leaderboard"], request.answers, cases, request.submissions)

    def take(event: Event) -> None:
        if isinstance(event, VerdictReported):
            board.add(event.case, event.submission, event.result)

    return take
