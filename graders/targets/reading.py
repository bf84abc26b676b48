"""``targets.yaml`` -> definitions, with a diagnostic for everything that is wrong.

The file holds a list of targets, or a mapping whose `targets` is that list. What a target names is looked up only
when it is used: one that nobody uses needs neither its keys nor its recordings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from graders.documents.commands import command_spec
from graders.documents.diagnostics import (
    DocumentPath,
    Findings,
    shown,
    suggestion,
)
from graders.documents.fields import described
from graders.documents.reader import Reader, open_document
from graders.model.case import CommandSpec
from graders.targets.definition import (
    DEFAULT_SECONDS,
    CliTarget,
    Definition,
    MockTarget,
    ReplayTarget,
    Room,
)
from graders.targets.documents import (
    CliEntry,
    MockEntry,
    ReplayEntry,
    TargetsEntry,
)
from sandbox.types import Network

PLACEHOLDERS = ("case_id", "target")

_FILE: TypeAdapter[TargetsEntry] = TypeAdapter(TargetsEntry)
_PROVIDERS: Mapping[str, TypeAdapter[Any]] = {
    "cli": TypeAdapter(CliEntry),
    "replay": TypeAdapter(ReplayEntry),
    "mock": TypeAdapter(MockEntry),
}
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Targets:
    """The targets of one file, by name."""

    file: Path
    definitions: Mapping[str, Definition]


def read_targets(file: Path, findings: Findings, environ: Mapping[str, str]) -> Targets | None:
    """Read a file of targets; None if anything is wrong with it, which is then among the findings.

    Args:
        file: The file.
        findings: Gets what is wrong.
        environ: For ``${{ NAME }}``.
    """
    before = findings.errors
    document = open_document(file, findings)
    if document is None:
        return None
    reader = Reader(document, environ, findings)
    found: dict[str, Definition] = {}
    for path, value in _listed(reader):
        definition = _definition(reader, value, path)
        if definition is None:
            continue
        if definition.name in found:
            first = found[definition.name].place
            message = f"the target `{shown(definition.name)}` is defined twice, first in line {first.line}"
            reader.error((*path, "name"), message, "Keep one of the two.")
        found.setdefault(definition.name, definition)
    return None if findings.errors > before else Targets(file, found)


def _listed(reader: Reader) -> list[tuple[DocumentPath, Any]]:
    value = reader.document.data
    prefix: DocumentPath = ()
    if isinstance(value, dict):
        entry = reader.read(_FILE, value)
        prefix, value = ("targets",), entry.targets if entry is not None else []
        if entry is None:
            return []
    if not isinstance(value, list):
        reader.error((), "a file of targets holds a list of them", "Write `- name: ...` for each.")
        return []
    if not value:
        reader.error(prefix, "there are no targets in this file", "Write one.")
    return [((*prefix, index), item) for index, item in enumerate(value)]


def _definition(reader: Reader, value: Any, path: DocumentPath) -> Definition | None:
    if not isinstance(value, dict):
        reader.error(path, f"a target must be a mapping, not {described(value)}", "Write `name` and `provider`.")
        return None
    provider = value.get("provider")
    if provider is None:
        if not reader.misspelt(value, "provider", path):
            reader.error((*path, "provider"), "`provider` is missing", f"Write one of {', '.join(_PROVIDERS)}.")
        return None
    adapter = _PROVIDERS.get(provider) if isinstance(provider, str) else None
    if adapter is None:
        message = f"`provider` cannot be {described(provider)}"
        reader.error((*path, "provider"), message, suggestion(str(provider), _PROVIDERS))
        return None
    match reader.read(adapter, value, path):
        case CliEntry() as entry:
            return _cli(reader, entry, path)
        case ReplayEntry() as entry:
            return _replay(reader, entry, path)
        case MockEntry() as entry:
            return MockTarget(name=entry.name, place=reader.document.place(path), output=entry.output)
        case _:
            return None


def _cli(reader: Reader, entry: CliEntry, path: DocumentPath) -> CliTarget:
    command: CommandSpec = command_spec(entry.command)
    for index, name in enumerate(entry.env_allow):
        if name in entry.env:
            message = f"`{name}` is set by `env` and taken from the host, too"
            reader.error((*path, "env_allow", index), message, "Keep one of the two.")
    if entry.output_file is not None and entry.output_file == entry.transcript_file:
        reader.error((*path, "transcript_file"), "`transcript_file` is the `output_file`", "Name two files.")
    limits = entry.limits
    return CliTarget(
        name=entry.name,
        place=reader.document.place(path),
        command=command,
        image=entry.image,
        network=Network(entry.network),
        env=dict(entry.env),
        env_allow=tuple(dict.fromkeys(entry.env_allow)),
        timeout_seconds=entry.timeout_seconds or DEFAULT_SECONDS,
        output_file=entry.output_file,
        transcript_file=entry.transcript_file,
        room=Room(limits.memory, limits.cpus, limits.pids, limits.disk) if limits is not None else Room(),
    )


def _replay(reader: Reader, entry: ReplayEntry, path: DocumentPath) -> ReplayTarget:
    for name in _PLACEHOLDER.findall(entry.path):
        if name not in PLACEHOLDERS:
            message = f"`path` holds the unknown placeholder `{{{shown(name)}}}`"
            reader.error((*path, "path"), message, suggestion(name, PLACEHOLDERS))
    return ReplayTarget(
        name=entry.name,
        place=reader.document.place(path),
        path=entry.path,
        directory=reader.document.file.parent,
    )
