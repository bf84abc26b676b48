"""One run: gradings at a time, verdicts on disk as they are known, and told in order. Prints."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from graders.cases.select import Chosen
from graders.cli import console
from graders.cli.interruption import Interruption, RunState, interruptible
from graders.cli.logs import log_event, room_for_lines
from graders.cli.progress import progress_on
from graders.errors import (
    OutputLost,
    ReaderGone,
    ReportLost,
    RunRefused,
    UsageRefused,
)
from graders.formats.julia_leaderboard.answers import Leaderboard
from graders.grading.capacity import default_jobs
from graders.grading.grader import Grader
from graders.grading.task import Task
from graders.model.events import CaseGraded, Event
from graders.model.result import Result
from graders.model.verdict import Status
from graders.model.verdict_document import as_json
from graders.reports.registry import ReportFile, save_report
from graders.reports.terminal import output
from graders.reports.text_report import print_verdict
from graders.runs.asked import asked_of
from graders.runs.dependencies import in_order
from graders.runs.request import Request
from graders.runs.reuse import Before
from graders.runs.saved_run import read_run
from graders.runs.statistics import Flakiness, Totals
from graders.runs.store import Store
from graders.runs.tasks import Tasks
from sandbox import profiles
from sandbox.engines.engine import EngineInfo

# Up to so many verdicts are told in full whatever they are.
_IN_FULL = 20


class Run:
    """Grades what was asked.

    Args:
        request: What was asked.
        chosen: The cases.
        tasks: What is to be graded.
        before: What needs not be found again.
        workers: How many suites ask for at a time, None where none does.

    Attributes:
        cases: The selected cases.
        totals: What the verdicts so far came to.
        interrupted: Whether somebody ended it.
        directory: Where the run is kept, None before there is one.
        lost: Why a report that was asked for is not there, None where all are.
    """

    def __init__(
        self,
        request: Request,
        chosen: Chosen,
        tasks: Tasks,
        before: Before,
        workers: int | None = None,
    ) -> None:
        self.totals = Totals()
        self.interrupted = False
        self.directory: Path | None = None
        self.lost: ReportLost | None = None
        self._request = request
        self.cases = chosen.cases
        self._broken = chosen.broken
        self._tasks = tasks
        self._before = before
        self._workers = workers
        self._begun = time.monotonic()
        self._console = output()
        self._progress = progress_on(count=len(tasks), display=request.display, quiet=request.quiet)
        self._flakiness = Flakiness()
        # Of many, those that passed have nothing to say.
        self._brief = len(tasks) > _IN_FULL and not request.verbose

    def carry_out(self) -> None:
        """Grade, write and tell all of it.

        Raises:
            GraderError: If the run directory cannot be written, or the engine has not what is asked for.
            SandboxError: If no engine answers.
        """
        request = self._request
        with (
            Grader(
                host=request.host,
                profile=request.profile,
                runtime=request.runtime,
                emit=self._hear,
                known=self._before,
            ) as grader,
            interruptible(grader, self._tell_end) as interruption,
        ):
            info = grader.engine.info()
            _check_runtime(request.runtime, info)
            if request.profile != profiles.DEFAULT.name and not request.quiet:
                console.note(grader.description)
            store = Store.reopen(request.resume) if request.resume else Store.create(request.runs, asked_of(request))
            self.directory = store.directory
            if not store.locked:
                self._tell(f"the file system of {store.directory} has no locks: nothing keeps another run out of it")
            try:
                with self._progress, room_for_lines(self._progress.paused):
                    self._grade(grader, store, interruption, info)
            finally:
                store.close()
            self.interrupted = interruption.requested
        self._conclude(store, self._report(store))

    def _grade(self, grader: Grader, store: Store, interruption: Interruption, info: EngineInfo) -> None:
        request = self._request
        board = None
        if request.leaderboard is not None:
            board = Leaderboard(request.leaderboard, request.answers, self.cases)

        def cut_off(graded: Result) -> bool:
            # By us, so it has no verdict.
            return interruption.state is RunState.STOPPED and graded.verdict.status is Status.ERROR

        def keep(_task: Task, graded: Result) -> None:
            if request.fail_fast and graded.verdict.status is not Status.PASSED:
                # Here and not where results are told: the next one would have begun by then.
                grader.finish()
                self._progress.finish()
            if not cut_off(graded) and not self._before.has(graded):
                store.add(graded)

        def withhold(task: Task, withheld: Result) -> Result:
            graded = self._before.as_it_was(withheld)
            # Nothing was begun that could tell of its end.
            self._hear(CaseGraded(graded, found_before=graded is not withheld))
            keep(task, graded)
            return graded

        memory = (case.limits.memory_bytes for case in self.cases)
        jobs = request.jobs or default_jobs(info, memory, self._workers)
        grade_many = partial(grader.grade_many, jobs=jobs, keep=keep)
        dependent = any(case.depends_on for case in self.cases)
        results = in_order(
            self._tasks,
            dependent=dependent,
            grade_many=grade_many,
            broken=self._broken,
            withhold=withhold,
            void=cut_off,
        )
        # Closed here, so that no sandbox is left when the engine is let go.
        with closing(results), _stopping_unheard(grader, interruption):
            for task, graded in results:
                if cut_off(graded):
                    continue
                if board is not None:
                    board.add(task.case, task.submission, graded)
                self._take(graded, store)

    def _take(self, graded: Result, store: Store) -> None:
        old = self._before.has(graded)
        self.totals.add(graded, old=old)
        if self._request.repeat > 1:
            self._flakiness.add(graded)
        if old:
            return
        with self._progress.paused():
            if self._request.json_lines:
                print(as_json(graded, store.id), flush=True)
            else:
                print_verdict(self._console, graded, brief=self._brief)

    def _report(self, store: Store) -> list[ReportFile]:
        """Write the reports that were asked for, and return those that are written."""
        written: list[ReportFile] = []
        if not self._request.reports:
            return written
        saved = read_run(store.directory)
        for wanted in self._request.reports:
            try:
                save_report(saved, wanted.form, wanted.place)
                written.append(wanted)
            except RunRefused as refused:
                # The others are wanted all the same, and everybody wants to know where the run is.
                remedy = f"`grade report {store.directory} -f {wanted.form} -o FILE` writes it elsewhere."
                self.lost = self.lost or ReportLost(refused.message, remedy=remedy)
        return written

    def _hear(self, event: Event) -> None:
        log_event(event)
        self._progress.take(event)

    def _tell_end(self, sentence: str) -> None:
        self._progress.finish()
        self._tell(sentence)

    def _tell(self, sentence: str) -> None:
        self._progress.warn(sentence)

    def _conclude(self, store: Store, reports: list[ReportFile]) -> None:
        count = len(self._tasks)
        missing = count - self.totals.count
        left = f"{_of(missing, count)} not graded" if missing else "all that was asked for had been graded"
        if self.interrupted:
            self._tell(f"interrupted: {left}")
        elif missing:
            self._tell(f"ended at the first that did not pass: {left}")
        for sentence in self._flakiness.sentences():
            self._tell(sentence)
        if self._request.quiet:
            return
        changed = self._before.changed
        for number, what in (
            (self.totals.old, f"{self.totals.old} of {count} had been graded before"),
            (changed, f"{_of(changed, count)} graded anew: what a verdict depends on has changed"),
            (self.totals.reused, f"{_of(self.totals.reused, count)} taken from earlier runs"),
        ):
            if number:
                console.note(what)
        for form, place in reports:
            console.note(f"{form} report: {place}")
        console.note(f"run directory: {store.directory}")
        took = f"in {time.monotonic() - self._begun:.1f} s"
        if self.totals.found < self.totals.count:
            took = f"{self.totals.found} graded {took}"
        console.print_counts(self.totals.statuses, took)


@contextmanager
def _stopping_unheard(grader: Grader, interruption: Interruption) -> Iterator[None]:
    """Kill what runs where nobody is left who could be told of it; what is known by then is on disk."""
    try:
        yield
    except (OutputLost, ReaderGone):
        interruption.state = RunState.STOPPED
        grader.stop()
        raise


def _of(number: int, count: int) -> str:
    return f"{number} of {count} {'was' if number == 1 else 'were'}"


def _check_runtime(runtime: str | None, engine: EngineInfo) -> None:
    if runtime and engine.runtimes and runtime not in engine.runtimes:
        raise UsageRefused(
            f"The engine has no runtime {runtime}.",
            remedy=f"It has {', '.join(engine.runtimes)}.",
        )
