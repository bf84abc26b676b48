"""The feedback directory, in which an interactor leaves its message and the input of its next pass.

Only the grader can use it: the candidate can neither enter nor replace it. Submitted files at its path are removed
first.
"""

from __future__ import annotations

from dataclasses import replace
from posixpath import join

from gradebox.graders.grading import artifacts
from gradebox.graders.model.evidence import Artifact, StepOutcome
from gradebox.graders.model.plan import NEXT_INPUT, Stage
from gradebox.sandbox.archive import ArchiveEntry, EntryKind
from gradebox.sandbox.errors import WorkspaceRefused
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Ending

_MESSAGE = "judgemessage.txt"


def lay_out(sandbox: Sandbox, stage: Stage) -> None:
    """Make the directory of a stage, with the files that the stage before left there.

    Raises WorkspaceRefused if the files do not fit, and SandboxLost if the container ended.
    """
    artifacts.clear(sandbox, stage.feedback)
    own = ArchiveEntry(stage.feedback, EntryKind.DIRECTORY, 0o700)
    sandbox.put((own, *(entry for entry in stage.left if entry.path != own.path)), uid=sandbox.uid(stage.user))


def fetched(sandbox: Sandbox, stage: Stage, ran: StepOutcome) -> StepOutcome:
    """Return an outcome with the files left in the directory of its stage, if the stage has one.

    Raises SandboxLost if the container ended.
    """
    if not stage.feedback or ran.outcome.ending is not Ending.EXITED:
        return ran
    try:
        limit = artifacts.MAX_BYTES
        entries = sandbox.get([stage.feedback], limit_bytes=limit, grader=sandbox.uid(stage.user))
    except WorkspaceRefused as refused:
        return replace(ran, artifact=Artifact(problem=refused.message))
    left = tuple(entry for entry in entries if entry.kind is not EntryKind.LINK)
    further = any(entry.path == join(stage.feedback, NEXT_INPUT) for entry in left)
    return replace(
        ran, left=left, further=further, artifact=artifacts.artifact_of(left, join(stage.feedback, _MESSAGE))
    )


def continued(stage: Stage, left: tuple[ArchiveEntry, ...]) -> Stage:
    """Return the stage of a further pass, with its input and the files that the pass before left."""
    place = join(stage.feedback, NEXT_INPUT)
    given = tuple(replace(entry, path=stage.next_input) for entry in left if entry.path == place)
    rest = tuple(entry for entry in left if entry.path != place)
    return replace(stage, delivered=(*stage.delivered, *given), left=rest)
