"""The output of a run: progress and notes on stderr, verdicts on stdout, reports in files.

A run itself prints nothing. It emits events, to which this module listens.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING, Self

from gradebox.graders.cli import console
from gradebox.graders.cli.display import Display, progress_on
from gradebox.graders.cli.interruption import interruptible
from gradebox.graders.cli.logs import log_event, room_for_lines
from gradebox.graders.errors import ReportLost, RunRefused
from gradebox.graders.model.events import CasesSettled, Event, ReferenceTried, RunFinishing, RunStarted, VerdictReported
from gradebox.graders.model.result import Result
from gradebox.graders.reports.ci_log import commands_stopped
from gradebox.graders.reports.report_settings import AS_USUAL, ReportSettings
from gradebox.graders.submissions.source import STDIN
from gradebox.sandbox.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rich.console import Console

    from gradebox.graders.reports.report_formats import ReportFile
    from gradebox.graders.reports.run_summary import RunSummary
    from gradebox.graders.runs.run import Run

# With more verdicts than this, each verdict that passed gets one line.
_IN_FULL = 20


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """The options of the command line for the output of a run; see ``grade --help``."""

    reports: tuple[ReportFile, ...] = ()
    json_lines: bool = False
    display: Display = Display.AUTO
    verbose: int = 0
    quiet: bool = False
    durations: int = 0  # How many of the longest gradings to list.
    settings: ReportSettings = AS_USUAL


class RunOutput:
    """Prints the output of one run. Takes events from several threads.

    `count` is the expected number of verdicts; `listeners` take each event before it is printed.
    """

    def __init__(
        self,
        options: OutputOptions,
        count: int,
        listeners: Sequence[Callable[[Event], None]] = (),
        *,
        show_profile: bool = False,
    ) -> None:
        self._options = options
        self._count = count
        self._listeners = listeners
        self._show_profile = show_profile and not options.quiet
        self._start = time.monotonic()
        self._stdout: Console | None = None
        # Progress shows the names of running tests, which candidates must not see.
        self._hides = options.settings.for_candidates
        display = Display.NONE if self._hides else options.display
        self._progress = progress_on(count=count, display=display, quiet=options.quiet)
        self._shown = ExitStack()
        self._run_id = ""
        # The summary of several verdicts, which is for people only.
        self._summary: RunSummary | None = None
        self._summarised = (count > 1 or options.durations) and not (options.quiet or options.json_lines or self._hides)
        # Whether the note that references are graded first was printed. It is progress, which logs do not need.
        self._tried = options.quiet or not console.on_terminal(sys.stderr)
        # Among many verdicts, those that passed get one line each.
        self._brief = count > _IN_FULL and not options.verbose
        self._dots = options.display is Display.DOTS and not (options.verbose or options.quiet)

    @property
    def settings(self) -> ReportSettings:
        """The settings of the reports, such as their audience."""
        return self._options.settings

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._shown.close()

    def take(self, event: Event) -> None:
        log_event(event)
        self._progress.take(event)
        for listener in self._listeners:
            listener(event)
        match event:
            case ReferenceTried() if not self._tried:
                self._tried = True
                console.note("judging references apart first, to find out how submissions are judged")
            case CasesSettled():
                self._note_settled(event)
            case RunStarted():
                self._begin(event)
            case RunFinishing():
                self._progress.finish()
            case VerdictReported():
                if self._summarised:
                    self._summarise(event.result)
                if not (event.resumed or self._hides):
                    self._print(event.result)
            case _:
                pass

    def warn_of_end(self, sentence: str) -> None:
        self._progress.finish()
        self._progress.warn(sentence)

    def _begin(self, event: RunStarted) -> None:
        self._run_id = event.directory.name
        if self._show_profile:
            console.note(event.sandboxes)
        console.warn(*(f"warning: {sentence}" for sentence in event.lacking))
        if not event.locked:
            console.warn(
                f"warning: {event.directory} cannot be locked (no file locking); do not start a second run there"
            )
        self._shown.enter_context(self._progress)
        self._shown.enter_context(room_for_lines(self._progress.paused))

    def _note_settled(self, found: CasesSettled) -> None:
        counts = (
            (found.apart, "apart"),
            (found.in_process, "in-process, because the reference fails apart"),
            (found.without_reference, "in-process, because it has no reference"),
        )
        said = [f"{console.counted(number, 'case')} {how}" for number, how in counts if number]
        if not self._options.quiet:
            console.note(f"isolation: {'; '.join(said)}")

    def _summarise(self, result: Result) -> None:
        if self._summary is None:
            from gradebox.graders.reports.run_summary import RunSummary

            self._summary = RunSummary(self._options.durations)
        self._summary.add(result)

    def _print(self, result: Result) -> None:
        with nullcontext() if self._dots else self._progress.paused():
            if self._options.json_lines:
                from gradebox.graders.model.verdict_document import as_json

                print(as_json(result, self._run_id), flush=True)
                return
            if self._dots:
                return
            from gradebox.graders.reports.terminal import output
            from gradebox.graders.reports.text_report import print_verdict

            self._stdout = self._stdout or output()
            print_verdict(self._stdout, result, brief=self._brief)

    def conclude(self, run: Run, directory: Path, *, interrupted: bool) -> ReportLost | None:
        """Write the reports and print the result of the run. Return why a report is missing, None if none is."""
        from gradebox.graders.runs.history.run_names import shortest_name

        written, lost = self._write_reports(directory)
        name = shortest_name(directory)
        if self._hides:
            self._print_for_candidates(directory)
        self._print_summary()
        self._print_end(run, name, interrupted=interrupted)
        if self._options.quiet:
            return lost
        for number, what in (
            (run.totals.resumed, f"{run.totals.resumed} of {self._count} had been graded before"),
            (run.changed, f"{_of(run.changed, self._count)} graded again: something that it depends on has changed"),
            (run.totals.reused, f"{_of(run.totals.reused, self._count)} taken from earlier runs"),
        ):
            if number:
                console.note(what)
        if run.spending.requests:
            console.note(f"judges: {run.spending}")
        for form, place in written:
            console.note(f"{form} report: {place}")
        if run.keeper is not None and run.keeper.left:
            console.note(f"{run.keeper.left} of {self._count} submissions not kept: `grade show` says why")
        console.note(*run.about_images)
        console.note(f"run directory: {directory}")
        self._print_next(name, report=not written)
        took = f"in {time.monotonic() - self._start:.1f} s"
        if run.totals.graded < run.totals.count:
            took = f"{run.totals.graded} graded {took}"
        console.print_counts(run.totals.statuses, took)
        return lost

    def _print_for_candidates(self, directory: Path) -> None:
        from gradebox.graders.reports.report_formats import pieces
        from gradebox.graders.runs.saved_run import read_run

        sys.stdout.writelines(pieces(read_run(directory), "text", self._options.settings))
        sys.stdout.flush()

    def _print_summary(self) -> None:
        if self._summary is not None:
            from gradebox.graders.reports.run_summary import summary_lines
            from gradebox.graders.reports.terminal import output, print_lines

            terminal = output(stderr=True)
            if lines := list(summary_lines(self._summary, terminal)):
                print_lines(terminal, iter(lines))

    def _print_next(self, name: str, *, report: bool) -> None:
        if self._summary is not None and self._summary.whole.count > 1:
            from gradebox.graders.reports.run_summary import next_commands

            commands = list(next_commands(name, self._summary, report=report))
            for line in ("next:", *(f"  {command}" for command in commands)) if commands else ():
                console.say(line)

    def _print_end(self, run: Run, name: str, *, interrupted: bool) -> None:
        missing = self._count - run.totals.count
        left = f"{_of(missing, self._count)} not graded" if missing else "everything had been graded"
        if missing and STDIN not in run.request.submissions:
            left += f"; continue with: grade --resume {shlex.quote(name)}"
        if interrupted:
            console.warn(f"interrupted: {left}")
        elif missing:
            most = run.request.max_failures or 1
            where = "at the first verdict that is" if most == 1 else f"after {most} verdicts that are"
            console.warn(f"ended {where} not passed: {left}")
        console.note(*run.totals.tries.sentences())
        if not self._hides:
            console.warn(*run.flakiness.sentences())

    def _write_reports(self, directory: Path) -> tuple[list[ReportFile], ReportLost | None]:
        written: list[ReportFile] = []
        lost: ReportLost | None = None
        if not self._options.reports:
            return written, lost
        from gradebox.graders.reports.report_formats import save_report
        from gradebox.graders.runs.saved_run import read_run

        saved = read_run(directory)
        for report in self._options.reports:
            try:
                save_report(saved, report.format_name, report.path, self._options.settings)
                written.append(report)
            except RunRefused as refused:
                # The other reports are still written, and the end of the run is still printed.
                remedy = f"`grade report {directory} -f {report.format_name} -o FILE` writes it elsewhere."
                lost = lost or ReportLost(refused.message, remedy=remedy)
        return written, lost


def _of(number: int, count: int) -> str:
    return f"{number} of {count} {'was' if number == 1 else 'were'}"


def carry_out(run: Run, output: RunOutput) -> bool:
    """Carry out a run and print its result. Return whether it was interrupted.

    Raises ReportLost if a report could not be written and the run was not interrupted.
    """
    limit = run.request.max_wall_seconds
    with commands_stopped():
        with run.grader() as grader, interruptible(grader, output.warn_of_end, limit) as interruption, output:
            run.carry_out(grader)
        assert run.directory is not None
        lost = output.conclude(run, run.directory, interrupted=interruption.requested)
    _publish(run, output.settings)
    if lost is not None and not interruption.requested:
        raise lost
    console.warn(*([str(lost)] if lost else []))
    return interruption.requested


def _publish(run: Run, settings: ReportSettings) -> None:
    """Publish the run in the GitHub Actions job in which this process runs, if any."""
    if run.directory is None or os.environ.get("GITHUB_ACTIONS") != "true":
        return
    from gradebox.graders.reports.github import publish
    from gradebox.graders.runs.saved_run import read_run

    places = {case.id: case.place for case in run.chosen.cases}
    complaint = publish(read_run(run.directory), places, settings=settings)
    if complaint:
        console.warn(complaint)
