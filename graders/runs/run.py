"""One run: grades several submissions at a time, writes each verdict to disk at once, and reports them in order.

A run emits events (`model.events`) and prints nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradebox.graders.cases.select import Chosen
from gradebox.graders.errors import UsageRefused
from gradebox.graders.grading.baseline_cache import BASELINES, BaselineCache
from gradebox.graders.grading.capacity import default_jobs, most_jobs
from gradebox.graders.grading.many.pace import Pace
from gradebox.graders.grading.task import Task
from gradebox.graders.judges.reply_cache import REPLIES, ReplyCache
from gradebox.graders.judges.spending import Spending
from gradebox.graders.model.events import CaseGraded, Event, RunFinishing, RunStarted, VerdictReported
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.verdict import Status
from gradebox.graders.runs.added_options import hooks
from gradebox.graders.runs.dependencies import in_order
from gradebox.graders.runs.evidence_log import NO_WORK
from gradebox.graders.runs.kept.keeper import Keeper
from gradebox.graders.runs.request import Request, recorded
from gradebox.graders.runs.reuse import Reuse
from gradebox.graders.runs.run_grader import Executor, RunGrader
from gradebox.graders.runs.statistics import Flakiness, Totals
from gradebox.graders.runs.store import Store, amend_record
from gradebox.graders.runs.tasks import Tasks
from gradebox.sandbox.engines.engine import EngineInfo

if TYPE_CHECKING:
    from gradebox.graders.grading.case_images.image_room import ImageRoom


@dataclass(slots=True, eq=False)
class Run:
    """Carries out a request."""

    request: Request
    chosen: Chosen
    tasks: Tasks
    reuse: Reuse  # Earlier verdicts that are still valid.
    emit: Callable[[Event], None] = lambda _: None  # Takes events, from any thread.
    workers: int | None = None  # How many sandboxes the suites request at a time; None if no suite does.
    totals: Totals = field(default_factory=Totals, init=False)
    flakiness: Flakiness = field(default_factory=Flakiness, init=False)
    spending: Spending = field(init=False)  # The cost of judges so far.
    directory: Path | None = field(default=None, init=False)  # The run directory; None before it is made.
    keeper: Keeper | None = field(default=None, init=False)  # Keeps submissions; None before grading.
    room: ImageRoom | None = field(default=None, init=False)  # Limits the disk space of images; None for no limit.
    images_left: tuple[str, ...] = field(default=(), init=False)  # Images that the run could not remove.

    def __post_init__(self) -> None:
        self.spending = Spending.limited(self.request.judge_budget)

    @property
    def changed(self) -> int:
        """How many submissions were graded again because something that their verdicts depend on had changed."""
        return self.reuse.changed

    @property
    def about_images(self) -> tuple[str, ...]:
        """Sentences about the disk space of the images, if it is limited."""
        if self.room is None:
            return ()
        taken = f"images: {self.room.count} obtained, {self.room.peak_bytes / 1e9:.1f} GB at most at a time"
        left = f"images that are still used, and were not removed: {', '.join(self.images_left)}"
        return (taken, left) if self.images_left else (taken,)

    def grader(self) -> Executor:
        """Return the executor of the run. To end the run early, call its `finish` or `stop`.

        Raises:
            GraderError: If a plug-in's option replaces this machine's engine by an executor that cannot grade.
        """
        request = self.request
        for executor in hooks(request.added, "executor"):
            found: Executor | None = executor(request, self.chosen.cases, emit=self.emit, known=self.reuse)
            if found is not None:
                return found
        if request.disk is not None:
            from gradebox.graders.grading.case_images.image_room import ImageRoom  # noqa: PLC0415 - few runs need it

            self.room = ImageRoom(request.disk, (one.case for one in self.tasks.walk()))
            self.tasks = self.tasks.grouped(self.room.key_of)
        grader = RunGrader(
            host=request.host, profile=request.profile, runtime=request.runtime, accept_weaker=request.accept_weaker
        )
        return grader.wired(
            emit=self.emit,
            known=self.reuse,
            replies=ReplyCache(request.runs / REPLIES),
            spending=self.spending,
            baselines=BaselineCache(request.runs / BASELINES),
            room=self.room,
        )

    def carry_out(self, grader: Executor) -> None:
        """Grade everything, and write every verdict.

        Raises GraderError if the run directory cannot be written, the engine lacks the requested runtime, or the
        submission is a folder of submissions, and SandboxError if no engine answers.
        """
        request = self.request
        engine = grader.engine.info()
        _check_runtime(request.runtime, engine)
        from gradebox.graders.runs.submission_folder import refuse_folder  # noqa: PLC0415 - after the engine has answered

        refuse_folder(self.chosen.cases, request.submissions)
        if request.disk is not None:
            _check_disk(grader, engine)
        elif isinstance(grader, RunGrader):
            # Other executors, such as a cluster, grade with other engines.
            grader.make_images(self.chosen.cases)
        if request.resume:
            self._settle(grader, engine)
            store = Store.reopen(request.resume)
        else:
            record = self._settle(grader, engine)
            # No variable keeps the record in memory: it names every submission.
            record |= {"tasks": len(self.tasks), **self.tasks.record}
            store = Store.create(request.runs, {**recorded(request), **record}, name=request.name)
        try:
            self.directory = store.directory
            self.emit(RunStarted(store.directory, grader.description, store.locked, grader.lacking))
            self._grade(grader, store, engine)
        finally:
            store.close()
            if self.room is not None:
                self.images_left = self.room.close(time.sleep)

    def _settle(self, grader: Executor, engine: EngineInfo) -> dict[str, Any]:
        """Decide the isolation of each case, and return the decisions for the record of the run."""
        from gradebox.graders.runs import settled  # noqa: PLC0415 - after the engine has answered

        known = settled.recorded(self.reuse.saved.requested) if self.reuse.saved else {}
        if self.room is not None and isinstance(grader, RunGrader):
            grader.know(known.values())
            return {}
        listed = {settled.name_of(one.case): one.case for one in self.tasks.walk()}
        memory = {case.memory_bytes for case in self.chosen.cases}
        jobs = self.request.jobs or default_jobs(engine, memory, self.workers)
        cases = settled.settle_all(grader, listed.values(), known, jobs)
        self.tasks = self.tasks.settled(cases)
        if (found := settled.summary(cases.values())) is not None:
            self.emit(found)
        return settled.record_of(cases.values())

    def _grade(self, grader: Executor, store: Store, engine: EngineInfo) -> None:
        from gradebox.graders.runs.settled import LateCrossings  # noqa: PLC0415 - after the engine has answered

        def void(result: Result) -> bool:
            # After a stop, an error says nothing about the submission, so it is not a verdict.
            return grader.stopped and result.verdict.status is Status.ERROR

        self.keeper = keeper = Keeper(self.request.most_kept_bytes, store.has)
        saved = self.reuse.saved
        late = LateCrossings(saved.requested if saved else {}, partial(amend_record, store.directory))
        failures = count(1)

        def keep(task: Task, result: Result) -> None:
            # One failed try does not decide its case, and a verdict that the run had before is not a new failure.
            failed = result.verdict.status is not Status.PASSED and not result.trials and not self.reuse.has(result)
            if failed and next(failures) == self.request.max_failures:
                # Done here and not in `_report`, because by then the next grading would have started.
                grader.finish()
                self.emit(RunFinishing())
            late.note(task.case, result.crossing)
            if not void(result) and not self.reuse.has(result):
                # If an earlier verdict is reused, the target has made no submission.
                work = keeper.work_of(result, task.submission) if isinstance(task.submission, Submission) else NO_WORK
                # A submission that was not graded has no hash yet.
                store.add(replace(result, submission_hash=result.submission_hash or work.hash), work)

        def withhold(task: Task, withheld: Result) -> Result:
            result = self.reuse.as_before(withheld)
            self.emit(CaseGraded(result, found_before=result is not withheld))
            keep(task, result)
            return result

        memory = {case.memory_bytes for case in self.chosen.cases}
        jobs = self.request.jobs or default_jobs(engine, memory, self.workers)
        fixed = self.request.jobs or self.workers
        pace = Pace(jobs, None if fixed else most_jobs(engine, memory))
        results = in_order(
            self.tasks,
            dependent=any(case.depends_on for case in self.chosen.cases),
            grade_many=partial(grader.grade_many, jobs=pace, keep=keep),
            broken=self.chosen.broken,
            withhold=withhold,
            void=void,
        )
        # The results are closed here, so that no sandbox is left when the engine is disconnected.
        with closing(results):
            try:
                for task, result in results:
                    if not void(result):
                        self._report(task, result)
            except BaseException:
                # Stop first, so that gradings that are killed now are not stored as errors.
                grader.stop()
                raise

        if self.room is not None and (found := late.summary(self.chosen.cases)) is not None:
            self.emit(found)

    def _report(self, task: Task, result: Result) -> None:
        resumed = self.reuse.has(result)
        self.totals.add(result, resumed=resumed)
        if self.request.repeat > 1:
            self.flakiness.add(result)
        self.emit(VerdictReported(task.case, task.submission, result, resumed))


def _check_disk(grader: Executor, engine: EngineInfo) -> None:
    if not isinstance(grader, RunGrader) or not engine.removes_images:
        raise UsageRefused(
            f"--disk limits the images of a Docker Engine, which {engine.name} is not.",
            remedy="Grade on a Docker Engine, or without --disk.",
        )


def _check_runtime(runtime: str | None, engine: EngineInfo) -> None:
    if runtime and engine.runtimes and runtime not in engine.runtimes:
        raise UsageRefused(f"The engine has no runtime {runtime}.", remedy=f"It has {', '.join(engine.runtimes)}.")
