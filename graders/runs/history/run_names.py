"""Finds a run by its path, `latest`, its name, or the beginning of its name.

An existing path takes precedence, then `latest`, then a whole name, then a beginning that fits only one run. A name
from `--name` cannot be confused with these: it begins with a letter, unlike a time stamp, and has no separator. A run's
name is the name of its directory, so moving the directory renames the run.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from gradebox.graders.documents.paths import exists, open_regular
from gradebox.graders.documents.suggest import did_you_mean, similar
from gradebox.graders.errors import RunRefused, UsageRefused
from gradebox.graders.runs.store import MAX_BYTES, RECORD, STAMP

RUNS = Path("runs")
LATEST = "latest"
_LATEST = re.compile(rf"{LATEST}(?:~([0-9]{{1,6}}))?")
_STAMPED = re.compile(r"([0-9]{8}-[0-9]{6})-[0-9a-f]{6}")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}")
_CANDIDATES = 5


class FoundRun(NamedTuple):
    """A run directory, ordered by its start. If two began in the same second, the time of their records decides."""

    started: datetime  # To the second.
    recorded_ns: int
    directory: Path

    @property
    def name(self) -> str:
        return self.directory.name

    @property
    def is_stamped(self) -> bool:
        """Whether the name is the time stamp of the start, and not one that a user gave."""
        return bool(_STAMPED.fullmatch(self.name))


def find_run(word: str | os.PathLike[str], root: Path = RUNS) -> Path:
    """Return the run directory that a word names: an existing path, or a run below `root`.

    A word with a separator, such as `shards/latest`, is looked up below its directory. Raises RunRefused if it fits no
    run, or several.
    """
    path = Path(word)
    if exists(path):
        return path
    root, name = (path.parent if path.name != os.fspath(word) else root), path.name
    runs = runs_below(root)
    if found := _LATEST.fullmatch(name):
        return _nth_latest(runs, int(found[1] or 0), root)
    fitting = [run for run in runs if run.name == name] or [run for run in runs if run.name.startswith(name)]
    if len(fitting) == 1:
        return fitting[0].directory
    if not fitting:
        raise RunRefused(f"There is no run {word}.", remedy=_advice(path, runs, root))
    listed = ", ".join(run.name for run in reversed(fitting[-_CANDIDATES:]))
    more = f" and {len(fitting) - _CANDIDATES} more" if len(fitting) > _CANDIDATES else ""
    raise RunRefused(
        f"{word} is the beginning of {len(fitting)} runs: {listed}{more}.", remedy="Write more of the name."
    )


def shortest_name(directory: Path) -> str:
    """Return the shortest word by which `find_run` finds a run now: `latest`, its name, or its path."""
    for word in (LATEST, directory.name):
        with suppress(RunRefused):
            if find_run(word).resolve() == directory.resolve():
                return word
    return str(directory)


def runs_below(root: Path) -> list[FoundRun]:
    """Return the runs in a directory, newest last, without links to runs and unfinished imports."""
    try:
        entries = [entry for entry in root.iterdir() if not entry.name.startswith(".") and not entry.is_symlink()]
    except OSError:
        return []
    return sorted(run for run in map(run_in, entries) if run is not None)


def run_in(directory: Path) -> FoundRun | None:
    """Return the run in a directory, None if it is not a run directory."""
    record = directory / RECORD
    try:
        recorded_ns = record.stat().st_mtime_ns
    except OSError:
        return None
    return FoundRun(_started(record, recorded_ns), recorded_ns, directory)


def is_name(name: str) -> bool:
    """Return whether the directory of a run may have this name: a valid `--name`, or a time stamp."""
    return bool(_STAMPED.fullmatch(name) or (_NAME.fullmatch(name) and not _LATEST.fullmatch(name)))


def refuse_name(name: str, root: Path) -> None:
    """Raise UsageRefused if a name for a new run is invalid, belongs to another run, or is also a path."""
    if not is_name(name) or _STAMPED.fullmatch(name):
        raise UsageRefused(
            f"--name {name} is not a valid run name.",
            remedy=f"A name begins with a letter, has letters, digits, `.`, `_` and `-`, and is not `{LATEST}`.",
        )
    if exists(root / name):
        raise UsageRefused(
            f"{root / name} exists.", remedy=f"Choose another --name, or continue it with `grade --resume {name}`."
        )
    if exists(Path(name)):
        raise UsageRefused(
            f"--name {name} is also a path here, and the path would take precedence.", remedy="Choose another --name."
        )


def _nth_latest(runs: list[FoundRun], number: int, root: Path) -> Path:
    if number < len(runs):
        return runs[-1 - number].directory
    if not runs:
        raise RunRefused(f"There is no run in {root}.", remedy="`grade` creates one, and prints its directory.")
    count = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
    oldest = LATEST if len(runs) == 1 else f"{LATEST}~{len(runs) - 1}"
    raise RunRefused(f"There are {count} in {root}.", remedy=f"The oldest is {oldest}.")


def _advice(path: Path, runs: list[FoundRun], root: Path) -> str:
    if likely := similar(path.name, [*(run.name for run in runs), *([LATEST] if runs else [])]):
        return f"Did you mean {path.with_name(likely[0])}?"
    if guess := did_you_mean(path):
        return guess
    return "`grade runs` lists the runs." if runs else f"There is no run in {root}."


def _started(record: Path, recorded_ns: int) -> datetime:
    """Return the start of a run, from its name, else from its record, else from the time of the record's file."""
    if stamped := _STAMPED.fullmatch(record.parent.name):
        try:
            return datetime.strptime(stamped[1], STAMP).replace(tzinfo=UTC)
        except ValueError:
            pass
    try:
        with open_regular(record) as stream:
            started = datetime.fromisoformat(json.loads(stream.read(MAX_BYTES))["started"])
        return started.astimezone(UTC).replace(microsecond=0)
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return datetime.fromtimestamp(recorded_ns // 10**9, UTC)
