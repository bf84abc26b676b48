"""Which verdict is which, and whether two gradings would be of the same thing. Pure but for the files it hashes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from graders.model.case import Case, Place
from graders.model.plan import Files
from graders.model.result import (
    Result,
    VerdictDocument,
    encodable,
)
from graders.model.submission import Submission, digest
from graders.model.tree import Tree, content, pieces
from sandbox.archive import Kind

# What is only shown makes it no other case.
_NOT_HASHED = frozenset({"description"})


class Key(NamedTuple):
    """What a run has one verdict of."""

    case: str
    target: str | None
    submission: str
    repeat: int


def key_of(verdict: Result | VerdictDocument) -> Key:
    """Return the key of a verdict."""
    return key_for(verdict.case, verdict.target, verdict.submission, verdict.repeat)


def key_for(case: str, target: str | None, submission: str, repeat: int) -> Key:
    """Return a key of names as the documents have them, so that it is the same before and after it was on disk."""
    return Key(encodable(case), None if target is None else encodable(target), encodable(submission), repeat)


def content_key(
    case: Case,
    files: Files,
    submission: Submission,
    *,
    image: str,
    runners: Mapping[str, str],
    sandbox: str,
) -> str:
    """Return a hash of all that a verdict depends on, so that equal ones are of the same thing.

    Args:
        case: What is asked.
        files: What can be delivered for it.
        submission: What is graded.
        image: Id of the image.
        runners: Source of the item runners.
        sandbox: What else the sandbox is made of: runtime, profile, supervisor.

    Raises:
        OSError: If a file that was there cannot be read any more.
    """
    found = sha256()
    for part in (metadata.version("gradebox"), image, sandbox, digest(submission)):
        _add(found, part.encode())
    for name in sorted(runners):
        _add(found, runners[name].encode())
    _add(found, _stable(case).encode("utf-8", "surrogatepass"))
    for tree in (files.workspace, files.own):
        _add_tree(found, tree)
    _add(found, "\0".join(sorted(files.solution)).encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def _add(found: Any, data: bytes) -> None:
    # With its length in front, no two lists of parts run together to the same bytes.
    found.update(b"%d\0" % len(data) + data)


def _add_tree(found: Any, tree: Tree) -> None:
    for entry in tree.entries.values():
        _add(found, f"{entry.kind} {entry.mode:o} {entry.path}".encode("utf-8", "surrogateescape"))
        if entry.kind is Kind.FILE:
            found.update(b"%d\0" % entry.size)
            for piece in pieces(entry):
                found.update(piece)
        else:
            _add(found, content(entry))
    _add(found, b"end of tree")


def _stable(value: Any) -> str:
    """Return a text that is the same for equal values in every process and place."""
    if isinstance(value, Path | Place):
        # Where something lies makes it nothing else; what lies there is hashed by itself.
        return ""
    if isinstance(value, Enum):
        return repr(value.value)
    if is_dataclass(value) and not isinstance(value, type):
        named = (field.name for field in fields(value) if field.name not in _NOT_HASHED)
        return f"{type(value).__name__}({','.join(f'{name}={_stable(getattr(value, name))}' for name in named)})"
    if isinstance(value, Mapping):
        return f"{{{','.join(sorted(f'{_stable(key)}:{_stable(inner)}' for key, inner in value.items()))}}}"
    if isinstance(value, frozenset | set):
        return f"{{{','.join(sorted(map(_stable, value)))}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_stable, value))}]"
    return repr(value)
