"""The failures of the latest run, for a run that grades them first, or only them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from gradebox.graders.model.verdict import Status
from gradebox.graders.runs.history.run_names import runs_below
from gradebox.graders.runs.saved_run import read_run


class LastFailures(NamedTuple):
    """The pairs of case and submission with a verdict other than `passed`."""

    run: str  # The name of the run, empty if there is none.
    gradings: frozenset[tuple[str, str]]


def last_failures(root: Path) -> LastFailures:
    """Return the failures of the latest run below a directory. Raises RunRefused if that run cannot be read."""
    runs = runs_below(root)
    if not runs:
        return LastFailures("", frozenset())
    verdicts = read_run(runs[-1].directory).verdicts
    failed = (key for key, verdict in verdicts.items() if verdict.verdict != Status.PASSED.value)
    return LastFailures(runs[-1].name, frozenset((key.case, key.submission) for key in failed))
