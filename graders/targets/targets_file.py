"""``targets.yaml``: reads targets, and finds the targets that cases name.

The file contains a list of targets, or a mapping with this list under `targets`. The keys and recordings that a target
names are needed only if a case uses the target.

Unless the command line names a file, `targets.yaml` is searched beside the case, then beside its suite, and then
AgentV's file in the directories above. Without a file, targets are mere names with hooks, and the submissions of the
command line are graded. A file must define every target that cases name, since a typo in a name must not grade the
untouched workspace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, TypeAdapter

from gradebox.graders.documents.diagnostics import DocumentPath, Findings, shown
from gradebox.graders.documents.entries import Entry, also
from gradebox.graders.documents.fields import Text
from gradebox.graders.documents.interpolation import interpolate
from gradebox.graders.documents.paths import exists
from gradebox.graders.documents.reader import Reader, open_document
from gradebox.graders.documents.suggest import suggestion
from gradebox.graders.documents.validators import described
from gradebox.graders.formats.agentv.target_entries import converted, is_agentv_file, targets_file
from gradebox.graders.model.case import Case
from gradebox.graders.targets.agent import CliTarget
from gradebox.graders.targets.agentv_target import AgentvReplayTarget, ForeignTarget
from gradebox.graders.targets.mock import MockTarget
from gradebox.graders.targets.replay import ReplayTarget
from gradebox.graders.targets.target import Target

TARGET_FILES = ("targets.yaml", "targets.yml")
# Roles of entries that are judges.
JUDGING = ("judge", "audit")


class TargetsEntry(Entry):
    targets: list[Any]
    schema_url: Text = Field(default="", validation_alias=also("$schema"))


_FILE: TypeAdapter[TargetsEntry] = TypeAdapter(TargetsEntry)
_PROVIDERS: Mapping[str, TypeAdapter[Target]] = {
    "cli": TypeAdapter(CliTarget),
    "replay": TypeAdapter(ReplayTarget),
    "mock": TypeAdapter(MockTarget),
}
_OF_AGENTV: Mapping[str, TypeAdapter[Target]] = {**_PROVIDERS, "agentv-replay": TypeAdapter(AgentvReplayTarget)}


def read_targets(file: Path, findings: Findings, environ: Mapping[str, str]) -> dict[str, Target] | None:
    """Return the targets of a file by name; None if the file has errors, which are then in `findings`."""
    before = findings.errors
    document = open_document(file, findings)
    if document is None:
        return None
    reader = Reader(document, environ, findings)
    found: dict[str, Target] = {}
    for path, value in _listed(reader):
        if isinstance(value, dict) and value.get("role") in JUDGING and not is_agentv_file(file):
            # A judge makes no submission.
            continue
        target = _target(reader, value, path)
        if target is None:
            continue
        if target.name in found:
            first = found[target.name].place
            message = f"the target `{shown(target.name)}` is defined twice, first in line {first.line}"
            reader.error((*path, "name"), message, "Keep one of the two.")
        found.setdefault(target.name, target)
    return None if findings.errors > before else found


def _listed(reader: Reader) -> list[tuple[DocumentPath, Any]]:
    value = reader.document.data
    prefix: DocumentPath = ()
    if isinstance(value, dict):
        entry = reader.read(_FILE, value)
        if entry is None:
            return []
        prefix, value = ("targets",), entry.targets
    if not isinstance(value, list):
        reader.error((), "a file of targets holds a list of them", "Write `- name: ...` for each.")
        return []
    if not value:
        reader.error(prefix, "there are no targets in this file", "Write one.")
    return [((*prefix, index), item) for index, item in enumerate(value)]


def _target(reader: Reader, value: Any, path: DocumentPath) -> Target | None:
    if not isinstance(value, dict):
        reader.error(path, f"a target must be a mapping, not {described(value)}", "Write `name` and `provider`.")
        return None
    provider = value.get("provider")
    if is_agentv_file(reader.document.file):
        return _agentv_target(reader, value, path)
    if provider is None:
        if not reader.misspelt(value, "provider", path):
            reader.error((*path, "provider"), "`provider` is missing", f"Write one of {', '.join(_PROVIDERS)}.")
        return None
    adapter = _PROVIDERS.get(provider) if isinstance(provider, str) else None
    if adapter is None:
        message = f"`provider` cannot be {described(provider)}"
        reader.error((*path, "provider"), message, suggestion(str(provider), _PROVIDERS))
        return None
    target = reader.read(adapter, value, path)
    if target is None:
        return None
    target.check(reader, path)
    return target.but(place=reader.document.place(path))


def _agentv_target(reader: Reader, value: dict[str, Any], path: DocumentPath) -> Target | None:
    """Return a target of AgentV's file. Its errors are reported only if it is used."""
    place, found = reader.document.place(path), Findings()
    name = value.get("name")
    if not isinstance(name, str):
        reader.error((*path, "name"), "a target has no `name`", "Give it one.")
        return None
    entry, problem = converted(value)
    adapter = _OF_AGENTV.get(str(entry.get("provider")))
    target = Reader(reader.document, reader.environ, found).read(adapter, entry, path) if adapter else None
    if target is not None:
        return target.but(place=place)
    problem = problem or "; ".join(each.message for each in found)
    stands_for = interpolate(str(value.get("use_target", "")), reader.environ).text
    return ForeignTarget(name=name, place=place, problem=problem, stands_for=stands_for)


