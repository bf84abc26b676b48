"""The fields that cases share with their suite, merged field by field: the case's value takes precedence."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from gradebox.graders.cases.case_fields import CaseEntry, SuiteEntry, WorkspaceEntry
from gradebox.graders.cases.case_limits import Limiting
from gradebox.graders.cases.execution_documents import ExecutionEntry, HookEntry, HooksEntry
from gradebox.graders.cases.message_documents import PreprocessorEntry, named_files
from gradebox.graders.checks.base import Check
from gradebox.graders.documents.commands import command_spec
from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.paths import LONGEST_PATH, exists, is_directory, named_file
from gradebox.graders.documents.reader import Reader, open_document
from gradebox.graders.documents.suggest import did_you_mean, suggestion
from gradebox.graders.model.case import CommandSpec, Hook, Message, Place, Preprocessor
from gradebox.graders.model.crossing import Isolation
from gradebox.graders.model.judgment import Panel
from gradebox.graders.model.own_image import OwnImage
from gradebox.sandbox.records import dataclass

MOST_TARGETS = 100


@dataclass(frozen=True, slots=True)
class TargetName:
    """A target that makes submissions for a case."""

    name: str
    # The name of the target's definition; None if it equals `name`.
    use_target: str | None = None
    hooks: tuple[Hook, ...] = ()
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Shared:
    """The fields that a case gets from its suite; the defaults are for a case without a suite."""

    suite: str = ""  # The name of the suite.
    roots: tuple[Path, ...] = ()  # Directories in which the suite's relative file names are looked up.
    workspace: Path | None = None
    image: str | OwnImage | None = None
    language: str | None = None
    isolation: Isolation | None = None
    contract: str = "recorded"
    env: Mapping[str, str] = field(default_factory=dict)
    limiting: Limiting = Limiting()
    input: tuple[Message, ...] = ()  # Messages before the case's own.
    hooks: tuple[Hook, ...] = ()
    targets: tuple[TargetName, ...] = ()  # The targets of each case that names none.
    checks: tuple[Check, ...] = ()  # Checks after the case's own.
    replaceable: bool = False  # Whether checks of a case under `execution` replace the suite's checks.
    category: str = ""  # For a case that names none.
    input_files: tuple[str, ...] = ()  # For a case that names none.
    preprocessors: tuple[Preprocessor, ...] = ()
    tags: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    judge: Panel | None = None


def read_preprocessors(entries: Iterable[PreprocessorEntry]) -> tuple[Preprocessor, ...]:
    """Convert the commands that turn files into text."""
    return tuple(Preprocessor(entry.type, command_spec(entry.command)) for entry in entries)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two mappings recursively. If both have a key and one of the values is no mapping, `above` wins."""
    result = dict(below)
    for key, value in above.items():
        under = result.get(key)
        result[key] = merged(under, value) if isinstance(under, Mapping) and isinstance(value, Mapping) else value
    return result


def check_entry(reader: Reader, entry: CaseEntry | SuiteEntry, path: DocumentPath, bases: tuple[Path, ...]) -> None:
    """Report files of a case or a suite that do not exist, and fields without an effect."""
    for name in ("input", "expected_output"):
        check_files(reader, getattr(entry, name, None), (*path, name), bases)
    for index, file in enumerate(entry.input_files):
        check_file(reader, file, (*path, "input_files", index), bases)
    for name in ("cache", "fail_on_error", "budget_usd"):
        if entry.execution is not None and name in entry.execution.model_fields_set:
            hint = "Remove it, unless another tool needs it."
            reader.warning((*path, "execution", name), f"`{name}` has no effect here", hint)


def workspace_in_file(reader: Reader, value: dict[str, Any], bases: tuple[Path, ...]) -> dict[str, Any]:
    """Return a case or a suite. If its `workspace` names a YAML file, replace it by the content of that file."""
    written = value.get("workspace")
    file = named_file(written, bases) if isinstance(written, str) and written.endswith((".yaml", ".yml")) else None
    document = open_document(file, reader.findings) if file is not None else None
    if document is None or file is None:
        return value
    workspace = document.data if isinstance(document.data, dict) else {"": None}
    for key in workspace.keys() - set(WorkspaceEntry.known_keys()):
        place = document.place((key,), of_key=True) if key else document.place()
        message = f"unknown key `{shown(key)}` of a workspace" if key else "a workspace is a mapping"
        reader.findings.error(place, message, hint=suggestion(key, WorkspaceEntry.known_keys()))
        workspace = {}
    for name in ("template", "path"):
        if isinstance(workspace.get(name), str):
            workspace[name] = str(file.parent / str(workspace[name]))
    return {**value, "workspace": workspace}


