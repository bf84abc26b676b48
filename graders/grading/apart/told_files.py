"""Makes `.gradebox/apart.json`, owned by root, which lists the case's files for a grader's process.

    {"workspace": "/workspace", "files": {"grading/test_x.py": "<SHA-256>", ...},
     "contract": {"PATH": ["WORD", ...]}, "exact": false, "record": false, "reword": 0}

It lists the files of the case that are in the sandbox during a stage and that no submission can change, with their
digests. Everything else in the workspace belongs to the submission. The contract (docs/explanation/boundary.md) is null
without a reference. With `exact`, a test passes only with the reference's answers. With `record`, every request is
passed on and recorded. That is so for the reference, and with `contract: none`, where the record is not read. With
`reword`, the texts of exceptions are replaced, which shows what tests read none: with 1, each time by another text;
with 2, all by the same. Our runners find the file through the environment variable `GRADEBOX_APART`. Only the grader's
user can read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from itertools import chain
from pathlib import Path
from posixpath import dirname, join, normpath

from gradebox.graders.model.crossing import ContractRule
from gradebox.graders.model.plan import Plan, Stage, Step, User
from gradebox.graders.model.tree import pieces
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry
from gradebox.sandbox.types import WORKSPACE

VARIABLE = "GRADEBOX_APART"
_PATH = ".gradebox/apart.json"
PLACE = f"{WORKSPACE}/{_PATH}"


def is_told(step: Step) -> bool:
    """Return whether a step is one of our runners that runs apart from the submission, and so gets the file."""
    return step.user is User.GRADER and bool(step.token)


def entries(plan: Plan, stage: Stage) -> tuple[ArchiveEntry, ...]:
    """Return the file for a stage and its directory; nothing for a stage that does not need the file."""
    if not any(map(is_told, stage.steps)):
        return ()
    told = {
        # A command may run in another directory.
        "workspace": WORKSPACE,
        "files": case_files(plan, stage),
        "contract": _contract(plan, stage),
        "exact": stage.contract is ContractRule.EXACT,
        "record": plan.record or stage.contract is ContractRule.NONE,
        "reword": plan.reword,
    }
    file = file_entry(_PATH, json.dumps(told, sort_keys=True).encode())
    return ArchiveEntry(dirname(_PATH), EntryKind.DIRECTORY, 0o755), file


def _contract(plan: Plan, stage: Stage) -> dict[str, list[str]] | None:
    crossing = None if plan.record or stage.contract is ContractRule.NONE else plan.case.crossing
    found = crossing.contracts.get(stage.check or "") if crossing else None
    return None if found is None else {path: sorted(words) for path, words in found.items()}


def case_entries(plan: Plan, stage: Stage) -> dict[str, ArchiveEntry]:
    """Return the entries of the case that no submission can change during a stage, by their paths."""
    return {entry.path: entry for entry in chain(plan.restored, stage.delivered) if _is_of_case(entry, plan)}


def case_files(plan: Plan, stage: Stage) -> dict[str, str]:
    """Return the digests of the files that no submission can change during a stage, by their paths.

    If the case has a link to such a file, or to a directory of such files, the paths through the link are included.
    """
    there = case_entries(plan, stage)
    found = {path: _digest(entry) for path, entry in there.items() if entry.kind is EntryKind.FILE}
    for path, entry in there.items():
        if entry.kind is EntryKind.LINK:
            target = normpath(join(dirname(path), entry.target)).removeprefix(f"{WORKSPACE}/")
            found |= {f"{path}{rest}": found[f"{target}{rest}"] for rest in _below(target, found)}
    return found


def _below(target: str, found: dict[str, str]) -> Iterator[str]:
    """Yield the rest of each path that equals `target` or lies below it."""
    return iter([path[len(target) :] for path in found if path == target or path.startswith(f"{target}/")])


def _is_of_case(entry: ArchiveEntry, plan: Plan) -> bool:
    """Return whether a delivered file belongs to the case, since tests of the submission are delivered, too."""
    files = plan.files
    return (
        entry.path in files.own.entries
        or entry is not plan.laid.entries.get(entry.path)
        or entry is files.workspace.entries.get(entry.path)
    )


def _digest(entry: ArchiveEntry) -> str:
    if entry.source is None:
        return sha256(entry.data or b"").hexdigest()
    status = entry.source.lstat()
    return _digest_of_file(entry.source, entry.size, status.st_ino, status.st_mtime_ns)


@lru_cache(maxsize=65_536)
def _digest_of_file(source: Path, size: int, *_of_status: int) -> str:
    """Return the digest of a file; it is computed again if the file's status has changed."""
    found = sha256()
    for piece in pieces(ArchiveEntry("", size=size, source=source)):
        found.update(piece)
    return found.hexdigest()
