"""Keeps all processors of an engine busy, to grade a reference on a busy machine, and reports what that shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from threading import Thread

from gradebox.graders.authoring.differences import differences
from gradebox.graders.authoring.margins import narrow
from gradebox.graders.authoring.quality_gradings import Level, QualityFinding, Subject, SubjectResult
from gradebox.graders.errors import GraderError
from gradebox.graders.model.case import Case
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.errors import SandboxError
from gradebox.sandbox.limits import MIB, Limits
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Ending, Outcome, SandboxSpec

# The longest duration of the load, which normally ends with the gradings.
LOAD_SECONDS = 3600.0
_SPIN = ("sh", "-c", "while :; do :; done")
_LIMITS = Limits(memory_bytes=64 * MIB, disk_bytes=MIB, pids=8)
# Within this time, a load whose program is missing has ended.
_STARTED_SECONDS = 1.0
_MOST_DIFFERENCES = 3


class LoadRefused(GraderError):
    """The processors cannot be kept busy."""


@contextmanager
def busy(engine: Engine, spec: Callable[[Limits], SandboxSpec]) -> Iterator[int]:
    """Keep all processors of an engine busy during the context, each with one sandbox; yield their number.

    Args:
        engine: The engine, which must report its processors.
        spec: Returns the spec of a sandbox with these limits, from an image with a shell.

    Raises:
        LoadRefused: If the engine does not say how many processors it has, or a sandbox cannot use one.
    """
    count = engine.info().processors
    if not count:
        raise LoadRefused("The engine does not say how many processors it has.")
    with ExitStack() as stack:
        loads = []
        try:
            for _ in range(count):
                sandbox = stack.enter_context(Sandbox(engine, spec(_LIMITS)))
                load = _Load(sandbox)
                stack.callback(load.end)
                loads.append(load)
        except SandboxError as error:
            raise LoadRefused(f"The processors cannot be kept busy: {error.message}") from error
        loads[-1].thread.join(_STARTED_SECONDS)
        if broken := next((load.outcome for load in loads if load.outcome is not None), None):
            why = broken.detail or f"its command ended as {broken.ending}"
            raise LoadRefused(f"The processors cannot be kept busy: {why}", remedy="The image needs a shell, `sh`.")
        yield count


def effects_of_load(case: Case, results: Sequence[SubjectResult]) -> Iterator[QualityFinding]:
    """Yield the findings that only gradings of the reference under load show."""
    calm = next(one.result for one in results if one.subject is Subject.REFERENCE)
    loaded = [one.result for one in results if one.subject is Subject.UNDER_LOAD]
    for found in [found for result in loaded if (found := differences(calm, result))][:1]:
        listed = "; ".join(found[:_MOST_DIFFERENCES])
        message = f"With all processors busy, the reference was graded otherwise: {listed}."
        remedy = "Measure processor time in place of wall time, or write `exclusive: true` into the case."
        yield QualityFinding(Level.UNFAIR, message, remedy, calm.submission)
    yield from narrow(case, loaded)


class _Load:
    """A sandbox that uses a processor until it is ended."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.outcome: Outcome | None = None
        sandbox.snapshot()
        self._uid = sandbox.uid(1)
        sandbox.reset(self._uid)
        self.thread = Thread(target=self._run, name="load", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        command = Command(
            argv=_SPIN, env=self._sandbox.env, uid=self._uid, wall_seconds=LOAD_SECONDS, cpu_seconds=LOAD_SECONDS
        )
        outcome = self._sandbox.run(command)
        # `end` kills the sandbox, which is no failure.
        if outcome.ending is not Ending.SANDBOX_LOST:
            self.outcome = outcome

    def end(self) -> None:
        with suppress(SandboxError):
            self._sandbox.kill()
        self.thread.join()
