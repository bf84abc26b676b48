"""The Python interface: a `Grader` grades cases on an engine, one after the other or many at once.

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
        engine: Where sandboxes are made; None for the Docker Engine that the environment names.
        host: Address of that engine, such as ``tcp://build:2376``; ignored when `engine` is given.
        profile: ``default``, or ``strict`` for submissions that are expected to attack. ``strict!`` is the same, and
            insists on gVisor.
        runtime: OCI runtime of the sandboxes, such as ``runsc``; None for the profile's or the engine's default.
        accept_weaker: The walls that sandboxes may lack where no engine builds them, as ``files,ipc``.

    Raises:
        UsageRefused: If there is no such profile, or no such wall. On first use, if ``strict!`` lacks its runtime.
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
        """Start afresh in a forked process: gradings of the old one are not ours to wait for or stop."""
        self._connecting = Lock()
        self._finishing = Flag()
        self._calls = Calls()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def engine(self) -> Engine:
        """The engine. What crashed runs left on it is removed on first use."""
        # Several threads may use it first at the same time, and must not connect twice.
        with self._connecting:
            if self._engine is None:
                self._engine = self._connect()
            return self._engine

    @property
    def description(self) -> str:
        """The profile and runtime of the sandboxes, in a line for people."""
        _ = self.engine
        return f"profile {self._settings.profile.name}, runtime {self._settings.runtime or 'of the engine'}"

    @property
    def lacking(self) -> tuple[str, ...]:
        """What the runtime cannot provide of the profile, a sentence each."""
        _ = self.engine
        return profiles.shortfall(self._settings.profile, self._settings.runtime)

    def _connect(self) -> Engine:
        if self._given is not None:
            return self._prepared(self._given)
        engine = connect(self._host)
        try:
            return self._prepared(engine)
        except BaseException:
            # Something may be open already, such as a tunnel.
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
            case: A case, or where it is.
            submission: A submission, or where it is. A text with a line break is never taken for a path: it is the
                text of an answer. None grades the workspace as it is.
            answer: The text of an answer, instead of `submission`.

        Raises:
            CaseRefused: If the case has mistakes.
            SubmissionRefused: If there is nothing to read where the submission should be, or it is none.
            EngineUnavailable: If no engine answers.
        """
        return self._grade_alone(Call(), partial(Task, case, submission, answer=answer))

    async def grade_async(self, case: AnyCase, submission: AnyWork = None, *, answer: str | None = None) -> Result:
        """Grade one submission of one case without blocking the event loop. Raises what `grade` raises.

        When this is cancelled, the sandbox is killed.
        """
        import asyncio  # noqa: PLC0415 - only this method needs it

        call = Call()
        try:
            return await asyncio.to_thread(self._grade_alone, call, partial(Task, case, submission, answer=answer))
        except asyncio.CancelledError:
            # The thread runs on until it notices. Killing waits for the engine, and the event loop must not.
            Thread(target=call.cancel, name="cancelled").start()
            raise

    def settle(self, case: Case, known: Crossing | None = None) -> Case:
        """Return a case with how its submissions are judged, which its reference shows.

        `known` is what was found earlier, which holds if the case is the same. What prevents it is the `problem` of its
        crossing.
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
        """Grade many, `jobs` at a time, and yield the results in the order of the tasks.

        Tasks are taken from the iterable only a little ahead of the results, so that ten thousand of them need no more
        memory than ten. After `finish` or `stop`, no task is started, and the started ones are still yielded. If you
        leave the loop early, or are interrupted in it (Ctrl-C), running gradings are killed.

        As far as the engine's memory allows, the sandboxes of the next tasks are started meanwhile, one for each job. A
        task whose submission cannot be read raises where it is made, as `Task` says. `keep` takes each result as soon
        as it is known, and its task with the submission that a target made of it, from any thread and in no order; what
        it raises is raised here. Raises EngineUnavailable, too.
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
        # One made ahead would keep its image on the disk.
        spares = Spares(engine, self._machine, pace, lambda: 0 if room or finishing() else line.waiting, exclusive)
        leases = Leases()
        call = Call(spares=spares, leases=leases)
        with closing(leases), closing(spares), self._calls.open(call):
            yield from line.graded(tasks, grade, finishing=finishing, cancel=call.cancel)

    def _limit(self, pace: Pace) -> None:
        """Let no more gradings run at a time than this process can open files for."""
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
        """Kill running gradings and start nothing new. What was running is graded as interrupted, an `error`."""
        self._finishing.set()
        self._calls.cancel()

    @property
    def stopped(self) -> bool:
        """Whether running gradings were killed, so that an `error` may be no verdict."""
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
        """Return the result of a task, and the task with the submission that a target has made for it."""
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
            # What grades is imported while the engine already works.
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
