"""What the commands of a plan depend on beside their words and the submission, as hashes. Pure but for what it reads.

A command's words stay the same when the file of tests that they name has changed, and so do those of a runner whose
items have. Outcomes are kept with these hashes, so that none is scored as that of something else.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from graders.plan import Plan
from graders.steps import Role, Stage, Step
from graders.tree import pieces
from sandbox.archive import Entry, Kind

# By which the workspace is found; no check has this name.
WORKSPACE = ""


def basis_of(plan: Plan) -> dict[str, str]:
    """Return a hash for each check that runs something, by its name, and one for the workspace and the case's setup.

    Raises:
        OSError: If a file that was there cannot be read any more.
    """
    around = (stage for stage in (plan.setup, plan.teardown) if stage)
    found = {WORKSPACE: sha256()}
    _add_files(found[WORKSPACE], plan.workspace.entries.values())
    for stage in (*around, *plan.stages):
        _add_stage(found.setdefault(stage.check or WORKSPACE, sha256()), stage)
    return {name: digest.hexdigest() for name, digest in found.items()}


def _add_stage(digest: Any, stage: Stage) -> None:
    _add_files(digest, stage.delivered)
    for step in stage.steps:
        # What a code-grader is told holds its weight, which may change; an item's program is all that it is.
        _add(digest, _program(step) if step.role is Role.ITEM else b"")


def _program(step: Step) -> bytes:
    program = step.stdin
    for token in (step.token, *(item.token for item in step.items)):
        program = program.replace(token.encode(), b"")
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
