"""The request of a run: what the command line asks to be graded, and how."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from graders.cases.select import EVERYTHING, Selection
from graders.cli.progress import Display
from graders.errors import UsageRefused
from graders.model.verdict import Status
from graders.reports.registry import ReportFile
from sandbox import profiles


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for; see ``grade --help``.

    Attributes:
        repeat: How often each submission is graded.
        fail_fast: Whether nothing new begins after a verdict that is not ``passed``.
        resume: The run directory that is continued, None for a new run.
        rerun: Which verdicts of that run are found anew.
        reuse: Whether verdicts of earlier runs below `runs` count where everything that they depend on is the same.
        reports: What is written when the run is over.
        jobs: How many at a time, None to decide by the engine's processors and memory.
    """

    cases: tuple[Path, ...]
    submissions: tuple[str, ...] = ()
    answers: Path | None = None
    targets: Path | None = None
    leaderboard: Path | None = None
    selection: Selection = EVERYTHING
    reference: bool = False
    repeat: int = 1
    fail_fast: bool = False
    resume: Path | None = None
    rerun: frozenset[Status] = frozenset()
    reuse: bool = False
    reports: tuple[ReportFile, ...] = ()
    json_lines: bool = False
    jobs: int | None = None
    runs: Path = Path("runs")
    profile: str = profiles.DEFAULT.name
    runtime: str | None = None
    host: str | None = None
    display: Display = Display.AUTO
    verbose: int = 0
    quiet: bool = False

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
        if self.reuse and self.repeat > 1:
            raise UsageRefused("--reuse and --repeat exclude each other.")