def read_workspace(
    reader: Reader, written: str | WorkspaceEntry | None, path: DocumentPath, bases: tuple[Path, ...]
) -> tuple[WorkspaceEntry, Path | None]:
    """Return the field `workspace` and the directory that it names; report settings that have no effect."""
    entry = written if isinstance(written, WorkspaceEntry) else WorkspaceEntry()
    if entry.repos:
        message = "repositories are not fetched by this version, and a sandbox has no network"
        reader.error((*path, "repos"), message, "Put the files into the `template` directory.")
    if entry.isolation == "shared":
        message = "each case has its own copy of the workspace, always"
        reader.warning((*path, "isolation"), message, "Remove `isolation`.")
    named, at = entry.template or entry.path, (*path, "template" if entry.template else "path")
    if isinstance(written, str):
        named, at = written, path
    return entry, None if named is None else _existing_directory(reader, at, named, bases)


def _existing_directory(reader: Reader, path: DocumentPath, written: str, bases: tuple[Path, ...]) -> Path | None:
    """Return a directory that a file names. Return None if it does not exist, which the findings then report."""
    # A longer path cannot exist, and joining a very long one takes time.
    bases_of_it = bases if len(written) <= LONGEST_PATH else ()
    found = [base / written for base in dict.fromkeys(bases_of_it) if exists(base / written)]
    for directory in found:
        if is_directory(directory):
            return Path(os.path.normpath(directory))
    what = "is not a directory" if found else "does not exist"
    reader.error(path, f"the directory `{shown(written)}` {what}", looked_up_from(bases, written))
    return None


def check_files(reader: Reader, written: Any, path: DocumentPath, bases: tuple[Path, ...]) -> None:
    """Report missing files that messages name."""
    for where, file in named_files(written):
        check_file(reader, file, (*path, *where), bases)


def check_file(reader: Reader, file: str, path: DocumentPath, bases: tuple[Path, ...]) -> None:
    """Report a named file if it does not exist."""
    if named_file(file, bases) is None:
        reader.error(path, f"the file `{shown(file)}` does not exist", looked_up_from(bases, file))


def looked_up_from(bases: tuple[Path, ...], written: str) -> str:
    """Return a hint for a missing path: a similar path that exists, or the directories in which it is looked up."""
    guesses = (did_you_mean(base / written) for base in bases if len(written) <= LONGEST_PATH)
    looked_up = " and then ".join(str(base) for base in dict.fromkeys(bases))
    return next(filter(None, guesses), f"It is looked up from {looked_up}.")


def read_judge(reader: Reader, written: Any, path: DocumentPath) -> Panel | None:
    """Return the judges that a case or a suite names; None if it names none, or they have a mistake."""
    if written is None:
        return None
    from gradebox.graders.judges.judge_file import read_panel  # noqa: PLC0415 - most cases have no judge

    return read_panel(reader, written, path)


def read_hooks(hooks: HooksEntry | None, origin: str, directory: Path) -> tuple[Hook, ...]:
    """Convert the hooks of one origin, such as the workspace or a target."""
    if hooks is None or not hooks.enabled:
        return ()
    written = [(when, _hook_command(getattr(hooks, when))) for when in HooksEntry.model_fields if when != "enabled"]
    return tuple(Hook(when, origin, command, directory) for when, command in written if command is not None)


def _hook_command(written: Any) -> CommandSpec | None:
    if not isinstance(written, HookEntry):
        return None if written is None else command_spec(written)
    if written.command is None:
        return None
    seconds = written.timeout_seconds or (written.timeout_ms and written.timeout_ms / 1000)
    plain = command_spec(written.command)
    return replace(plain, cwd=written.cwd or "", env=dict(written.env), timeout_seconds=seconds)


def read_targets(
    reader: Reader, execution: ExecutionEntry, path: DocumentPath, directory: Path
) -> tuple[TargetName, ...]:
    """Convert the targets that a suite or a case names."""
    if execution.target is not None and execution.targets is not None:
        message = "`target` and `targets` are two names of one field"
        reader.error((*path, "targets"), message, "Keep one of the two.")
    if len(execution.targets or ()) > MOST_TARGETS:
        reader.error((*path, "targets", MOST_TARGETS), f"there are more than {MOST_TARGETS} targets", "Name fewer.")
        return ()
    place = reader.document.place
    targets = []
    if execution.target is not None:
        targets = [TargetName(execution.target, place=place((*path, "target")))]
    for index, entry in enumerate(execution.targets or ()):
        at = (*path, "targets", index)
        if isinstance(entry, str):
            target = TargetName(entry, place=place(at))
        else:
            hooks = read_hooks(entry.hooks, f"target {entry.name}", directory)
            named = place((*at, "use_target" if entry.use_target else "name"))
            target = TargetName(entry.name, entry.use_target, hooks, named)
        if any(target.name == other.name for other in targets):
            reader.error(at, f"the target `{shown(target.name)}` is named twice", "Keep one.")
        targets.append(target)
    return tuple(targets)
