"""One case: the mapping of a ``case.yaml``, of a suite's entry or of a line of JSONL -> `Case`.

A case directory is::

    <id>/
      case.yaml     the case; case.yml too
      workspace/    the tree it starts from
      grading/      hidden from the candidate; delivered to the checks that name a file of it
      reference/    the author's solution, laid over the workspace by `grade check`

The three directories are found by name. Relative paths start where the file lies.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from graders.case import Case, Hook
from graders.checks import CheckSpec, Examples, Items
from graders.loading.check_specs import (
    ItemDefaults,
    Surroundings,
    read_check,
    read_checks,
    read_items,
    runnable,
    with_unique_names,
)
from graders.loading.command_documents import SetupEntry, command_spec, command_specs
from graders.loading.diagnostics import DocumentPath, shown
from graders.loading.documents import CaseEntry, HooksEntry, WorkspaceEntry
from graders.loading.fields import Context, Id
from graders.loading.message_documents import expected_output, messages, named_files
from graders.loading.reader import Reader
from graders.loading.shared import Shared, merged

CASE_FILES = ("case.yaml", "case.yml")

_CASE: TypeAdapter[CaseEntry] = TypeAdapter(CaseEntry)
_ID: TypeAdapter[str] = TypeAdapter(Id)
_ITEM_FIELDS = (("examples", Examples), ("unit_tests", Items))


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a case comes from.

    Attributes:
        directory: Where its relative paths start.
        default_id: Its id if it gives none.
        is_case_directory: Whether the directory is the case's own, so that `workspace/`, `grading/` and `reference/`
            in it are the case's.
    """

    directory: Path
    default_id: str | None = None
    is_case_directory: bool = False


def written_id(value: Any) -> str | None:
    """Return the id that an unread case gives, if it can be used; to name the case in a report of what is wrong."""
    written = value.get("id") if isinstance(value, dict) else None
    try:
        return _ID.validate_python(written, context=Context({})) if written is not None else None
    except ValidationError:
        return None


def read_case(reader: Reader, value: Any, path: DocumentPath, origin: Origin, shared: Shared) -> Case | None:
    """Read one case; None if something is wrong with it, which is then among the findings."""
    before = reader.findings.errors
    entry = reader.read(_CASE, value, path)
    if entry is None:
        # The checks are read all the same, so that everything that is wrong is said at once.
        _read_checks_alone(reader, value, path)
        return None
    case = _CaseReading(reader, path, entry, origin, shared, before).case()
    return case if reader.findings.errors == before else None


def _read_checks_alone(reader: Reader, value: Any, path: DocumentPath) -> None:
    checks = value.get("assertions") if isinstance(value, dict) else None
    for index, check in enumerate(checks if isinstance(checks, list) else []):
        # Checks of items depend on fields that could not be read.
        if not isinstance(check, dict) or str(check.get("type")).replace("_", "-") not in (Examples.type, Items.type):
            read_check(reader, check, (*path, "assertions", index), Surroundings())


