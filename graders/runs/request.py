"""The request of a run: what is graded, and how."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graders.cases.select import EVERYTHING, Selection
from graders.errors import RunRefused, UsageRefused
from graders.model.verdict import Status
from graders.submissions.source import STDIN
from sandbox import profiles

if TYPE_CHECKING:
    from graders.runs.saved_run import SavedRun


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line requests; see ``grade --help``.

    Attributes:
        judge: The file that says who judges words, None for the cases' own judges.
        judge_budget: What judging may cost, as ``--judge-budget`` has it.
        repeat: How often each submission is graded.
        fail_fast: Whether nothing new starts after a verdict that is not ``passed``.
        resume: The run directory that is continued, None for a new run.
        rerun: Which verdicts of that run are graded again.
        reuse: Whether verdicts of earlier runs below `runs` count where everything that they depend on is the same.
        time_factor: By which the limits of time of all cases are multiplied.
        jobs: How many at a time, None to decide by the engine's CPUs and memory.
    """

    cases: tuple[Path, ...]
    submissions: tuple[str, ...] = ()
    answers: Path | None = None
    targets: Path | None = None
    leaderboard: Path | None = None
    judge: Path | None = None
    judge_budget: str | None = None
    selection: Selection = EVERYTHING
    reference: bool = False
    repeat: int = 1
    fail_fast: bool = False
    resume: Path | None = None
    rerun: frozenset[Status] = frozenset()
    reuse: bool = False
    jobs: int | None = None
    runs: Path = Path("runs")
    profile: str = profiles.DEFAULT.name
    runtime: str | None = None
    host: str | None = None
    time_factor: float = 1.0

    def refuse_contradictions(self) -> None:
        """Refuse what makes no sense, before anything is read.

        Raises:
            UsageRefused: If there is no case, or options exclude each other.
        """
        if not self.cases and self.resume is None:
            raise UsageRefused("Name a case with --case.", remedy="`grade --help` shows an example.")
        sources = {
            "--submission": self.submissions,
            "--reference": self.reference,
            "--answers": self.answers,
            "--targets": self.targets,
        }
        given = [name for name, value in sources.items() if value]
        if len(given) > 1:
            raise UsageRefused(f"{' and '.join(given)} exclude each other.")
        if self.rerun and self.resume is None:
            raise UsageRefused("--rerun needs --resume RUN.", remedy="It selects verdicts of that run to grade again.")
        if self.reuse and self.repeat > 1:
            raise UsageRefused("--reuse and --repeat exclude each other.")


def recorded(request: Request) -> dict[str, Any]:
    """Return the record of a request: all that decides which verdicts a run has.

    Paths are absolute, since the run may be continued from elsewhere.
    """
    return {
        "cases": [_absolute(path) for path in request.cases],
        "submissions": [path if path == STDIN else _absolute(Path(path)) for path in request.submissions],
        "reference": request.reference,
        "answers": None if request.answers is None else _absolute(request.answers),
        "targets": None if request.targets is None else _absolute(request.targets),
        "leaderboard": None if request.leaderboard is None else _absolute(request.leaderboard),
        "judge": None if request.judge is None else _absolute(request.judge),
        "ids": list(request.selection.ids),
        "tags": list(request.selection.tags),
        "excluded": list(request.selection.excluded),
        "where": list(request.selection.where),
        "repeat": request.repeat,
        "profile": request.profile,
        "runtime": request.runtime,
        "time_factor": request.time_factor,
    }


def continued(request: Request, saved: SavedRun) -> Request:
    """Return the request that continues a run: what was requested first, graded in the way that is requested now.

    Raises:
        UsageRefused: If something else is requested, or the submission came from standard input.
        RunRefused: If the record does not hold the first request.
    """
    given_again = {
        "--case": request.cases,
        "--submission": request.submissions,
        "--reference": request.reference,
        "--answers": request.answers,
        "--targets": request.targets,
        "--leaderboard": request.leaderboard,
        "--judge": request.judge,
        "-k, --tag, --exclude-tag and --where": request.selection != EVERYTHING,
        "--repeat": request.repeat != 1,
        "--profile": request.profile != profiles.DEFAULT.name,
        "--runtime": request.runtime,
        "--time-factor": request.time_factor != 1.0,
    }
    given = [name for name, value in given_again.items() if value]
    if given:
        raise UsageRefused(
            f"{' and '.join(given)} cannot be given with --resume.", remedy="A run is continued with its first request."
        )
    record = saved.requested
    try:
        if STDIN in record["submissions"]:
            raise UsageRefused("A run whose submission came from standard input cannot be continued.")
        return replace(
            request,
            cases=tuple(map(Path, record["cases"])),
            submissions=tuple(record["submissions"]),
            reference=bool(record["reference"]),
            answers=_path(record["answers"]),
            targets=_path(record["targets"]),
            leaderboard=_path(record["leaderboard"]),
            judge=_path(record.get("judge")),
            # Runs of version 0.1 have no `where`.
            selection=Selection(
                *map(tuple, (record["ids"], record["tags"], record["excluded"], record.get("where", ())))
            ),
            repeat=int(record["repeat"]),
            profile=record["profile"],
            runtime=record["runtime"],
            time_factor=float(record.get("time_factor", 1.0)),
            runs=saved.directory.resolve().parent,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise RunRefused(f"The record of {saved.directory} does not hold its request: {error!r}.") from error


def _absolute(path: Path) -> str:
    return str(path.absolute())


def _path(text: Any) -> Path | None:
    return None if text is None else Path(text)
