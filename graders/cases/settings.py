"""What suites and cases say alike: workspace, hooks, targets, and the files that they name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from graders.model.case import Hook
from graders.documents.commands import command_spec
from graders.documents.diagnostics import DocumentPath, shown
from graders.cases.documents import ExecutionEntry, HooksEntry, WorkspaceEntry
from graders.cases.message_documents import named_files
from graders.documents.paths import (
    LONGEST_PATH,
    exists,
    is_directory,
    is_file,
)
from graders.documents.reader import Reader
from graders.cases.shared import Target
from graders.documents.suggest import did_you_mean

MOST_TARGETS = 100


def check_workspace(reader: Reader, entry: WorkspaceEntry, path: DocumentPath) -> None:
    """Report what a `workspace` mapping asks for and does not get."""
    if entry.repos:
        message = "repositories are not fetched by this version, and a sandbox has no network"
        reader.error((*path, "repos"), message, "Put the files into the `template` directory.")
    if entry.isolation == "shared":
        message = "each case has its own copy of the workspace, always"
        reader.warning((*path, "isolation"), message, "Remove `isolation`.")


def existing_directory(reader: Reader, path: DocumentPath, written: str, bases: tuple[Path, ...]) -> Path | None:
    """Return a directory that a file names; None if there is none, which is then among the findings."""
    # No longer path exists anywhere, and a very long one takes its time to be put together.
    bases_of_it = bases if len(written) <= LONGEST_PATH else ()
    found = [base / written for base in dict.fromkeys(bases_of_it) if exists(base / written)]
    for directory in found:
        if is_directory(directory):
            return Path(os.path.normpath(directory))
    what = "is not a directory" if found else "does not exist"
    reader.error(path, f"the directory `{shown(written)}` {what}", looked_up_from(bases, written))
    return None


def check_files(reader: Reader, written: Any, path: DocumentPath, bases: tuple[Path, ...]) -> None:
    """Report the files that messages name and that do not exist."""
    for where, file in named_files(written):
        if named_file(file, bases) is None:
            reader.error((*path, *where), f"the file `{shown(file)}` does not exist", looked_up_from(bases, file))


def named_file(written: str, bases: tuple[Path, ...]) -> Path | None:
    """Return the file that a case names; a path that starts with a slash starts at the root of the checkout."""
    if len(written) > LONGEST_PATH:
        return None
    if written.startswith("/"):
        bases, written = tuple(filter(None, map(checkout_root, bases))), written.lstrip("/")
    return next((Path(os.path.normpath(base / written)) for base in bases if is_file(base / written)), None)


def checkout_root(directory: Path) -> Path | None:
    """Return the nearest directory above that is under version control."""
    return next((parent for parent in (directory, *directory.parents) if exists(parent / ".git")), None)


def looked_up_from(bases: tuple[Path, ...], written: str) -> str:
    """Say which path was probably meant by one that leads nowhere, or where it begins."""
    guesses = (did_you_mean(base / written) for base in bases if len(written) <= LONGEST_PATH)
    looked_up = " and then ".join(str(base) for base in dict.fromkeys(bases))
    return next(filter(None, guesses), f"It is looked up from {looked_up}.")


def read_hooks(hooks: HooksEntry | None, origin: str, directory: Path) -> tuple[Hook, ...]:
    """Convert the hooks of one level."""
    if hooks is None:
        return ()
    written: list[tuple[str, Any]] = [(when, getattr(hooks, when)) for when in HooksEntry.model_fields]
    return tuple(
        Hook(when, origin, command_spec(command), directory) for when, command in written if command is not None
    )


def read_targets(reader: Reader, execution: ExecutionEntry, path: DocumentPath, directory: Path) -> tuple[Target, ...]:
    """Convert the targets that a suite or a case names."""
    if execution.target is not None and execution.targets is not None:
        message = "`target` and `targets` are two ways to name targets"
        reader.error((*path, "targets"), message, "Keep one of the two.")
    if len(execution.targets or ()) > MOST_TARGETS:
        reader.error((*path, "targets", MOST_TARGETS), f"there are more than {MOST_TARGETS} targets", "Name fewer.")
        return ()
    targets = [Target(execution.target)] if execution.target is not None else []
    for index, entry in enumerate(execution.targets or ()):
        if isinstance(entry, str):
            target = Target(entry)
        else:
            hooks = read_hooks(entry.hooks, f"target {entry.name}", directory)
            target = Target(entry.name, entry.use_target, hooks)
        if any(target.name == other.name for other in targets):
            reader.error((*path, "targets", index), f"the target `{shown(target.name)}` is named twice", "Keep one.")
        targets.append(target)
    return tuple(targets)
