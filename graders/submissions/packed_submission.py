"""Packs a submission into bytes and unpacks it: fields as JSON, and files as a tar archive with links and modes.

The bytes may come from a hostile author. Unpacking accepts only a submission that could have been handed in, and writes
nothing to the host's disk.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import asdict, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.model.patch import FilePatch
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import MAX_ENTRIES, MAX_PATH_CHARACTERS, Tree, is_deep, parents, read
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, check_path, pack, unpack
from gradebox.sandbox.errors import ProtocolError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

# No applicable diff has larger numbers of lines.
_MOST_LINES = 1 << 40


class Packed(NamedTuple):
    """A submission as bytes."""

    words: bytes
    files: bytes


def packed(submission: Submission) -> Packed:
    """Return a submission as bytes.

    Raises OSError if a file cannot be read, and WorkspaceRefused if its size has changed since it was scanned.
    """
    tree = submission.tree
    slim = replace(submission, tree=Tree({}, tree.left_out))
    words = json.dumps(asdict(slim), default=_plain).encode()
    return Packed(words, b"".join(pack(tree.entries.values(), read)))


def unpacked(words: bytes, files: bytes) -> Submission:
    """Return the submission that `packed` packed. Raises SubmissionRefused if the bytes are anything else."""
    try:
        listed = json.loads(words)
        for patch in listed["patches"]:
            for hunk in patch["hunks"]:
                hunk["body"] = urlsafe_b64decode(hunk["body"])
        found: Submission = _adapter().validate_python((listed,))[0]
        tree = Tree(_entries(unpack(files)), found.tree.left_out)
    except (ProtocolError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise SubmissionRefused(f"It is not a submission: {_first_line(error)}.") from error
    is_one_file = [entry.kind for entry in tree.entries.values()] == [EntryKind.FILE]
    if not all(map(_is_sound, found.patches)) or (found.form is Form.SOURCE_FILE and not is_one_file):
        raise SubmissionRefused("It is not a submission: nobody could have submitted it.")
    return replace(found, tree=tree)


def _plain(value: object) -> str:
    return urlsafe_b64encode(value).decode() if isinstance(value, bytes) else str(value)


@cache
def _adapter() -> TypeAdapter[Any]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - most runs only write submissions

    adapter = TypeAdapter(tuple[Submission])
    # The module of the class imports this name only for type checkers.
    adapter.rebuild(_types_namespace={"FilePatch": FilePatch})
    return adapter


def _entries(unpacked: Iterable[ArchiveEntry]) -> dict[str, ArchiveEntry]:
    """Return the files of a tree. Raises ValueError if no submission could have them."""
    found: dict[str, ArchiveEntry] = {}
    characters = 0
    for entry in unpacked:
        characters += len(entry.path)
        if entry.path in found or len(found) >= MAX_ENTRIES or characters > MAX_PATH_CHARACTERS:
            raise ValueError(f"{entry.path[:100]!r} is there twice, or there are too many files")
        if is_deep(entry.path.rpartition("/")[0]):
            raise ValueError(f"{entry.path[:100]!r} lies too deep")
        found[entry.path] = entry
    for path in found:
        for parent in parents(path):
            if parent in found and found[parent].kind is not EntryKind.DIRECTORY:
                raise ValueError(f"{path[:100]!r} lies below what is not a directory")
    return {path: found[path] for path in sorted(found)}


def _is_sound(patch: FilePatch) -> bool:
    """Return whether `diff.parse` could have read a patch."""
    paths = [path for path in (patch.old, patch.new) if path is not None]
    numbers = [n for hunk in patch.hunks for n in (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count)]
    return (
        bool(paths)
        and not any(map(check_path, paths))
        and all(0 <= number < _MOST_LINES for number in numbers)
        and all(hunk.body.endswith(b"\n") for hunk in patch.hunks)
        and 0 <= (patch.mode or 0) <= 0o777
    )


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".") or type(error).__name__
