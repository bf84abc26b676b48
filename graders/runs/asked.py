"""What a run was asked to do, as its record has it, and the same question again when it is continued."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from graders.cases.select import EVERYTHING, Selection
from graders.errors import RunRefused, UsageRefused
from graders.runs.request import Request
from graders.runs.saved_run import SavedRun
from graders.submissions.source import STDIN
from sandbox import profiles


def asked_of(request: Request) -> dict[str, Any]:
    """Return what decides which verdicts a run has; paths are absolute, since it may be continued from elsewhere."""
    return {
        "cases": [_absolute(path) for path in request.cases],
        "submissions": [path if path == STDIN else _absolute(Path(path)) for path in request.submissions],
        "reference": request.reference,
        "answers": None if request.answers is None else _absolute(request.answers),
        "targets": None if request.targets is None else _absolute(request.targets),
        "leaderboard": None if request.leaderboard is None else _absolute(request.leaderboard),
        "ids": list(request.selection.ids),
        "tags": list(request.selection.tags),
        "excluded": list(request.selection.excluded),
        "repeat": request.repeat,
        "profile": request.profile,
        "runtime": request.runtime,
    }


def continued(request: Request, saved: SavedRun) -> Request:
    """Return what is asked when a run is continued: what was asked first, in the way that is asked now.

    Raises:
        UsageRefused: If something else is asked for, or the submission came from standard input.
        RunRefused: If the record does not say what was asked.
    """
    asked_again = {
        "--case": request.cases,
        "--submission": request.submissions,
        "--reference": request.reference,
        "--answers": request.answers,
        "--targets": request.targets,
        "--leaderboard": request.leaderboard,
        "-k, --tag and --exclude-tag": request.selection != EVERYTHING,
        "--repeat": request.repeat != 1,
        "--profile": request.profile != profiles.DEFAULT.name,
        "--runtime": request.runtime,
    }
    given = [name for name, value in asked_again.items() if value]
    if given:
        raise UsageRefused(
            f"{' and '.join(given)} cannot be given with --resume.", remedy="A run is continued with what it was asked."
        )
    asked = saved.asked
    try:
        if STDIN in asked["submissions"]:
            raise UsageRefused("A run whose submission came from standard input cannot be continued.")
        return replace(
            request,
            cases=tuple(map(Path, asked["cases"])),
            submissions=tuple(asked["submissions"]),
            reference=bool(asked["reference"]),
            answers=_path(asked["answers"]),
            targets=_path(asked["targets"]),
            leaderboard=_path(asked["leaderboard"]),
            selection=Selection(tuple(asked["ids"]), tuple(asked["tags"]), tuple(asked["excluded"])),
            repeat=int(asked["repeat"]),
            profile=asked["profile"],
            runtime=asked["runtime"],
            runs=saved.directory.resolve().parent,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise RunRefused(f"The record of {saved.directory} does not say what was asked: {error!r}.") from error


def _absolute(path: Path) -> str:
    return str(path.absolute())


def _path(text: Any) -> Path | None:
    return None if text is None else Path(text)
