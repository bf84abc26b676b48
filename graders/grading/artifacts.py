"""A file that a check's command writes, such as a report. It is fetched from the sandbox and judged outside.

The candidate may have written or replaced it. So no link is followed, and anything but one file of a reasonable size
counts against the submission, never as an error of gradebox. A file that exists before the command runs is not the
command's work, so it is removed first.
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
# Of an archive, besides the file: headers, long names, final blocks.
_AROUND = 16 * 1024
# No file name contains a slash, so `scrub` removes nothing by name here, only by path.
_NO_NAME = ("/",)


def clear(sandbox: Sandbox, path: str) -> tuple[str, ...]:
    """Remove whatever is at a path of the workspace. Return the paths that were removed.

    Raises SandboxLost if the container ended.
    """
    return sandbox.scrub(_NO_NAME, paths=[path]).paths


def fetch(sandbox: Sandbox, command: Command, path: str) -> Artifact:
    """Return the file that a command has left at a path of the workspace.

    If the command runs as the grader, only a file that the grader's user owns counts.

    Raises SandboxLost if the container ended.
    """
    grader = command.uid if command.candidates else 0
    try:
        return artifact_of(sandbox.get([path], limit_bytes=MAX_BYTES + _AROUND, grader=grader), path)
    except WorkspaceRefused as refused:
        if refused.errno == Errno.EPERM:
            return Artifact(problem="it does not belong to the grader's user, so the submission may have written it")
        if refused.errno == Errno.EFBIG:
            return Artifact(problem=f"it is larger than {MAX_BYTES // MIB} MiB")
        return Artifact(problem=f"it cannot be read: {refused.message}")


def artifact_of(entries: Iterable[ArchiveEntry], path: str) -> Artifact:
    """Return the file at a path among the fetched entries; a link or a directory counts as missing."""
    found = next((entry for entry in entries if entry.path == path), None)
    if found is None:
        return Artifact(problem="it is missing", missing=True)
    if found.kind is not EntryKind.FILE:
        return Artifact(problem=f"it is a {found.kind}, not a file", missing=True)
    if found.size > MAX_BYTES:
        return Artifact(problem=f"it is larger than {MAX_BYTES // MIB} MiB")
    return Artifact(found.data or b"")
