"""Decides whether a submission fits into its sandbox, and how many sandboxes fit onto the engine's machine. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from gradebox.graders.model.plan import Plan
from gradebox.graders.model.submission import Form
from gradebox.sandbox.archive import ArchiveEntry
from gradebox.sandbox.engines.engine import EngineInfo
from gradebox.sandbox.errors import WorkspaceRefused
from gradebox.sandbox.limits import Limits
from gradebox.sandbox.linux import Errno
from gradebox.sandbox.protocol.frames import STDIN_MAX

# The least space that a file takes in a tmpfs.
_PAGE = 4096
# Errors that only the candidate's files can cause: no space, too many files, a name too long, too many links.
TOO_MUCH = frozenset({Errno.ENOSPC, Errno.EFBIG, Errno.EDQUOT, Errno.ENAMETOOLONG, Errno.EMLINK, Errno.ENOMEM})
# The share of the engine's memory that sandboxes may use; the rest is for the engine and other programs.
_MEMORY_SHARE = 0.75
_LEAST_TRIED, _TRIED_PER_CPU = 8, 4


def unfit(plan: Plan, limits: Limits) -> str:
    """Return why a submission does not fit into its sandbox, which counts against it; empty if it fits."""
    return _too_large(plan, limits) or _too_long(plan)


def files_fill_sandbox(plan: Plan, limits: Limits, error: WorkspaceRefused) -> str:
    """Return a sentence if the submission's files do not fit into the sandbox; empty if another reason refused them."""
    if error.errno not in TOO_MUCH or not _submission_is_too_much(plan, limits):
        return ""
    return f"The submission does not fit into the sandbox: {error.message}"


def memory_is_used_up(plan: Plan, limits: Limits) -> str:
    """Return a sentence if the submission's files used up a sandbox's memory; empty if the case's files alone would."""
    if not _submission_is_too_much(plan, limits):
        return ""
    return (
        "The submission does not fit into the sandbox: its files, and the copy of them from which every check "
        f"begins, took more than the {limits.memory_bytes} bytes of memory."
    )


def default_jobs(engine: EngineInfo, memory_bytes: Iterable[int], workers: int | None = None) -> int:
    """Return how many sandboxes the engine's machine can run at a time: one per CPU, if its memory allows that.

    CPUs and memory of the engine are 0 if unknown. `workers` is the number that a suite requests instead of one per
    CPU.
    """
    largest = max(memory_bytes, default=0)
    return max(1, min(workers or engine.processors or 1, sandboxes_at_a_time(engine, largest)))


def most_jobs(engine: EngineInfo, memory_bytes: Iterable[int]) -> int:
    """Return the most sandboxes to try by default. More than one per CPU can help if their commands wait."""
    return default_jobs(engine, memory_bytes, max(_LEAST_TRIED, _TRIED_PER_CPU * engine.processors))


def sandboxes_at_a_time(engine: EngineInfo, each_bytes: int) -> int:
    """Return how many sandboxes the engine and its memory allow; 1 if its memory is unknown."""
    by_memory = int(engine.memory_bytes * _MEMORY_SHARE / each_bytes) if engine.memory_bytes and each_bytes else 1
    return min(by_memory, engine.most_sandboxes or by_memory)


def _too_long(plan: Plan) -> str:
    longest = max((len(step.stdin) for stage in plan.stages for step in stage.steps), default=0)
    if longest <= STDIN_MAX:
        return ""
    return f"Submission too large for the grader's stdin: {longest:,} bytes (limit {STDIN_MAX:,})."


def _too_large(plan: Plan, limits: Limits) -> str:
    """Compare sizes before any file is read: a sparse file may be larger than our memory."""
    size, count = sum(entry.size for entry in plan.laid.files()), len(plan.laid.entries)
    if (size <= limits.disk_bytes and count <= limits.disk_files) or not _submission_is_too_much(plan, limits):
        return ""
    return (
        f"The submission does not fit into the sandbox: with it, the workspace has {count} files of {size} bytes, "
        f"but may have {limits.disk_files} of {limits.disk_bytes} bytes."
    )


def _submission_is_too_much(plan: Plan, limits: Limits) -> bool:
    """Return whether the case's own files would fit, so that only the submission is too large."""
    if plan.submission.form is Form.NOTHING:
        return False
    hungriest = max((stage.delivered for stage in plan.stages), key=_pages, default=())
    own = (*plan.workspace.entries.values(), *hungriest)
    size = _pages(own)
    # Files are in memory twice: in the workspace, and in the copy from which every check starts.
    return size < limits.disk_bytes and 2 * size < limits.memory_bytes and len(own) < limits.disk_files


def _pages(entries: Iterable[ArchiveEntry]) -> int:
    return sum(-(-entry.size // _PAGE) * _PAGE for entry in entries)
