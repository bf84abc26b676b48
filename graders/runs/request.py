"""The request of a run: what to grade, and how."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradebox.graders.cases.select import EVERYTHING, Selection
from gradebox.graders.errors import RunRefused, UsageRefused
from gradebox.graders.model.submission import HandIn
from gradebox.graders.model.verdict import Status
from gradebox.graders.runs import added_options
from gradebox.graders.runs.history.run_names import refuse_name
from gradebox.graders.submissions.source import STDIN
from gradebox.sandbox import profiles
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.records import dataclass

if TYPE_CHECKING:
    from gradebox.graders.runs.saved_run import SavedRun


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line requests; see ``grade --help``."""

    cases: tuple[Path, ...]
    submissions: tuple[str, ...] = ()
    folder: Path | None = None  # The folder of a class, whose entries become `submissions`.
    name_from: str | None = None  # The pattern that finds the student in the path of an entry.
    strip: int | None = None  # How many directories below the folder the entries lie; None to find out.
    hand_ins: tuple[HandIn, ...] = ()  # The submissions as entries of the folder of a class; empty without a folder.
    answers: Path | None = None
    targets: Path | None = None
    work_of: Path | None = None  # The run whose kept submissions are graded; None for other submissions.
    only: frozenset[Status] = frozenset()  # Which verdicts of that run are graded again; empty for all.
    judge: Path | None = None  # The file that defines the judge; None for the cases' own judges.
    judge_budget: str | None = None  # The limit on the cost of judging, as written after `--judge-budget`.
    selection: Selection = EVERYTHING
    gradings: tuple[tuple[str, str], ...] = ()  # The only pairs of case and submission to grade; empty for all.
    last_failed: bool = False  # Whether to grade only what did not pass in the latest run.
    failed_first: bool = False  # Whether to grade what did not pass in the latest run before all others.
    reference: bool = False
    repeat: int = 1  # How often each submission is graded.
    shard: str | None = None  # Which part of the run is graded, such as `2/8`; None for all.
    max_wall_seconds: float | None = None  # Seconds after which running gradings are killed; None for no limit.
    max_failures: int | None = None  # Nothing new starts after this many verdicts that are not `passed`.
    resume: Path | None = None  # The run directory to continue; None for a new run.
    rerun: frozenset[Status] = frozenset()  # Which verdicts of that run are graded again.
    # Whether to take over a verdict of an earlier run below `runs` if everything that it depends on is the same.
    reuse: bool = False
    jobs: int | None = None  # How many gradings run at once; None to decide by the engine's CPUs and memory.
    runs: Path = Path("runs")
    name: str = ""  # The name of the run and its directory; empty for the time of its start.
    profile: str = profiles.DEFAULT.name
    runtime: str | None = None
    accept_weaker: str = ""
    host: str | None = None
    time_factor: float = 1.0  # Multiplies the time limits of all cases.
    isolation: str | None = None  # The isolation of all cases; None for what each case says.
    strict_layout: bool = False  # Whether a submission fails without being run if none of its files fits the case.
    unreadable: str = Status.FAILED.value  # The verdict on a file that is not a submission.
    # The options of plug-ins that were given, by name: `runs.added_options`.
    added: Mapping[str, Any] = field(default_factory=dict)
    disk: int | None = None  # How many bytes the run's images may take; None for no limit: all are made first.
    keep_submissions: int | None = None  # The most bytes of a submission that are kept; None for the default.

    @property
    def most_kept_bytes(self) -> int:
        """The most bytes of a submission that are kept."""
        return MOST_KEPT_BYTES if self.keep_submissions is None else self.keep_submissions

    @property
    def of_cases(self) -> dict[str, Any]:
        """How cases are graded: the arguments of `cases.select.as_requested`."""
        return {name: getattr(self, name) for name in OF_CASES}

    def refuse_contradictions(self) -> None:
        """Refuse a request that makes no sense, before any file is read.

        Raises UsageRefused if there is no case, or options cannot be combined.
        """
        if not self.cases and self.resume is None:
            raise UsageRefused("Name a case with --case.", remedy="`grade --help` shows an example.")
        sources = {
            "--submission": () if self.hand_ins else self.submissions,
            "--submissions": self.folder,
            "--reference": self.reference,
            "--answers": self.answers,
            "--targets": self.targets,
        }
        given = [name for name, value in sources.items() if value]
        if len(given) > 1:
            raise UsageRefused(f"{' and '.join(given)} cannot be combined.")
        self._refuse_for_continued()
        if self.folder is None and (self.name_from is not None or self.strip is not None):
            raise UsageRefused("--name-from and --strip need --submissions DIR.")
        if self.name:
            refuse_name(self.name, self.runs)
        if self.reuse and self.repeat > 1:
            raise UsageRefused("--reuse and --repeat cannot be combined.")
        if self.last_failed and self.shard is not None:
            raise UsageRefused("--lf and --shard cannot be combined: each machine has different runs.")
        for refuse in added_options.hooks(self.added, "refuse"):
            refuse(self)

    def _refuse_for_continued(self) -> None:
        if self.resume is None:
            if self.rerun:
                remedy = "It selects verdicts of that run to grade again."
                raise UsageRefused("--rerun needs --resume RUN.", remedy=remedy)
            return
        again = "`--rerun failed` grades failures of the run again."
        for name, given, remedy in (
            ("--name", self.name, "To rename a run, move its directory."),
            ("--lf", self.last_failed, again),
            ("--ff", self.failed_first, again),
        ):
            if given:
                raise UsageRefused(f"{name} and --resume cannot be combined.", remedy=remedy)