@dataclass(frozen=True, slots=True)
class _CaseReading:
    """The fields of one case on their way into a `Case`."""

    reader: Reader
    path: DocumentPath
    entry: CaseEntry
    origin: Origin
    shared: Shared
    errors_before: int

    def case(self) -> Case:
        entry, shared = self.entry, self.shared
        execution = entry.execution
        skip = bool(execution and execution.skip_defaults)
        limiting = shared.limiting.narrowed(entry.limits, execution)
        workspace = entry.workspace if isinstance(entry.workspace, WorkspaceEntry) else WorkspaceEntry()
        reference, reference_text = self._reference()
        self._check_files()
        return Case(
            id=self._id(),
            place=self.reader.document.place(self.path),
            directory=self.origin.directory,
            checks=self._checks(() if skip else shared.checks),
            roots=tuple(dict.fromkeys((self.origin.directory, *shared.roots))),
            criteria="\n".join(entry.criteria),
            input=(() if skip else shared.input) + messages(entry.input),
            expected_output=expected_output(entry.expected_output),
            language=entry.language or shared.language,
            image=entry.image or shared.image,
            workspace=self._workspace(),
            grading=self._own("grading"),
            reference=reference,
            reference_text=reference_text,
            setup=command_specs(entry.setup),
            teardown=command_specs(entry.teardown),
            setup_gradable=self._setup_gradable(),
            hooks=shared.hooks + read_hooks(workspace.hooks, "workspace", self.origin.directory),
            protect=tuple(entry.protect),
            allow=tuple(entry.allow),
            env={**shared.env, **workspace.env, **entry.env},
            limits=limiting.limits,
            output_bytes=limiting.output_bytes,
            command_seconds=limiting.command_seconds,
            timeout_seconds=limiting.timeout_seconds,
            threshold=limiting.threshold,
            target=execution.target if execution else None,
            description=entry.description,
            note=entry.note,
            category=entry.category,
            conversation_id=entry.conversation_id or "",
            tags=tuple(dict.fromkeys((*shared.tags, *entry.tags))),
            depends_on=tuple(entry.depends_on),
            on_dependency_failure=entry.on_dependency_failure,
            metadata=merged(shared.metadata, entry.metadata),
        )

    def _id(self) -> str:
        if self.entry.id is not None:
            return self.entry.id
        default = self.origin.default_id
        if default is None:
            self.reader.error((*self.path, "id"), "`id` is missing", "Give the case an id of its own.")
            return ""
        try:
            return _ID.validate_python(default, context=Context({}))
        except ValidationError:
            message = f"the directory's name `{shown(default)}` cannot be an id"
            hint = "Rename it, or write an `id` of letters, digits, `.`, `_` and `-`."
            self.reader.error(self.path, message, hint)
            return ""

    # Checks

    def _checks(self, suite: Iterable[CheckSpec]) -> tuple[CheckSpec, ...]:
        entry = self.entry
        defaults = {spec.type: self._item_defaults(name) for name, spec in _ITEM_FIELDS}
        surroundings = Surroundings(entry.language or self.shared.language, tuple(entry.imports), defaults)
        if entry.rubrics:
            message = "rubrics cannot be judged by this version"
            self.reader.error((*self.path, "rubrics"), message, "Write a `code-grader` that judges the same.")
        checks = list(read_checks(self.reader, entry.assertions, (*self.path, "assertions"), surroundings))
        for name, spec in _ITEM_FIELDS:
            check = self._items(name, spec, defaults[spec.type], surroundings)
            checks.extend([check] if check else [])
        checks.extend(suite)
        if not checks and not (entry.assertions or entry.examples or entry.unit_tests or entry.rubrics):
            hint = "Write `assertions`, `examples` or `unit_tests`."
            self.reader.error(self.path, "the case has no checks", hint)
        elif not any(check.weight for check in checks) and self.reader.findings.errors == self.errors_before:
            path = (*self.path, "assertions")
            self.reader.error(path, "the weights of all checks are 0", "Give one of them a weight.")
        return with_unique_names(checks)

    def _item_defaults(self, name: str) -> ItemDefaults:
        entry, path = self.entry, (*self.path, name)
        written = getattr(entry, name)
        return ItemDefaults(
            path=path,
            items=None if not written else read_items(self.reader, written, path),
            setup="\n".join(getattr(entry, f"{name}_setup")),
            teardown="\n".join(getattr(entry, f"{name}_teardown")),
        )

    def _items(self, name: str, spec: type[Items], case: ItemDefaults, around: Surroundings) -> CheckSpec | None:
        """Make the check of the case's own items, unless a check that is listed takes them."""
        taken = any(
            isinstance(check, dict)
            and str(check.get("type")).replace("_", "-") == spec.type
            and not any(check.get(key) for key in ("items", "examples", "unit_tests"))
            for check in self.entry.assertions
        )
        if taken or case.items is None:
            return None
        language = runnable(self.reader, around.language, case.path)
        if language is None:
            return None
        return spec(
            name=spec.type,
            place=self.reader.document.place(case.path, of_key=True),
            language=language,
            items=case.items,
            setup=case.setup,
            teardown=case.teardown,
            imports=around.imports,
        )

    # Files

    def _workspace(self) -> Path | None:
        written = self.entry.workspace
        path: DocumentPath = (*self.path, "workspace")
        if isinstance(written, WorkspaceEntry):
            check_workspace(self.reader, written, path)
            path, written = (*path, "template"), written.template
        if written is not None:
            return existing_directory(self.reader, path, written, self.origin.directory)
        return self._own("workspace") or self.shared.workspace

    def _own(self, name: str) -> Path | None:
        """Return a directory of the case that is found by its name."""
        if not self.origin.is_case_directory:
            return None
        directory = self.origin.directory / name
        if directory.is_dir():
            return directory
        if os.path.lexists(directory):
            self.reader.error(self.path, f"`{name}` beside the case is not a directory", "Rename or remove it.")
        return None

    def _reference(self) -> tuple[Path | None, str | None]:
        """Return the author's solution: a path, or its text."""
        written = self.entry.reference_solution
        if written is None:
            return self._own("reference"), None
        if not _looks_like_a_path(written):
            return None, written
        path = self.origin.directory / written.strip()
        if path.exists():
            return path, None
        message = f"`reference_solution` names `{shown(written)}`, which does not exist"
        hint = "Check the path, or write the solution itself in more than one line."
        self.reader.error((*self.path, "reference_solution"), message, hint)
        return None, None

    def _check_files(self) -> None:
        for name in ("input", "expected_output"):
            for where, file in named_files(getattr(self.entry, name)):
                if not _exists(self.origin.directory / file):
                    path = (*self.path, name, *where)
                    self.reader.error(path, f"the file `{shown(file)}` does not exist", "Check the path.")

    def _setup_gradable(self) -> bool:
        entries: Any = self.entry.setup or []
        gradable = [isinstance(entry, SetupEntry) and entry.gradable for entry in entries]
        if any(gradable) and not all(gradable):
            message = "some commands of `setup` are gradable and some are not"
            self.reader.error((*self.path, "setup"), message, "Say `gradable: true` of all of them or of none.")
        return any(gradable)


