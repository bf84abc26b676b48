"""Who grades the tasks of a run: the engine of this machine, or what an option of a plug-in puts in its place.

The grader of this machine has a listener, and shares with other gradings what they have found out.
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
    """What a run asks about where it grades."""

    def info(self) -> EngineInfo:
        """Return its name, and how much it can do at a time."""


class Executor(Protocol):
    """Grades many, and can be ended from another thread. `grading.grader.Grader` is one."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    @property
    def engine(self) -> Machine:
        """Where it grades. Raises SandboxError if nobody answers there."""

    @property
    def description(self) -> str:
        """Where it grades, in a line for people."""

    @property
    def lacking(self) -> tuple[str, ...]:
        """What it cannot provide of what was requested, a sentence each."""

    @property
    def stopped(self) -> bool:
        """Whether running gradings were killed, so that an `error` may be no verdict."""

    def settle(self, case: Case, known: Crossing | None = None) -> Case:
        """Return a case with how its submissions are judged; `known` is what was found earlier."""

    def grade_many(
        self, tasks: Iterable[Task], *, jobs: Pace, keep: Callable[[Task, Result], None] = lambda *_: None
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks; `keep` takes each as soon as it is known, from any thread."""

    def finish(self) -> None:
        """Start nothing new; what runs is graded."""

    def stop(self) -> None:
        """Kill what runs, and start nothing new."""


class RunGrader(Grader):
    """A `Grader` with what a program that uses it has no need of."""

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
            emit: Takes events, from any thread. What it raises is raised to the caller.
            known: Returns an earlier result that still holds, as `Settings.known` says.
            replies: Of judges; in memory by default.
            spending: What judges may cost; no limit by default.
            baselines: What cases come to without a submission; in memory by default.
            room: What limits the disk of images; no limit by default.
        """
        self._settings = replace(
            self._settings, emit=wrapped(emit), known=known, replies=replies or ReplyCache(),
            spending=spending or Spending(), baselines=baselines or BaselineCache(), room=room,
        )  # fmt: skip
        return self

    def image_of(self, case: Case) -> str:
        """Return the image that a case is graded in, built if the case says how. Raises CaseRefused if it cannot be."""
        _ = self.engine
        return self._settings.image_of(case)

    def sandbox_spec(self, image: str, limits: Limits, seconds: float) -> SandboxSpec:
        """Return a sandbox beside those of gradings, under the same profile; its commands take at most `seconds`."""
        _ = self.engine
        return self._settings.sandbox_spec(image, limits, seconds)

    def make_images(self, cases: Iterable[Case]) -> None:
        """Build the images that cases say how to build, several at a time. What fails is an error of each grading."""
        _ = self.engine
        self._images.make_all(cases)

    def know(self, crossings: Iterable[Crossing]) -> None:
        """Take over how cases are judged: it holds for those that are still the same."""
        for one in crossings:
            self._settings.baselines.crossings.know(one.content, one)

    def _grade(self, engine: Engine, task: Task, call: Call) -> tuple[Task, Result]:
        room = self._settings.room
        with room.held(task.case) if room else nullcontext():
            return super()._grade(engine, task, call)
