"""What the commands of a plan depend on beside their words and the submission, as hashes. Pure but for what it reads.

A command's words stay the same when the file of tests that they name has changed, and so do those of a runner whose
items have, and of a grader that is told other criteria. Outcomes are kept with these hashes, so that none is scored as
that of something else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from graders.model.plan import (
    Plan,
    Role,
    Stage,
    Step,
)
from graders.model.tree import pieces
from sandbox.archive import Entry, Kind

# By which the workspace is found; no check has this name.
WORKSPACE = ""
# A part of what a command read that is no part of a JSON object.
WHOLE = "stdin"


def basis_of(plan: Plan) -> dict[str, str]:
    """Return a hash for each check that runs something, by its name, and one for what all of them share.

    That is the workspace with what is put back and removed in it, the limits, and the case's own commands.

    Raises:
        OSError: If a file that was there cannot be read any more.
    """
    found = {WORKSPACE: sha256()}
    shared = found[WORKSPACE]
    _add_files(shared, plan.workspace.entries.values())
    _add_words(shared, (repr(plan.limits), *plan.kept, "", *plan.taken, "", *(entry.path for entry in plan.restored)))
    for stage in (stage for stage in (plan.setup, plan.teardown) if stage):
        _add_stage(shared, stage)
        for step in stage.steps:
            _add_words(shared, (step.cwd, *step.argv, *(f"{name}={step.env[name]}" for name in sorted(step.env))))
    for stage in plan.stages:
        _add_stage(found.setdefault(stage.check or WORKSPACE, sha256()), stage)
    return {name: digest.hexdigest() for name, digest in found.items()}


def told_of(steps: Iterable[Step]) -> dict[str, str]:
    """Return a hash for each part of what the commands of a check could read on stdin, by its key in the JSON object.

    Not of the check's own weight, which may change without another outcome, and not of the programs of items, which
    `basis_of` has.
    """
    found: dict[str, Any] = {}
    for step in steps:
        if step.role is Role.ITEM or not (data := _program(step)):
            continue
        for name, value in _parts(data).items():
            _add(found.setdefault(name, sha256()), value)
    return {name: digest.hexdigest()[:16] for name, digest in found.items()}


def differing(told: Mapping[str, str], before: Mapping[str, str] | None) -> Sequence[str]:
    """Return the parts of what a check is told that are not what it was told before; all where that is not known."""
    return [name for name in {**told, **(before or {})} if before is None or told.get(name) != before.get(name)]


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


def _add_stage(digest: Any, stage: Stage) -> None:
    _add_files(digest, stage.delivered)
    for step in stage.steps:
        # What a code-grader is told changes with its weight (`told_of`); an item's program is all that it is.
        _add(digest, _program(step) if step.role is Role.ITEM else b"")


def _add_words(digest: Any, words: Iterable[str]) -> None:
    for word in words:
        _add(digest, word.encode("utf-8", "surrogatepass"))
    _add(digest, b"end of words")


def _program(step: Step) -> bytes:
    program = step.stdin
    for token in (step.token, *(item.token for item in step.items)):
        program = program.replace(token.encode(), b"") if token else program
    return program


def _add_files(digest: Any, entries: Iterable[Entry]) -> None:
    for entry in entries:
        _add(digest, f"{entry.kind} {entry.mode:o} {entry.size} {entry.path}".encode("utf-8", "surrogateescape"))
        if entry.kind is not Kind.DIRECTORY:
            for piece in pieces(entry):
                digest.update(piece)
    _add(digest, b"end of files")


def _add(digest: Any, data: bytes) -> None:
    digest.update(b"%d\0" % len(data) + data)