def check_workspace(reader: Reader, entry: WorkspaceEntry, path: DocumentPath) -> None:
    """Report what a `workspace` mapping asks for and does not get."""
    if entry.repos:
        message = "repositories are not fetched by this version, and a sandbox has no network"
        reader.error((*path, "repos"), message, "Put the files into the `template` directory.")
    if entry.isolation == "shared":
        message = "each case has its own copy of the workspace, always"
        reader.warning((*path, "isolation"), message, "Remove `isolation`.")


def existing_directory(reader: Reader, path: DocumentPath, written: str, base: Path) -> Path | None:
    """Return a directory that a file names; None if there is none, which is then among the findings."""
    directory = base / written
    try:
        if directory.is_dir():
            return Path(os.path.normpath(directory))
        what = "is not a directory" if directory.exists() else "does not exist"
    except (OSError, ValueError):
        what = "cannot be read"
    reader.error(path, f"the directory `{shown(written)}` {what}", f"It is looked up from {base}.")
    return None


def read_hooks(hooks: HooksEntry | None, origin: str, directory: Path) -> tuple[Hook, ...]:
    """Convert the hooks of one level."""
    if hooks is None:
        return ()
    written: list[tuple[str, Any]] = [(when, getattr(hooks, when)) for when in HooksEntry.model_fields]
    return tuple(
        Hook(when, origin, command_spec(command), directory) for when, command in written if command is not None
    )


def _looks_like_a_path(text: str) -> bool:
    line = text.strip()
    return bool(line) and not any(char.isspace() or char in "()=;'\"" for char in line) and ("/" in line or "." in line)


def _exists(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
