"""Reads one case: the mapping of a ``case.yaml``, of a suite's entry or of a line of JSONL -> `Case`.

A case directory is::

    <id>/
      case.yaml     the case; also case.yml
      workspace/    the directory tree that the case starts from
      grading/      hidden from the candidate; delivered to checks that name a file in it
      reference/    the author's solution, laid over the workspace by `grade check`

The three directories are found by name. Relative paths start at the directory of the file.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from gradebox.graders.cases.case_checks import case_checks, check_contracts, read_checks_alone, read_turns
from gradebox.graders.cases.case_fields import CaseEntry
from gradebox.graders.cases.command_files import check_commands
from gradebox.graders.cases.containers.image_documents import found_image, read_image
from gradebox.graders.cases.containers.service_documents import check_services, read_services
from gradebox.graders.cases.message_documents import FindFile, expected_output, messages, with_files
from gradebox.graders.cases.shared import (
    Shared,
    TargetName,
    check_entry,
    merged,
    read_hooks,
    read_judge,
    read_preprocessors,
    read_targets,
    read_workspace,
    workspace_in_file,
)
from gradebox.graders.checks.base import Check
from gradebox.graders.documents.commands import SetupEntry, command_specs
from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.fields import Id
from gradebox.graders.documents.globs import at_any_depth, matches
from gradebox.graders.documents.interpolation import filled
from gradebox.graders.documents.paths import exists, is_directory, is_file, named_file
from gradebox.graders.documents.reader import Reader
from gradebox.graders.documents.validators import Context
from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.model.case import Case, Message
from gradebox.graders.model.crossing import ContractRule, Isolation
from gradebox.graders.model.own_image import OwnImage
from gradebox.graders.model.tree import scan
from gradebox.sandbox.limits import Network
from gradebox.sandbox.records import dataclass

# Fields that are copied unchanged from the file to the case.
_AS_WRITTEN = (
    "protect", "allow", "answer_file", "description", "note", "depends_on", "on_dependency_failure", "expect_untouched",
    "exclusive", "aggregation", "on_turn_failure", "window_size",
)  # fmt: skip

_INSTALLS = re.compile(
    r"\b(?P<tool>(?:pip3?|uv pip|npm|pnpm|yarn|bun|apt|apt-get|apk) (?:install|ci|add))\b"
    r"(?P<paths>(?: +(?:-\S*|[./]\S*|\S+\.whl))+(?= *(?:[\n;&|]|$)))?[^\n;&|]*"
)

CASE: TypeAdapter[CaseEntry] = TypeAdapter(CaseEntry)
_ID: TypeAdapter[str] = TypeAdapter(Id)


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a case."""

    directory: Path  # The directory for its relative paths.
    default_id: str | None = None  # The id if the case has none.
    # Whether the directory is a case directory, whose `workspace/`, `grading/` and `reference/` belong to the case.
    is_case_directory: bool = False


def written_id(value: Any) -> str | None:
    """Return the valid id of a case that has not been read, else None. Reports of its mistakes use it as a name."""
    return _valid_id(value.get("id")) if isinstance(value, dict) else None


def _valid_id(written: Any) -> str | None:
    try:
        return _ID.validate_python(written, strict=True, context=Context({}))
    except ValidationError:
        return None


def read_case(reader: Reader, value: Any, path: DocumentPath, origin: Origin, shared: Shared) -> tuple[Case, ...]:
    """Read one case. Return a case for each target, or none if there is a mistake, which the findings then report."""
    before = reader.findings.errors
    value = workspace_in_file(reader, value, (origin.directory, *shared.roots))
    if isinstance(value.get("vars"), dict):
        value = {**filled(value, value["vars"]), "vars": value["vars"]}
    entry = reader.read(CASE, value, path)
    if entry is None:
        # The checks are still read, so that all mistakes are reported at once.
        read_checks_alone(reader, value, path)
        return ()
    reading = _CaseReading(reader, path, entry, origin, shared)
    case, targets = reading.case(), reading.targets()
    if reader.findings.errors == before:
        check_commands(reader.findings, case)
        check_services(reader.findings, case)
        check_contracts(reader.findings, case)
        reading.check_protect(case)
        reading.check_network(case)
    if reader.findings.errors > before:
        return ()
    if not targets:
        return (case,)
    return tuple(
        replace(
            case,
            target=target.name,
            use_target=target.use_target,
            target_place=target.place,
            hooks=case.hooks + target.hooks,
        )
        for target in targets
    )


