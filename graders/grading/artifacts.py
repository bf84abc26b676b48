"""A file that a command of a check makes, as it is fetched from the sandbox for the judge.

It is the candidate's as much as the command's: nothing of it is followed, and what is not one file of a reasonable
size is a problem of the submission, never of ours. One that is there before the command runs is not work of the
command's, so it is removed first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gradebox.graders.model.evidence import Artifact
from gradebox.sandbox.archive import ArchiveEntry, EntryKind
from gradebox.sandbox.errors import WorkspaceRefused
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.linux import Errno

if TYPE_CHECKING:
    from gradebox.sandbox.session import Sandbox
    from gradebox.sandbox.types import Command

MAX_BYTES = 8 * MIB
# Of an archive: headers, long names, and the blocks that end it.
_AROUND = 16 * 1024
# A name holds no slash, so this removes nothing by its name.
_NO_NAME = ("/",)


def clear(sandbox: Sandbox, path: str) -> tuple[str, ...]:
    """Remove what is at a path of the workspace, and return it if something was.

    Raises SandboxLost if the container ended.
    """
    return sandbox.scrub(_NO_NAME, paths=[path]).paths


def fetch(sandbox: Sandbox, command: Command, path: str) -> Artifact:
    """Return what a command has left at a path of the workspace; of a grader's command, only its user's own file.

    Raises SandboxLost if the container ended.
    """
    grader = command.uid if command.candidates else 0
    try:
        return artifact_of(sandbox.get([path], limit_bytes=MAX_BYTES + _AROUND, grader=grader), path)
    except WorkspaceRefused as refused:
        if refused.errno == Errno.EPERM:
            return Artifact(problem="it is not the grader's own file, so the submission can have written it")
        if refused.errno == Errno.EFBIG:
            return Artifact(problem=f"it is larger than {MAX_BYTES // MIB} MiB")
        return Artifact(problem=f"it cannot be read: {refused.message}")


def artifact_of(entries: Iterable[ArchiveEntry], path: str) -> Artifact:
    """Return the file at a path among what was fetched; a link or directory in its place is none."""
    found = next((entry for entry in entries if entry.path == path), None)
    if found is None:
        return Artifact(problem="it is missing", missing=True)
    if found.kind is not EntryKind.FILE:
        return Artifact(problem=f"it is a {found.kind} and no file", missing=True)
    if found.size > MAX_BYTES:
        return Artifact(problem=f"it is larger than {MAX_BYTES // MIB} MiB")
    return Artifact(found.data or b"")
