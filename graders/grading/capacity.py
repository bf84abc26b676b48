"""Whether a submission fits into the sandbox that its case asks for: the candidate's fault if not. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from graders.model.plan import Plan
from graders.model.submission import Form, Submission
from sandbox.archive import Entry
from sandbox.protocol.frames import STDIN_MAX
from sandbox.types import Limits

# What a file takes of a tmpfs at least.
_PAGE = 4096


def unfit(plan: Plan, limits: Limits, submission: Submission) -> str:
    """Say why a submission does not fit into its sandbox, nothing if it does."""
    return _too_large(plan, limits, submission) or _too_long(plan)


def _too_long(plan: Plan) -> str:
    """Say why a command cannot be told of a submission: nothing else that is handed to one can be as long."""
    longest = max((len(step.stdin) for stage in plan.stages for step in stage.steps), default=0)
    if longest <= STDIN_MAX:
        return ""
    return (
        f"The submission is too long to be told of: with its answer and transcript, a command would read {longest} "
        f"bytes on stdin, and {STDIN_MAX} are taken at most."
    )


def _too_large(plan: Plan, limits: Limits, submission: Submission) -> str:
    """Say why a submission cannot fit, before anything of it is read: a sparse file may be larger than our memory."""
    size, count = sum(entry.size for entry in plan.laid.files()), len(plan.laid.entries)
    if submission.form is Form.NOTHING or not has_room(plan, limits):
        return ""
    if size <= limits.disk_bytes and count <= limits.disk_files:
        return ""
    return (
        f"The submission does not fit into the sandbox: with it, the workspace has {count} files of {size} bytes, "
        f"but may have {limits.disk_files} of {limits.disk_bytes} bytes."
    )


def has_room(plan: Plan, limits: Limits) -> bool:
    """Say whether the case's own files would fit, so that it is the submission that does not."""
    hungriest = max((stage.delivered for stage in plan.stages), key=_pages, default=())
    own = (*plan.workspace.entries.values(), *hungriest)
    size = _pages(own)
    # They are in memory twice: where they lie, and as they are laid out for every check.
    return size < limits.disk_bytes and 2 * size < limits.memory_bytes and len(own) < limits.disk_files


def _pages(entries: Iterable[Entry]) -> int:
    return sum(-(-entry.size // _PAGE) * _PAGE for entry in entries)
