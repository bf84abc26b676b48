"""A definition and a case -> the submission that is graded. Whatever goes wrong is in the submission."""

from __future__ import annotations

from typing import assert_never

from graders.errors import GraderError
from graders.grading.settings import Settings
from graders.model.case import Case
from graders.model.events import StepStarted
from graders.model.submission import Submission
from graders.submissions.answer import extract_code, read_answer
from graders.targets.agent import run_agent
from graders.targets.definition import (
    CliTarget,
    Definition,
    MockTarget,
    ReplayTarget,
)
from graders.targets.replay import replayed
from sandbox.engines.engine import Engine
from sandbox.errors import SandboxError


def produce(engine: Engine, case: Case, definition: Definition, settings: Settings, *, repeat: int = 1) -> Submission:
    """Return what a target hands in for a case.

    An answer of a target that leaves the workspace as it was is its work: the code of it is put where the case says.
    What is the target's fault is the submission's `problem`, what is ours or the author's its `fault`. Never raises.
    """
    name = definition.name
    if settings.stop.is_set():
        return Submission(name, fault="The run was interrupted.")
    settings.emit(StepStarted(case.id, name, f"the target {name}", 1, 1, case.target, repeat))
    try:
        return extract_code(case, _made(engine, case, definition, settings))
    except (GraderError, SandboxError) as error:
        return Submission(name, fault=str(error))
    except OSError as error:
        return Submission(name, fault=f"A file for the target {name} cannot be read: {error}.")


def _made(engine: Engine, case: Case, definition: Definition, settings: Settings) -> Submission:
    match definition:
        case CliTarget():
            return run_agent(engine, case, definition, settings)
        case ReplayTarget():
            return replayed(case, definition)
        case MockTarget():
            return read_answer(definition.name, definition.output)
        case _:  # pragma: no cover - mypy proves it unreachable
            assert_never(definition)
