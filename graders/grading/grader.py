"""The Python interface: a `Grader` grades cases on an engine, one at a time or many in parallel.

from gradebox import Grader

with Grader() as grader:
    result = grader.grade("cases/add-auth", submission="work/")
    print(result.verdict.status, result.verdict.score)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from threading import Event as Flag
from threading import Lock, Thread
from typing import TYPE_CHECKING, Self

from gradebox.graders.errors import GraderError
from gradebox.graders.grading.fingerprint import key_for
from gradebox.graders.grading.image_choice import image_of
from gradebox.graders.grading.internal_error import describe_internal_error
from gradebox.graders.grading.open_sandboxes import Call, Calls
from gradebox.graders.grading.settings import ListenerError, Settings, profile_named, refuse_shortfall, walls
from gradebox.graders.grading.task import AnyCase, AnyWork, Task
from gradebox.graders.model.events import CaseGraded, JobsLimited
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Submission
from gradebox.sandbox import forks, profiles, reaper
from gradebox.sandbox.engines.connect import connect
from gradebox.sandbox.errors import SandboxError

if TYPE_CHECKING:
    from gradebox.graders.grading.many.pace import Pace
    from gradebox.graders.model.case import Case
    from gradebox.graders.model.crossing import Crossing
    from gradebox.sandbox.engines.engine import Engine


class Grader:
    """Grades submissions. May be used from several threads.

    Args:
        engine: The engine that runs the sandboxes; None for the Docker Engine that the environment names.
        host: Address of a Docker Engine, such as ``tcp://build:2376``; ignored if `engine` is given.
        profile: ``default``, or ``strict`` for submissions that are expected to attack. ``strict!`` also requires
            gVisor.
        runtime: OCI runtime of the sandboxes, such as ``runsc``; None for the profile's or the engine's default.
        accept_weaker: The walls that sandboxes may lack where no engine builds them, as ``files,ipc``.

    Raises:
        UsageRefused: If the profile or a wall does not exist. On first use, if ``strict!`` would run without gVisor.
        EngineUnavailable: On first use, if no engine answers.
    """

    def __init__(
        self,
        *,
        engine: Engine | None = None,
        host: str | None = None,
        profile: str = profiles.DEFAULT.name,
        runtime: str | None = None,
        accept_weaker: str = "",
    ) -> None:
        self._given = engine
        self._engine: Engine | None = None
        self._connecting = Lock()
        self._finishing = Flag()
        self._calls = Calls()
        self._host = host
        self._settings = Settings(image_of, profile_named(profile), runtime, walls(accept_weaker))
        forks.register(self)

    def forked(self) -> None:
        """Reset the state in a forked process, which must not wait for the parent's gradings or stop them."""
        self._connecting = Lock()
        self._finishing = Flag()
        self._calls = Calls()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def engine(self) -> Engine:
        """The engine. On first use, leftovers of crashed runs are removed from it."""
        # Several threads may use it first at the same time, and must not connect twice.
        with self._connecting:
            if self._engine is None:
                self._engine = self._connect()
            return self._engine

    @property
    def description(self) -> str:
        """One line for people about the profile and runtime of the sandboxes."""
        _ = self.engine
        return f"profile {self._settings.profile.name}, runtime {self._settings.runtime or 'of the engine'}"

    @property
    def lacking(self) -> tuple[str, ...]:
        """The parts of the profile that the runtime cannot provide, a sentence each."""
        _ = self.engine
        return profiles.shortfall(self._settings.profile, self._settings.runtime)

    def _connect(self) -> Engine:
        if self._given is not None:
            return self._prepared(self._given)
        engine = connect(self._host)
        try:
            return self._prepared(engine)
        except BaseException:
            # Something may already be open, such as a tunnel.
            engine.close()
            raise

    def _prepared(self, engine: Engine) -> Engine:
        reaper.reap(engine)
        settings = self._settings
        self._machine = engine.info()
        runtime = profiles.runtime(settings.profile, settings.runtime, self._machine)
        refuse_shortfall(settings.profile, runtime, self._machine)
        from gradebox.graders.grading.case_images.case_images import CaseImages  # noqa: PLC0415 - after it has answered

        self._images = CaseImages(engine, settings.emit, self._finishing.is_set, room=settings.room)
        self._settings = replace(settings, runtime=runtime, machine=self._machine, image_of=self._images.image_of)
        return engine

    def grade(self, case: AnyCase, submission: AnyWork = None, *, answer: str | None = None) -> Result:
        """Grade one submission of one case.

        Args:
            case: A case, or its path.
            submission: A submission, or its path. None grades the unchanged workspace.
            answer: The text of an answer, instead of `submission`.

        Raises:
            CaseRefused: If the case has mistakes.
            UsageRefused: If the path is empty or has a line break, so that it is the text of an answer.
            SubmissionRefused: If the submission does not exist, cannot be read, or is not a submission.
            EngineUnavailable: If no engine answers.
        """
        return self._grade_alone(Call(), partial(Task, case, submission, answer=answer))

    async def grade_async(self, case: AnyCase, submission: AnyWork = None, *, answer: str | None = None) -> Result:
        """Grade one submission of one case without blocking the event loop. Raises what `grade` raises.

        Cancelling kills the sandbox.
        """
        import asyncio  # noqa: PLC0415 - only this method needs it

        call = Call()
        try:
            return await asyncio.to_thread(self._grade_alone, call, partial(Task, case, submission, answer=answer))
        except asyncio.CancelledError:
            # The thread continues until it notices. Killing waits for the engine, so it must not block the event loop.
            Thread(target=call.cancel, name="cancelled").start()
            raise

    def settle(self, case: Case, known: Crossing | None = None) -> Case:
        """Return a case with its `crossing`: how its submissions are judged, as the reference shows.

        `known` is an earlier crossing, which is used if the case is unchanged. If the crossing cannot be determined,
        its `problem` says why.
        """
        from gradebox.graders.grading.apart.settling import settled_or_not  # noqa: PLC0415 - after the engine has answered

        engine, call = self.engine, Call()
        if known is not None:
            self._settings.baselines.crossings.know(known.content, known)
        with self._calls.open(call):
            try:
                if self._finishing.is_set():
                    call.stop.set()
                return settled_or_not(engine, case, call.applied_to(self._settings))
            except ListenerError as raised:
                raise raised.error from None

    def grade_many(
        self, tasks: Iterable[Task], *, jobs: int | Pace = 1, keep: Callable[[Task, Result], None] = lambda *_: None
    ) -> Iterator[Result]:
        """Grade many tasks, `jobs` at a time, and yield the results in the order of the tasks.

        Tasks are taken from the iterable only a little ahead of the results, so ten thousand tasks need no more memory
        than ten. After `finish` or `stop`, no task is started; the results of started tasks are still yielded. Leaving
        the loop early, or interrupting it (Ctrl-C), kills running gradings.

        As far as the engine's memory allows, the sandboxes of the next tasks are started in advance, one for each job.
        A `Task` whose submission cannot be read raises when it is created. `keep` gets each result as soon as it is
        known, with its task, which then holds the submission that a target made. `keep` is called from any thread, in
        any order, and its exceptions are raised here. Raises EngineUnavailable if no engine answers.
        """

        def grade(task: Task) -> Result | None:
            if self._finishing.is_set():
                return None
            done, result = self._grade(engine, task, call)
            keep(done, result)
            return result

        engine = self.engine
        # After the engine has answered.
        from gradebox.graders.grading.many.leases import Leases  # noqa: PLC0415
        from gradebox.graders.grading.many.line import Line  # noqa: PLC0415
        from gradebox.graders.grading.many.pace import Pace  # noqa: PLC0415
        from gradebox.graders.grading.many.spares import Spares  # noqa: PLC0415

        pace = Pace(jobs) if isinstance(jobs, int) else jobs
        self._limit(pace)
        line = Line(pace)
        finishing = self._finishing.is_set
        exclusive, room = self._settings.exclusive, self._settings.room
        # With a disk limit, none is made ahead: it would keep its image.
        spares = Spares(engine, self._machine, pace, lambda: 0 if room or finishing() else line.waiting, exclusive)
        leases = Leases()
        call = Call(spares=spares, leases=leases)
        with closing(leases), closing(spares), self._calls.open(call):
            yield from line.graded(
                tasks, grade, finishing=finishing, cancel=call.cancel, size=lambda task: task.memory_bytes
            )

    def _limit(self, pace: Pace) -> None:
        """Limit parallel gradings to the number of files that this process may open."""
        from gradebox.graders.grading.many.descriptors import jobs_within, open_limit  # noqa: PLC0415 - as above

        if (limit := open_limit()) is None or (jobs := jobs_within(limit)) >= pace.most:
            return
        if jobs < pace.jobs:
            reason = f"This process may open {limit} files. Raise the limit with `ulimit -n`."
            self._settings.emit(JobsLimited(reason, jobs))
        pace.limit(jobs)

    def finish(self) -> None:
        """Start nothing new; running gradings finish."""
        self._finishing.set()

    def stop(self) -> None:
        """Kill running gradings and start nothing new. The verdict of a killed grading is an `error`: interrupted."""
        self._finishing.set()
        self._calls.cancel()

    @property
    def stopped(self) -> bool:
        """Whether running gradings were killed, so that an `error` may only mean an interruption."""
        return self._calls.stopped

    def close(self) -> None:
        """Disconnect from the engine, if this object connected to it."""
        with self._connecting:
            engine, self._engine = self._engine, None
        if engine is not None and self._given is None:
            engine.close()

    def _grade_alone(self, call: Call, read: Callable[[], Task]) -> Result:
        engine = self.engine
        with self._calls.open(call):
            return self._grade(engine, read(), call)[1]

    def _grade(self, engine: Engine, task: Task, call: Call) -> tuple[Task, Result]:
        try:
            return self._graded_or_error(engine, task, call.applied_to(self._settings))
        except ListenerError as raised:
            raise raised.error from None

    def _graded_or_error(self, engine: Engine, task: Task, settings: Settings) -> tuple[Task, Result]:
        """Return a task with the submission that its target made, and the result."""
        try:
            case, submission, repeat, number = task
            if not isinstance(submission, Submission):
                key = key_for(case.id, case.target, submission.name, repeat)
                known = settings.known(key, None)
                if known is not None:
                    known = replace(known, number=number)
                    settings.emit(CaseGraded(known, found_before=True))
                    return task, known
                submission = submission.produce(engine, case, settings, repeat=repeat)
                task = task._replace(submission=submission)
            # Imported late, while the engine is already working.
            from gradebox.graders.grading import grade as grading  # noqa: PLC0415

            return task, grading.grade(engine, case, submission, settings, repeat=repeat, number=number)
        except (GraderError, SandboxError):
            raise
        except Exception as bug:  # noqa: BLE001 - an error that one submission causes must not end a run of many
            from gradebox.graders.grading import grade as grading  # noqa: PLC0415 - the same

            fault, name = describe_internal_error(bug), task.submission.name
            result = grading.not_graded(task.case, name, fault, repeat=task.repeat, number=task.number)
            settings.emit(CaseGraded(result))
            return task, result
