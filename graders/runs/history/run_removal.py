"""Removes runs, but no directory that contains other files or to which a run is writing."""

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

# An empty file that marks an imported run: its sender may have forged the verdicts.
IMPORTED = "imported"
# All names in a run directory. Version 0.1 kept evidence in a directory.
OF_RUN = frozenset({RECORD, f"{RECORD}.new", RESULTS, LOG, LOCK, IMPORTED, "evidence"})
_SHOWN = 3


def outdated(
    runs: Sequence[FoundRun], now: datetime, keep: int | None = None, older_than: timedelta | None = None
) -> list[FoundRun]:
    """Return the runs that are not among the newest `keep`, and began more than `older_than` before `now`.

    They are in the order of their start. Runs that a user named are left out: the user wants to keep them.
    """
    stamped = sorted(run for run in runs if run.is_stamped)
    beyond = stamped[: max(0, len(stamped) - keep)] if keep is not None else stamped
    return [run for run in beyond if older_than is None or now - run.started > older_than]


def refuse_kept(directory: Path) -> None:
    """Raise RunRefused if a directory is not only a run directory, or a run is writing to it."""
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
            # Remove the record last, so that after an interruption the rest is still a run and can be removed.
            names = sorted(OF_RUN - {RECORD, LOCK})
            for path in [directory / name for name in (*names, RECORD, LOCK)]:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
            directory.rmdir()
    except OSError as error:
        raise RunRefused(f"{directory} cannot be removed: {error.strerror or error}.") from error
