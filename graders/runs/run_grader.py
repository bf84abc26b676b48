"""The grader of a run: the engine of this machine, or an executor that a plug-in's option puts in its place.

The grader of this machine emits events, and its gradings share caches, such as baselines and judges' replies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, Self

from gradebox.graders.grading.baseline_cache import BaselineCache
from gradebox.graders.grading.fingerprint import Key
from gradebox.graders.grading.grader import Grader
from gradebox.graders.grading.settings import wrapped
from gradebox.graders.judges.reply_cache import ReplyCache
from gradebox.graders.judges.spending import Spending
from gradebox.graders.model.case import Case
from gradebox.graders.model.events import Event
from gradebox.graders.model.result import Result
from gradebox.sandbox.engines.engine import EngineInfo
from gradebox.sandbox.limits import Limits
from gradebox.sandbox.types import SandboxSpec

if TYPE_CHECKING:
    from gradebox.graders.grading.case_images.image_room import ImageRoom
    from gradebox.graders.grading.many.pace import Pace
    from gradebox.graders.grading.open_sandboxes import Call
    from gradebox.graders.grading.task import Task
    from gradebox.graders.model.case import Case
    from gradebox.graders.model.crossing import Crossing
    from gradebox.sandbox.engines.engine import Engine


class Machine(Protocol):
    """What a run needs to know about the machine that grades."""

    def info(self) -> EngineInfo:
        """Return the machine's name and capacity."""


class Executor(Protocol):
    """Grades many tasks, and can be stopped from another thread. `grading.grader.Grader` is an executor."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    @property
    def engine(self) -> Machine:
        """The machine that grades. Raises SandboxError if it does not answer."""

    @property
    def description(self) -> str:
        """A line that describes the machine to people."""

    @property
    def lacking(self) -> tuple[str, ...]:
        """A sentence for each request that the executor cannot fulfil."""

    @property
    def stopped(self) -> bool:
        """Whether running gradings were killed, so that an `error` may say nothing about the submission."""

    def settle(self, case: Case, known: Crossing | None = None) -> Case:
        """Return a case with its isolation decided; `known` is an earlier decision."""

    def grade_many(
        self, tasks: Iterable[Task], *, jobs: Pace, keep: Callable[[Task, Result], None] = lambda *_: None
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks; `keep` takes each as soon as it is known, from any thread."""

    def finish(self) -> None:
        """Finish running gradings, and start nothing new."""

    def stop(self) -> None:
        """Kill running gradings, and start nothing new."""


class RunGrader(Grader):
    """A `Grader` with the parts that only runs need."""

    def wired(
        self,
        *,
        emit: Callable[[Event], None] = lambda _: None,
        known: Callable[[Key, str | None], Result | None] = lambda *_: None,
        replies: ReplyCache | None = None,
        spending: Spending | None = None,
        baselines: BaselineCache | None = None,
        room: ImageRoom | None = None,
    ) -> Self:
        """Return this grader, before its first use.

        Args:
            emit: Takes events, from any thread. Its exceptions are raised to the caller.
            known: Returns an earlier result that is still valid; see `Settings.known`.
            replies: The cache of judges' replies; in memory by default.
            spending: The limit on the cost of judges; none by default.
            baselines: The cache of results of cases without a submission; in memory by default.
            room: The limit on the disk space of images; none by default.
        """
        self._settings = replace(
            self._settings, emit=wrapped(emit), known=known, replies=replies or ReplyCache(),
            spending=spending or Spending(), baselines=baselines or BaselineCache(), room=room,
        )  # fmt: skip
        return self

    def image_of(self, case: Case) -> str:
        """Return the image of a case, and build it if the case says how. Raises CaseRefused if that fails."""
        _ = self.engine
        return self._settings.image_of(case)

    def sandbox_spec(self, image: str, limits: Limits, seconds: float) -> SandboxSpec:
        """Return the spec of an extra sandbox with the profile of the gradings and commands of at most `seconds`."""
        _ = self.engine
        return self._settings.sandbox_spec(image, limits, seconds)

    def make_images(self, cases: Iterable[Case]) -> None:
        """Build the images of cases, several at a time. A failure becomes the error of each grading that needs it."""
        _ = self.engine
        self._images.make_all(cases)

    def know(self, crossings: Iterable[Crossing]) -> None:
        """Take over earlier decisions about isolation; they apply to cases whose content is still the same."""
        for one in crossings:
            self._settings.baselines.crossings.know(one.content, one)

    def _grade(self, engine: Engine, task: Task, call: Call) -> tuple[Task, Result]:
        room = self._settings.room
        with room.held(task.case) if room else nullcontext():
            return super()._grade(engine, task, call)