@dataclass(frozen=True, slots=True)
class _CaseReading:
    """Converts the fields of one case into a `Case`."""

    reader: Reader
    path: DocumentPath
    entry: CaseEntry
    origin: Origin
    shared: Shared

    def case(self) -> Case:
        entry, shared = self.entry, self.shared
        execution = entry.execution
        skip = bool(execution and execution.skip_defaults)
        limiting = shared.limiting.narrowed(entry.limits, execution)
        bases = (self.origin.directory, *shared.roots)
        workspace, directory = read_workspace(self.reader, entry.workspace, (*self.path, "workspace"), bases)
        reference, reference_text = self._reference()
        find = partial(named_file, bases=bases)
        check_entry(self.reader, entry, self.path, bases)
        about = merged(shared.about, entry.about())
        return Case(
            id=self._id(),
            place=self.reader.document.place(self.path),
            directory=self.origin.directory,
            checks=case_checks(self.reader, self.path, entry, shared.language, self._suite_checks(skip=skip)),
            roots=tuple(dict.fromkeys(bases)),
            criteria="\n".join(entry.criteria),
            input=self._input(find, skip=skip),
            expected_output=expected_output(entry.expected_output, find),
            language=entry.language or shared.language,
            image=self._image(),
            workspace=directory or self._own("workspace") or shared.workspace,
            grading=self._own("grading"),
            reference=reference,
            reference_text=reference_text,
            setup=command_specs(entry.setup),
            teardown=command_specs(entry.teardown),
            setup_gradable=self._setup_gradable(),
            preprocessors=read_preprocessors(entry.preprocessors) + shared.preprocessors,
            hooks=shared.hooks + read_hooks(workspace.hooks, "workspace", self.origin.directory),
            isolation=Isolation(entry.isolation) if entry.isolation else shared.isolation,
            contract=ContractRule(entry.contract or shared.contract),
            env={**shared.env, **workspace.env, **entry.env},
            services=read_services(self.reader, entry.services, (*self.path, "services"), self.origin.directory),
            suite=shared.suite,
            category=entry.category or shared.category,
            conversation_id=entry.conversation_id or "",
            tags=tuple(dict.fromkeys((*shared.tags, *entry.tags))),
            turns=read_turns(self.reader, entry, self.path, bases, shared.language),
            metadata=about.get("metadata", {}),
            about=about,
            judge=read_judge(self.reader, entry.judge, (*self.path, "judge")) or shared.judge,
            **{name: getattr(entry, name) for name in _AS_WRITTEN},
            **{one.name: getattr(limiting, one.name) for one in fields(limiting)},
        )

    def _suite_checks(self, *, skip: bool) -> tuple[Check, ...]:
        """Return the suite's checks, unless the case replaces them with its own in `execution` or `evaluators`."""
        if skip:
            return ()
        if self.shared.replaceable and self.entry.assertions:
            written = self.reader.document.written((*self.path, "assertions"))
            if "execution" in written[-2:-1] or written[-1] == "evaluators":
                return ()
        return self.shared.checks

    def _input(self, find: FindFile, *, skip: bool) -> tuple[Message, ...]:
        """Return the messages of the suite, filled with the case's variables, and then those of the case."""
        entry, shared = self.entry, self.shared
        before = () if skip else tuple(replace(one, content=filled(one.content, entry.vars)) for one in shared.input)
        files = entry.input_files or (() if skip else shared.input_files)
        return before + with_files(messages(entry.input, find), files, find)

    def targets(self) -> tuple[TargetName, ...]:
        execution = self.entry.execution
        if execution is None or (execution.target is None and execution.targets is None):
            return self.shared.targets
        known = {target.name: target for target in self.shared.targets}
        own = read_targets(self.reader, execution, (*self.path, "execution"), self.origin.directory)
        # A case that names a target of its suite gets the suite's target, with its hooks.
        return tuple(known.get(target.name, target) if target == TargetName(target.name) else target for target in own)

    def check_protect(self, case: Case) -> None:
        """Warn if a glob of `protect` stops at a slash, and so misses files that its form with `**` matches."""
        wider = {place: at_any_depth(glob) for place, glob in enumerate(case.protect)}
        if case.workspace is None or all(wider[place] == glob for place, glob in enumerate(case.protect)):
            return
        try:
            files = [entry.path for entry in scan(case.workspace).files()]
        except (SubmissionRefused, OSError):
            # Grading reports this error.
            return
        for place, glob in enumerate(case.protect):
            missed = next((f for f in files if matches(f, [wider[place]]) and not matches(f, case.protect)), None)
            if missed is not None and wider[place] != glob:
                message = f"`{shown(glob)}` does not match `{shown(missed)}`, since `*` stops at a slash"
                hint = f"Write `{shown(wider[place])}` if that is meant."
                self.reader.warning((*self.path, "protect", place), message, hint)

    def check_network(self, case: Case) -> None:
        """Report a setup that installs packages without a network; warn if the image or the case may contain them."""
        installs = (_INSTALLS.search(" ".join(command.argv)) for command in case.setup)
        for found in filter(None, installs if case.limits.network is Network.NONE else ()):
            if "--no-index" in found[0] or "--offline" in found[0] or "PIP_NO_INDEX" in case.env:
                continue
            is_meant = case.image or found["paths"] is not None or "pip" not in found["tool"]
            report = self.reader.warning if is_meant else self.reader.error
            message = f"`{found['tool']}` needs the network, which `setup` does not have"
            hint = "Write `limits: {network: setup}`, or name an image that has the packages"
            hint += "; `pip install --no-index` needs none." if "pip" in found["tool"] else "."
            report((*self.path, "setup"), message, hint)

    def _id(self) -> str:
        if self.entry.id is not None:
            return self.entry.id
        default = self.origin.default_id
        if default is None:
            self.reader.error((*self.path, "id"), "`id` is missing", "Give the case an id of its own.")
            return ""
        if (valid := _valid_id(default)) is None:
            message = f"the directory's name `{shown(default)}` cannot be an id"
            hint = "Rename it, or write an `id` of letters, digits, `.`, `_` and `-`."
            self.reader.error(self.path, message, hint)
        return valid or ""

    def _own(self, name: str) -> Path | None:
        """Return the directory of this name in a case directory, None if there is none."""
        if not self.origin.is_case_directory:
            return None
        directory = self.origin.directory / name
        if is_directory(directory):
            return directory
        if exists(directory):
            self.reader.error(self.path, f"`{name}` beside the case is not a directory", "Rename or remove it.")
        return None

    def _image(self) -> str | OwnImage | None:
        directory, named = self.origin.directory, self.entry.image
        if named is None and self.shared.image is None and self.origin.is_case_directory:
            return found_image(self.reader, self.path, directory)
        return read_image(self.reader, named, (*self.path, "image"), directory) or self.shared.image

    def _reference(self) -> tuple[Path | None, str | None]:
        """Return the author's solution, as a path or as text."""
        written = self.entry.reference_solution
        if written is None:
            return self._own("reference"), None
        if not _looks_like_a_path(written):
            return None, written
        path = self.origin.directory / written.strip()
        if is_file(path) or is_directory(path):
            return path, None
        message = f"`reference_solution` names `{shown(written)}`, which does not exist"
        hint = "Check the path, or write the solution itself in more than one line."
        self.reader.error((*self.path, "reference_solution"), message, hint)
        return None, None

    def _setup_gradable(self) -> bool:
        entries: Any = self.entry.setup or []
        gradable = [isinstance(entry, SetupEntry) and entry.gradable for entry in entries]
        if any(gradable) and not all(gradable):
            message = "some commands of `setup` are gradable and some are not"
            self.reader.error((*self.path, "setup"), message, "Write `gradable: true` for all of them or for none.")
        return any(gradable)


def _looks_like_a_path(text: str) -> bool:
    line = text.strip()
    return bool(line) and not any(char.isspace() or char in "()=;'\"" for char in line) and ("/" in line or "." in line)
