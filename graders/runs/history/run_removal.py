"""Removes runs. A directory that holds anything but a run, or to which a run is writing, stays as it is."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from gradebox.graders.errors import RunRefused
from gradebox.graders.runs.evidence_log import LOG
from gradebox.graders.runs.history.run_lock import kept_out
from gradebox.graders.runs.history.run_names import FoundRun
from gradebox.graders.runs.store import LOCK, RECORD, RESULTS

# An empty file: the verdicts are the word of whoever sent the run.
IMPORTED = "imported"
# Version 0.1 has kept evidence in a directory.
OF_RUN = frozenset({RECORD, f"{RECORD}.new", RESULTS, LOG, LOCK, IMPORTED, "evidence"})
_SHOWN = 3


def outdated(
    runs: Sequence[FoundRun], now: datetime, keep: int | None = None, older_than: timedelta | None = None
) -> list[FoundRun]:
    """Return the runs that are not among the newest `keep`, and began more than `older_than` before `now`.

    Only those without a name of their own, in the order of their start: whoever named a run wants to keep it.
    """
    stamped = sorted(run for run in runs if run.is_stamped)
    beyond = stamped[: max(0, len(stamped) - keep)] if keep is not None else stamped
    return [run for run in beyond if older_than is None or now - run.started > older_than]


def refuse_kept(directory: Path) -> None:
    """Raise RunRefused if a directory is not a run's own, or a run is writing to it."""
    if directory.is_symlink():
        raise RunRefused(f"{directory} is a link.", remedy="Name the run itself.")
    if not (directory / RECORD).is_file():
        raise RunRefused(f"{directory} is not a run directory: it has no {RECORD}.")
    others = sorted({entry.name for entry in directory.iterdir()} - OF_RUN)
    if others:
        listed = ", ".join(others[:_SHOWN]) + (", ..." if len(others) > _SHOWN else "")
        raise RunRefused(f"{directory} also holds {listed}.", remedy="Move these elsewhere, or use `rm -r`.")
    with kept_out(directory):
        pass


def remove(directory: Path) -> None:
    """Remove a run directory. Raises RunRefused if it cannot or must not be removed."""
    refuse_kept(directory)
    try:
        with kept_out(directory):
            # The record last: what is left if this is interrupted is still a run, and can be removed again.
            names = sorted(OF_RUN - {RECORD, LOCK})
            for path in [directory / name for name in (*names, RECORD, LOCK)]:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
            directory.rmdir()
    except OSError as error:
        raise RunRefused(f"{directory} cannot be removed: {error.strerror or error}.") from error
