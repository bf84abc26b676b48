"""Hashes that tell whether two gradings have the same inputs, and the key of a verdict.

    content_key   everything that a verdict depends on: with the same key, a verdict may be reused
    plan_hashes   what the commands of each check depend on besides their arguments and the submission
    stdin_hashes  the parts of the stdin of these commands

A command's arguments stay the same when a test file that they name changes. So outcomes are kept with these hashes, and
are never scored for changed inputs. Pure, except that it reads the files that it hashes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel

from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.crossing import ContractRule
from gradebox.graders.model.plan import Files, Plan, Role, Stage, Step
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import digest, encodable
from gradebox.graders.model.tree import pieces
from gradebox.graders.runners import contents_inside
from gradebox.sandbox.archive import ArchiveEntry, EntryKind

if TYPE_CHECKING:
    from gradebox.graders.model.verdict_document import VerdictDocument

# The key of the workspace in `plan_hashes`; no check has this name.
WORKSPACE = ""
# The key in `stdin_hashes` for bytes that are not a JSON object.
WHOLE = "stdin"
# Fields that are only shown, so they do not change the case. Graders get the parts of `about` from other fields.
_NOT_HASHED = frozenset({"description", "about"})


class Key(NamedTuple):
    """Identifies a verdict within a run."""

    case: str
    target: str | None
    submission: str
    repeat: int


def key_of(verdict: Result | VerdictDocument) -> Key:
    return key_for(verdict.case, verdict.target, verdict.submission, verdict.repeat)


def key_for(case: str, target: str | None, submission: str, repeat: int) -> Key:
    """Return a key with names encoded as in documents, so that it is equal before and after a round trip to disk."""
    return Key(encodable(case), None if target is None else encodable(target), encodable(submission), repeat)


class _Hash:
    """A hash of a list of parts. Each part is preceded by its length, so that no two lists have the same bytes."""

    def __init__(self) -> None:
        self._found = sha256()

    def add(self, data: bytes) -> None:
        self._found.update(b"%d\0" % len(data) + data)

    def add_words(self, words: Iterable[str]) -> None:
        for word in words:
            self.add(word.encode("utf-8", "surrogatepass"))
        self.add(b"end of words")

    def add_files(self, entries: Iterable[ArchiveEntry]) -> None:
        for entry in entries:
            self.add(f"{entry.kind} {entry.mode:o} {entry.size} {entry.path}".encode("utf-8", "surrogateescape"))
            if entry.kind is not EntryKind.DIRECTORY:
                for piece in pieces(entry):
                    self._found.update(piece)
        self.add(b"end of files")

    def add_stage(self, stage: Stage) -> None:
        self.add_files(stage.delivered)
        if stage.contract is not ContractRule.RECORDED:
            self.add(f"contract: {stage.contract}".encode())
        self.add_files(stage.given)
        if stage.expected:
            self.add(stage.expected.digest.encode("utf-8", "surrogatepass"))
        for step in stage.steps:
            if step.input:
                self.add(step.input.sha256.encode())
            # `stdin_hashes` covers the stdin of code graders. The stdin of an item is its program.
            self.add(_program(step) if step.role is Role.ITEM else b"")

    def text(self) -> str:
        return self._found.hexdigest()


def case_key(case: Case, files: Files) -> str:
    """Return a hash of a case with its files. It does not depend on the case's path or crossing.

    The name of its target is left out, since an answer may set it as a label.

    Raises OSError if a file can no longer be read.
    """
    found = _Hash()
    found.add_words((_stable(replace(case, crossing=None, target=None)), *sorted(files.solution)))
    for tree in (files.workspace, files.own):
        found.add_files(tree.entries.values())
    return found.text()


@cache
def _version() -> str:
    """Return the version of gradebox; cached, since looking it up takes a millisecond."""
    from importlib import metadata  # noqa: PLC0415 - as above

    return metadata.version("gradebox")


def content_key(
    plan: Plan,
    *,
    image_id: str,
    sandbox: str,
    submitted: str = "",
    of_case: str = "",
    services: Mapping[str, str] | None = None,
) -> str:
    """Return a hash of everything that a verdict depends on.

    `sandbox` names profile and runtime. `services` maps the names of services to their image ids. `submitted` is the
    digest of the plan's submission, and `of_case` the `case_key`, if they are already known.

    Raises OSError if a file can no longer be read.
    """
    found = _Hash()
    # A verdict names the paths of submitted files, so other paths need another hash.
    submitted = submitted or digest(plan.submission)
    found.add_words((_version(), image_id, sandbox, submitted, plan.moved, plan.misfit))
    for content in contents_inside():
        found.add(content)
    if services:
        found.add_words(f"{name} {services[name]}" for name in sorted(services))
    found.add_words((_stable(plan.case), of_case or case_key(plan.case, plan.files)))
    return found.text()


def plan_hashes(plan: Plan) -> dict[str, str]:
    """Return a hash for each check that runs something, by its name, and one for what all checks share.

    All checks share the workspace, the files restored and removed in it, the limits, and the case's own commands.
    Raises OSError if a file can no longer be read.
    """
    found = {WORKSPACE: _Hash()}
    shared = found[WORKSPACE]
    shared.add_files(plan.workspace.entries.values())
    shared.add_words(
        (_stable(plan.limits), *plan.kept_files, "", *plan.removed_paths, "", *(entry.path for entry in plan.restored))
    )
    for service in plan.services:
        shared.add_words((_stable(service.service),))
    for stage in (*filter(None, (plan.setup, plan.teardown)), *(one.stage for one in plan.services)):
        shared.add_stage(stage)
        for step in stage.steps:
            shared.add_words((step.cwd, *step.argv, *(f"{name}={step.env[name]}" for name in sorted(step.env))))
    for stage in plan.stages:
        found.setdefault(stage.check or WORKSPACE, _Hash()).add_stage(stage)
    return {name: one.text() for name, one in found.items()}


def stdin_hashes(steps: Iterable[Step]) -> dict[str, str]:
    """Return a hash for each part of the JSON object that the commands of a check get on stdin, by its key.

    The check's weight is left out, since it does not affect outcomes. So are the programs of items, which
    `plan_hashes` covers.
    """
    found: dict[str, _Hash] = {}
    for step in steps:
        if step.role is Role.ITEM or not (data := _program(step)):
            continue
        for name, value in _parts(data).items():
            found.setdefault(name, _Hash()).add(value)
    return {name: one.text()[:16] for name, one in found.items()}


def differing(now: Mapping[str, str], before: Mapping[str, str] | None) -> Sequence[str]:
    """Return the names of the parts of stdin whose hashes differ; all names if the earlier hashes are not known."""
    return [name for name in {**now, **(before or {})} if before is None or now.get(name) != before.get(name)]


def _parts(data: bytes) -> dict[str, bytes]:
    try:
        described = json.loads(data)
    except (ValueError, RecursionError):
        return {WHOLE: data}
    if not isinstance(described, dict):
        return {WHOLE: data}
    config = described.get("config")
    if isinstance(config, dict):
        described["config"] = {name: value for name, value in config.items() if name != "weight"}
    return {name: json.dumps(value, sort_keys=True).encode() for name, value in described.items()}


def _program(step: Step) -> bytes:
    program = step.stdin
    for token in (step.token, *(item.token for item in step.items)):
        program = program.replace(token.encode(), b"") if token else program
    return program


def _stable(value: Any) -> str:
    """Return a text that is the same for equal values in every process and place."""
    if isinstance(value, Path | Place):
        # Paths do not matter; the files there are hashed separately.
        return ""
    if isinstance(value, Enum):
        return repr(value.value)
    model = type(value)
    if is_dataclass(model) or isinstance(value, BaseModel):
        names = type(value).model_fields if isinstance(value, BaseModel) else [field.name for field in fields(value)]
        named = (f"{name}={_stable(getattr(value, name))}" for name in names if name not in _NOT_HASHED)
        return f"{model.__name__}({','.join(named)})"
    if isinstance(value, Mapping):
        return f"{{{','.join(sorted(f'{_stable(key)}:{_stable(inner)}' for key, inner in value.items()))}}}"
    if isinstance(value, frozenset | set):
        return f"{{{','.join(sorted(map(_stable, value)))}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_stable, value))}]"
    return repr(value)
