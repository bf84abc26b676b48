"""Decides which files are restored from the case before every stage, and which others may stay. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace

from gradebox.graders.documents.globs import matches
from gradebox.graders.integrity.command_scan import CommandScan
from gradebox.graders.integrity.control_files import is_control_file
from gradebox.graders.integrity.referenced_files import named_entries
from gradebox.graders.integrity.tampering_search import Interference
from gradebox.graders.model.plan import Step
from gradebox.graders.model.tree import parents
from gradebox.graders.runners.runner import Trees, has_test_name, is_test_file, snapshots_of
from gradebox.sandbox.archive import ArchiveEntry, EntryKind

WRITTEN = 0o606
"""The mode of files that tests in the submission's process open for writing, too, as Bun does its snapshots."""


def files_to_restore(
    trees: Trees, steps: Iterable[Step], found: Interference, runners: CommandScan
) -> tuple[ArchiveEntry, ...]:
    """Return the files of the case's workspace that no submission may change."""
    named = named_entries(steps, trees.workspace) | runners.named_by_scripts | runners.named_by_settings
    own = {
        path: entry
        for path, entry in trees.workspace.entries.items()
        if entry.kind is not EntryKind.DIRECTORY and _belongs_to_judge(path, trees, named, runners)
    }
    beside = (place for path in own for place in snapshots_of(path) if not matches(place, trees.allow))
    found_beside = (trees.workspace.entries[path] for path in [*beside] if path in trees.workspace.entries)
    is_open = "bun-test" in runners.tools
    own |= {entry.path: replace(entry, mode=WRITTEN) if is_open else entry for entry in found_beside}
    files = own | {entry.path: entry for entry in found.restored if entry.path not in own}
    return tuple(files[path] for path in sorted(files))


def snapshots_to_remove(trees: Trees, restored: Iterable[ArchiveEntry]) -> tuple[str, ...]:
    """Return the paths where a submission could say what the case's tests expect, and the case does not."""
    beside = (path for entry in restored for path in snapshots_of(entry.path))
    return tuple(path for path in beside if path not in trees.workspace.entries and not matches(path, trees.allow))


def control_files_to_keep(trees: Trees, restored: Iterable[ArchiveEntry]) -> tuple[str, ...]:
    """Return the control files that stay: those that the case has, and those that it allows."""
    allowed = (path for path in trees.laid.entries if is_control_file(path) and matches(path, trees.allow))
    own = (entry.path for entry in restored if is_control_file(entry.path))
    return tuple(sorted({*allowed, *own}))


def _belongs_to_judge(path: str, trees: Trees, named: Container[str], runners: CommandScan) -> bool:
    """Return whether a file of the workspace belongs to the grader, and not to the task.

    `protect` and `allow` decide first. Control files of test runners and files that a command names belong to the
    grader, as do tests if a command or a script of the case runs tests. So do helpers and data in directories of tests,
    whichever tests run. The candidate may change files that the reference changes, except tests that a command names.
    """
    if matches(path, trees.protect):
        return True
    if matches(path, trees.allow):
        return False
    if is_control_file(path):
        return True
    if not is_test_file(path):
        return path in named and path not in trees.solution
    around = {"", path, *parents(path)}
    is_run = not around.isdisjoint(runners.tests) or (bool(runners.tests) and not has_test_name(path))
    return any(place in named for place in around) or (is_run and path not in trees.solution)