def disk_of(text: str | None) -> int | None:
    """Return the limit of `--disk` in bytes, None without the option. Raises UsageRefused if it is not a size."""
    if text is None:
        return None
    from gradebox.graders.documents.fields import size_of  # noqa: PLC0415 - few runs need it

    found = size_of(text)
    if not found:
        raise UsageRefused(f"--disk takes a size, not {text}.", remedy="For example: --disk 100g.")
    return found


# The default of `--keep-submissions`: the most bytes of a submission that are kept.
MOST_KEPT_BYTES = 16 * MIB
# The fields that decide which verdicts a run has, and their options on the command line.
OPTIONS = {
    "cases": "--case", "submissions": "--submission", "folder": "--submissions",
    "reference": "--reference", "answers": "--answers", "targets": "--targets", "work_of": "--execute",
    "only": "--only", "gradings": "--lf", "judge": "--judge",
    "selection": "-k, --tag, --exclude-tag, --where, --limit and --sample", "repeat": "--repeat",
    "shard": "--shard", "profile": "--profile",
    "runtime": "--runtime", "time_factor": "--time-factor", "isolation": "--isolation",
    "strict_layout": "--strict-layout", "unreadable": "--unreadable",
}  # fmt: skip
OF_CASES = ("time_factor", "isolation", "strict_layout", "unreadable")
PATHS = ("answers", "targets", "work_of", "judge")


def recorded(request: Request) -> dict[str, Any]:
    """Return the record of a request: everything that decides which verdicts a run has.

    Paths are absolute, because the run may be continued from another directory.
    """
    record = {name: _plain(getattr(request, name)) for name in OPTIONS} | asdict(request.selection)
    record |= added_options.record_of(request.added)
    del record["selection"]
    # On another machine, the same paths may lie below another directory.
    record["directory"] = here = str(Path.cwd())
    record["keep_submissions"] = request.keep_submissions
    record["hand_ins"] = [list(one) for one in request.hand_ins]
    record["submissions"] = [path if path == STDIN else _absolute(path, here) for path in request.submissions]
    return record


def _first_number(*values: Any) -> int | None:
    return next((int(value) for value in values if value is not None), None)


def _absolute(path: str, here: str) -> str:
    """Return an absolute path, without pathlib if possible: pathlib interns each of ten thousand names."""
    absolute = os.path.join(here, path)  # noqa: PTH118
    return absolute if absolute == os.path.normpath(absolute) else str(Path(path).absolute())


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return str(value.absolute()) if isinstance(value, Path) else value


def _selection(record: Mapping[str, Any]) -> Selection:
    # Records of version 0.1 have neither `where` nor the fields after it.
    ids, tags, excluded, where = (tuple(record.get(name, ())) for name in ("ids", "tags", "excluded", "where"))
    return Selection(ids, tags, excluded, where, record.get("sample"), record.get("limit"), record.get("seed", 0))


def continued(request: Request, saved: SavedRun) -> Request:
    """Return the request that continues a run: the recorded options, and other settings of the new request.

    Raises UsageRefused if the new request has an option that decides verdicts, or the original submission came from
    standard input, and RunRefused if the record does not hold the original request.
    """
    nothing = Request(cases=())
    given = [option for name, option in OPTIONS.items() if getattr(request, name) != getattr(nothing, name)]
    given += [
        one.option for name, one in added_options.added_options().items() if one.recorded and name in request.added
    ]
    if given:
        raise UsageRefused(
            f"{' and '.join(given)} cannot be given with --resume.",
            remedy="A run is continued with its original request.",
        )
    requested = of_saved(request, saved)
    if STDIN in requested.submissions:
        raise UsageRefused("A run whose submission came from standard input cannot be continued.")
    return requested


def of_saved(request: Request, saved: SavedRun) -> Request:
    """Return a request with the cases, submissions and options of a saved run.

    Raises RunRefused if the record holds no request.
    """
    record = saved.requested
    try:
        paths: dict[str, Any] = {name: Path(record[name]) if record.get(name) else None for name in PATHS}
        return replace(
            request,
            cases=tuple(map(Path, record["cases"])),
            submissions=tuple(record["submissions"]),
            hand_ins=tuple(HandIn(*map(str, one)) for one in record.get("hand_ins") or ()),
            reference=bool(record["reference"]),
            **paths,
            added={**request.added, **added_options.of_record(record)},
            only=frozenset(map(Status, record.get("only") or ())),
            keep_submissions=_first_number(request.keep_submissions, record.get("keep_submissions")),
            gradings=tuple((str(case), str(submission)) for case, submission in record.get("gradings") or ()),
            selection=_selection(record),
            repeat=int(record["repeat"]),
            shard=str(record["shard"]) if record.get("shard") else None,
            profile=record["profile"],
            runtime=record["runtime"],
            time_factor=float(record.get("time_factor", 1.0)),
            isolation=str(record["isolation"]) if record.get("isolation") else None,
            strict_layout=bool(record.get("strict_layout")),
            unreadable=str(record.get("unreadable", Status.FAILED)),
            runs=saved.directory.resolve().parent,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise RunRefused(f"The record of {saved.directory} does not hold its request: {error!r}.") from error
