"""Describes runs for a list: what was graded, when, the counts of verdicts, and the size.

Runs of other versions and broken runs are also listed: a user may be looking for them in order to remove them.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from gradebox.graders.documents.paths import open_regular
from gradebox.graders.runs.history.run_lock import is_written
from gradebox.graders.runs.history.run_names import FoundRun
from gradebox.graders.runs.store import MAX_BYTES, RECORD, RESULTS
from gradebox.sandbox.records import dataclass

_CASES = 2


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in a list."""

    run: str  # The name of the run.
    directory: str
    started: datetime
    what: str  # Cases and submissions, in words.
    verdicts: dict[str, int]  # The number of verdicts of each status.
    gradings: int | None  # The expected number of verdicts, None if the run does not record it.
    running: bool  # Whether a process is writing verdicts to it.
    size_bytes: int
    problem: str = ""  # Why it cannot be read; empty if it can.

    def described(self) -> dict[str, Any]:
        """Return the run as a value for JSON."""
        names = (*ListedRun.__dataclass_fields__,)
        return {name: getattr(self, name) for name in names} | {"started": self.started.isoformat()}


class _Line(BaseModel):
    """The key and the status of the verdict in a line of results; other fields are ignored."""

    case: str
    target: str | None = None
    submission: str
    repeat: int = 1
    verdict: str


def listed_run(found: FoundRun) -> ListedRun:
    """Return the description of a run."""
    asked: Mapping[str, Any] = {}
    verdicts: Counter[str] = Counter()
    problem = ""
    try:
        with open_regular(found.directory / RECORD) as stream:
            asked = dict(json.loads(stream.read(MAX_BYTES))["asked"])
        verdicts = _counted(found.directory / RESULTS)
        what, gradings = what_was_asked(asked), asked.get("tasks")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        what, gradings = "", None
        problem = "results.jsonl holds what is not a verdict" if isinstance(error, ValidationError) else f"{error}"
    return ListedRun(
        found.name,
        str(found.directory),
        found.started,
        what,
        dict(sorted(verdicts.items(), reverse=True)),
        gradings if isinstance(gradings, int) else None,
        is_written(found.directory),
        sum(_sizes(found.directory)),
        problem,
    )


def _counted(results: Path) -> Counter[str]:
    verdicts: dict[tuple[str, str | None, str, int], str] = {}
    try:
        with open_regular(results) as stream:
            for line in iter(lambda: stream.readline(MAX_BYTES), b""):
                # A line without a line break is still being written.
                if line.endswith(b"\n"):
                    one = _Line.model_validate_json(line)
                    verdicts[one.case, one.target, one.submission, one.repeat] = one.verdict
    except FileNotFoundError:
        pass
    return Counter(verdicts.values())


def what_was_asked(asked: Mapping[str, Any]) -> str:
    """Return in words what a run was requested to grade, according to its record."""
    cases = [_short(path) for path in asked.get("cases") or ()]
    words = [", ".join(cases[:_CASES]) + (f" and {len(cases) - _CASES} more" if len(cases) > _CASES else "")]
    submissions = [str(path) for path in asked.get("submissions") or ()]
    if asked.get("answers"):
        words.append(f"answers of {Path(asked['answers']).name}")
    elif asked.get("reference"):
        words.append("reference")
    elif submissions:
        words.append(Path(submissions[0]).name if len(submissions) == 1 else f"{len(submissions)} submissions")
    words += [f"shard {asked['shard']}"] if asked.get("shard") else []
    words += [f"regraded {asked['regraded']}"] if asked.get("regraded") else []
    return "; ".join(filter(None, words))


def _short(path: str) -> str:
    """Return the name of a case's file, or of its directory if the file has the same name in all cases."""
    place = Path(path)
    return place.parent.name if place.name in {"case.yaml", "EVAL.yaml", "definition.toml"} else place.name


def _sizes(directory: Path) -> Iterable[int]:
    """Yield the size of each file, in bytes. Links are not followed."""
    pending = [directory]
    while pending:
        yield from _sizes_in(pending.pop(), pending)


def _sizes_in(directory: Path, pending: list[Path]) -> Iterator[int]:
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(Path(entry.path))
                else:
                    yield entry.stat(follow_symlinks=False).st_size
    except OSError:
        # The directory is being removed, or this user may not read it.
        return
