"""Applies file patches to a tree. Pure: files are read through the caller's function.

All patches refer to the tree before the diff: a renamed or copied file is read from its old path, even if another patch
of the same diff writes to that path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gradebox.graders.model.patch import ADDED, DELETED, FilePatch, Hunk, Operation
from gradebox.graders.submissions.diff.diff_error import DiffError, shown
from gradebox.sandbox.records import dataclass

# Without a limit, a small diff could use any amount of memory: by copies that each have a hunk.
MAX_RESULT_BYTES = 256 << 20

Read = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one path."""

    path: str  # Relative, clean, with slashes; bytes that are not UTF-8 are surrogate escapes.
    content: bytes | None  # The new content, None if the file is deleted.
    # The permissions from the diff, None to keep those of `origin` or of the old file.
    mode: int | None = None
    origin: str | None = None  # The path from which the file was renamed or copied, None otherwise.


def apply(patches: Iterable[FilePatch], read: Read) -> tuple[Change, ...]:
    """Return the changes that patches make, deletions first, so that a directory may replace a file.

    `read` returns a file's content, None if there is no regular file. It must not follow symbolic links. The caller
    must check for directories at the paths when it writes the changes. Raises DiffError if a patch does not apply
    exactly; then no change is returned.
    """
    patches = tuple(patches)
    tree = _Tree(read)
    written, removed = _targets(patches)
    changes = [Change(path, None) for path in removed if path not in written]
    total = 0
    for patch in patches:
        if patch.new is not None:
            _check_room(patch, written, removed, tree)
        content = _source(patch, tree)
        if patch.hunks:
            content = _patched(content, patch.hunks, patch.old or patch.new or "")
        if patch.new is None:
            if content:
                raise DiffError(f"The patch deletes {shown(patch.old or '')} but not all of its lines.", patch.line)
            continue
        total += len(content)
        if total > MAX_RESULT_BYTES:
            raise DiffError(f"The patched files would have more than {MAX_RESULT_BYTES} bytes.", patch.line)
        moved = patch.operation in (Operation.RENAME, Operation.COPY)
        changes.append(Change(patch.new, content, patch.mode, patch.old if moved else None))
    return tuple(changes)


class _Tree:
    """The tree before the diff. Each file is read once."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._contents: dict[str, bytes | None] = {}
        self.directories: set[str] = set()

    def content(self, path: str) -> bytes | None:
        if path not in self._contents:
            self._contents[path] = self._read(path)
        return self._contents[path]


def _targets(patches: tuple[FilePatch, ...]) -> tuple[dict[str, FilePatch], dict[str, FilePatch]]:
    """Return the patch that writes each path, and the patch that removes each path."""
    written: dict[str, FilePatch] = {}
    removed: dict[str, FilePatch] = {}
    for patch in patches:
        for path, taken, concerned in (
            (patch.new, written, True),
            (patch.old, removed, patch.operation in (Operation.DELETE, Operation.RENAME)),
        ):
            if path is None or not concerned:
                continue
            if path in taken:
                raise DiffError(f"The file {shown(path)} is already patched at line {taken[path].line}.", patch.line)
            taken[path] = patch
    for path in written.keys() & removed.keys():
        # Two patches may have the same path only if one renames the file away and the other puts another file there.
        writer, remover = written[path], removed[path]
        if remover.operation is not Operation.RENAME or writer.operation is Operation.MODIFY:
            first, second = sorted((writer.line, remover.line))
            raise DiffError(f"The file {shown(path)} is already patched at line {first}.", second)
    return written, removed


def _check_room(patch: FilePatch, written: dict[str, FilePatch], removed: dict[str, FilePatch], tree: _Tree) -> None:
    """Raise DiffError if a new path exists already, or lies below a file."""
    path = patch.new or ""
    if patch.operation is Operation.MODIFY:
        return
    if path not in removed and tree.content(path) is not None:
        raise DiffError(f"The file {shown(path)} is declared as new, but exists.", patch.line)
    parent = path.rpartition("/")[0]
    while parent and parent not in tree.directories:
        if parent in written or (parent not in removed and tree.content(parent) is not None):
            raise DiffError(f"The file {shown(path)} cannot be made: {shown(parent)} is a file too.", patch.line)
        tree.directories.add(parent)
        parent = parent.rpartition("/")[0]


def _source(patch: FilePatch, tree: _Tree) -> bytes:
    """Return the content to which the hunks of a patch apply."""
    if patch.old is None:
        return b""
    content = tree.content(patch.old)
    if content is not None:
        return content
    only = patch.hunks[0] if len(patch.hunks) == 1 else None
    if not patch.explicit and patch.operation is Operation.MODIFY and only and only.old_start == only.old_count == 0:
        return b""
    raise DiffError(f"There is no file {shown(patch.old)}.", patch.line)


def _patched(content: bytes, hunks: tuple[Hunk, ...], path: str) -> bytes:
    result = bytearray()
    offset = index = 0
    for hunk in hunks:
        begin = offset
        while index < hunk.old_index:
            if offset == len(content):
                raise DiffError(f"The hunk is at line {hunk.old_start}, but {shown(path)} has only {index}.", hunk.line)
            end = content.find(b"\n", offset)
            offset = end + 1 if end >= 0 else len(content)
            index += 1
        result += content[begin:offset]
        if result and not result.endswith(b"\n"):
            raise DiffError(f"The line before the hunk, the last of {shown(path)}, has no newline.", hunk.line)
        for marker, text, line in hunk.lines():
            if marker != ADDED:
                last = not text.endswith(b"\n")
                if not content.startswith(text, offset) or (last and offset + len(text) != len(content)):
                    raise _mismatch(content[offset:], index, path, text, line)
                offset += len(text)
                index += 1
            if marker != DELETED:
                result += text
        if result and not result.endswith(b"\n") and offset < len(content):
            raise DiffError(f"The hunk ends with a line without a newline, but {shown(path)} goes on.", hunk.line)
    result += content[offset:]
    return bytes(result)


def _mismatch(found: bytes, index: int, path: str, expected: bytes, line: int) -> DiffError:
    """Return an error that says how the line `index` of a file differs from the line in a hunk."""
    where = f"Line {index + 1} of {shown(path)}"
    wanted, text = expected.removesuffix(b"\n"), found.partition(b"\n")[0]
    if not found:
        return DiffError(f"{where} must be {shown(wanted)}, but the file has only {index}.", line)
    if text == wanted:
        return DiffError(f"{where}, {shown(text)}, and its line in the diff do not both end with a newline.", line)
    return DiffError(f"{where} must be {shown(wanted)}, but is {shown(text)}.", line)