class CaseTarget(NamedTuple):
    """A case, and the target that makes its submission; None if no file defines one."""

    case: Case
    target: Target | None


class Resolved(NamedTuple):
    """The cases that can be graded, in their order, and findings about the others."""

    cases: tuple[CaseTarget, ...]
    findings: Findings


def resolve(cases: Iterable[Case], environ: Mapping[str, str], file: Path | None = None) -> Resolved:
    """Find the target of each case, in `file` or else beside cases and suites.

    `environ` is the host's environment, for ``${{ NAME }}`` and for variables that a target passes on.
    """
    lookup = _Lookup(environ, file)
    found = (lookup.find(case) for case in cases)
    return Resolved(tuple(one for one in found if one is not None), lookup.findings)


def undefined_targets(cases: Iterable[Case], environ: Mapping[str, str]) -> Findings:
    """Return the findings about each case's nearest file of targets, and about the target that the case names."""
    lookup = _Lookup(environ, None)
    for case in cases:
        lookup.named(case)
    return lookup.findings


class _Lookup:
    """Finds targets. Reads each file, and each target's environment variables, once."""

    def __init__(self, environ: Mapping[str, str], file: Path | None) -> None:
        self.findings = Findings()
        self._environ = environ
        self._file = file
        self._file_in = cache(own_targets_file)
        self._agentv_file = cache(targets_file)
        self._targets = cache(partial(read_targets, findings=self.findings, environ=environ))
        self._ready = cache(self._with_environment)

    def find(self, case: Case) -> CaseTarget | None:
        """Return the case with its target; None if the target is not defined or cannot be used."""
        file = self._nearest(case)
        if case.target is None or file is None:
            return CaseTarget(case, None)
        name = self.named(case)
        target = None if name is None else self._ready(file, name)
        return None if target is None else CaseTarget(case, target)

    def named(self, case: Case) -> str | None:
        """Return the name of the definition of a case's target; None, with a finding, if there is none."""
        file = self._nearest(case)
        targets = None if file is None else self._targets(file)
        name = case.use_target or case.target
        if targets is None or name is None:
            return None
        if name not in targets:
            message = f"{file} defines no target `{shown(name)}`"
            self.findings.error(case.target_place or case.place, message, hint=suggestion(name, targets))
            return None
        # An alias of an alias is not followed.
        found = targets[name]
        alias = found.stands_for if isinstance(found, ForeignTarget) else ""
        return alias if alias in targets else name

    def _nearest(self, case: Case) -> Path | None:
        directories = (case.directory, *case.roots)
        found = chain(map(self._file_in, directories), map(self._agentv_file, directories))
        return self._file or next(filter(None, found), None)

    def _with_environment(self, file: Path, name: str) -> Target | None:
        """Return a target with the variables that it takes from the host; None if a variable is not set."""
        target = (self._targets(file) or {})[name]
        if not isinstance(target, CliTarget):
            return target
        missing = [variable for variable in target.env_allow if variable not in self._environ]
        for variable in dict.fromkeys(missing):
            message = f"the target `{shown(name)}` takes {variable} from the environment, where it is not set"
            self.findings.error(target.place, message, hint="Set it, or remove it from `env_allow`.")
        if missing:
            return None
        return target.but(env={**target.env, **{variable: self._environ[variable] for variable in target.env_allow}})


def own_targets_file(directory: Path) -> Path | None:
    """Return gradebox's file of targets in a directory; None if there is none."""
    return next((directory / name for name in TARGET_FILES if exists(directory / name)), None)
