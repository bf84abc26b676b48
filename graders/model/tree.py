"""Directory trees as values: scanned once from disk, then laid over each other in memory.

Scanning follows no symbolic links and reads no contents; files are read when they are packed for a sandbox. Links are
kept unchanged, since inside the sandbox they can only point into the sandbox. Devices, pipes and sockets are left out,
and `Tree.left_out` lists them. So are directories that hold runs: each run would make another tree of what it grades.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from posixpath import dirname, join, normpath, relpath
from typing import BinaryIO

from gradebox.graders.errors import SubmissionRefused
from gradebox.sandbox.archive import ArchiveEntry, EntryKind
from gradebox.sandbox.records import dataclass

# Every run directory has the first two files, and the third unless its run was imported.
RUN_RECORD, RUN_RESULTS, RUN_LOCK = "run.json", "results.jsonl", "lock"
MAX_ENTRIES = 200_000
# For all paths together: many files deep in a tree need memory for their long paths, even if their names are short.
MAX_PATH_CHARACTERS = 32 * 1024 * 1024
# Limited because many decisions about a path look at each directory above it.
MAX_DEPTH = 256
_PIECE_BYTES = 1024 * 1024
# As many as Linux follows.
_MOST_LINKS = 40
# A link that has replaced a file since the scan is not followed, and a pipe does not block.
_OPEN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Tree:
    """Files, directories and links by relative path."""

    # Sorted by path, so that a directory comes before its contents.
    entries: Mapping[str, ArchiveEntry] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()  # Paths that were ignored: special files, and files of the desktop.

    def files(self) -> Iterator[ArchiveEntry]:
        """Yield the entries that are not directories."""
        return (entry for entry in self.entries.values() if entry.kind is not EntryKind.DIRECTORY)

    def below(self, directory: str) -> Iterator[ArchiveEntry]:
        """Yield the entry `directory` and all below it."""
        prefix = f"{directory}/"
        return (entry for path, entry in self.entries.items() if path == directory or path.startswith(prefix))

    def in_order(self, *, reverse: bool = False) -> Iterator[ArchiveEntry]:
        """Yield all entries, directories before their contents; `reverse` reverses the order within each depth."""
        entries = list(self.entries.values())
        if reverse:
            entries.reverse()
            entries.sort(key=lambda entry: entry.path.count("/"))
        yield from entries

    @property
    def size_bytes(self) -> int:
        return sum(entry.size for entry in self.entries.values())


def is_of_run(names: Container[str]) -> bool:
    """Return whether a directory with these file names is a run directory."""
    return RUN_RECORD in names and RUN_RESULTS in names


def scan(directory: Path, *, leave: Iterable[str] = ()) -> Tree:
    """Read the tree below a directory, which may itself be a symbolic link. Its own entries in `leave` are skipped.

    Directories of runs are skipped, too: what lies beside runs there changes with each run.

    Raises SubmissionRefused if there are more than MAX_ENTRIES entries, if all paths together are longer than
    MAX_PATH_CHARACTERS, or if one is deeper than MAX_DEPTH. Raises OSError if the tree cannot be read.
    """
    found: dict[str, ArchiveEntry] = {}
    characters = 0
    left_out: list[str] = []
    without = frozenset(leave)
    pending = [""]
    while pending:
        relative = pending.pop()
        if is_deep(relative):
            raise SubmissionRefused(f"{directory} holds directories nested deeper than {MAX_DEPTH} levels.")
        entries: dict[str, ArchiveEntry | None] = {}
        with os.scandir(directory / relative) as children:
            for child in children:
                if not relative and child.name in without:
                    continue
                if _is_run(child):
                    if not relative:
                        continue
                    del found[relative]
                    entries = {}
                    break
                path = f"{relative}/{child.name}" if relative else child.name
                characters += len(path)
                if len(found) + len(left_out) + len(entries) >= MAX_ENTRIES:
                    raise SubmissionRefused(f"{directory} holds more than {MAX_ENTRIES} files.")
                if characters > MAX_PATH_CHARACTERS:
                    raise SubmissionRefused(f"{directory} holds paths of more than {MAX_PATH_CHARACTERS} characters.")
                entries[path] = _entry(path, Path(child.path), child.stat(follow_symlinks=False))
        left_out += [path for path, entry in entries.items() if entry is None]
        found |= {path: entry for path, entry in entries.items() if entry is not None}
        pending += [path for path in entries if path in found and found[path].kind is EntryKind.DIRECTORY]
    return Tree({path: found[path] for path in sorted(found)}, tuple(sorted(left_out)))


def _is_run(child: os.DirEntry[str]) -> bool:
    """Return whether a child is a run directory; another one can have files with one or two of these names."""
    if not child.is_dir(follow_symlinks=False):
        return False
    return all(os.path.lexists(f"{child.path}/{name}") for name in (RUN_RECORD, RUN_RESULTS, RUN_LOCK))


def is_deep(directory: str) -> bool:
    """Return whether the contents of a directory lie deeper than MAX_DEPTH."""
    return directory.count("/") + 1 >= MAX_DEPTH


def take(place: Path, path: str) -> Tree:
    """Read one file, one link, or a directory with everything below it, and return it as a tree at `path`.

    Raises SubmissionRefused as `scan` does, and OSError if something cannot be read.
    """
    entry = _entry(path, place, place.lstat())
    if entry is None:
        return Tree({}, (path,))
    below = scan(place) if entry.kind is EntryKind.DIRECTORY else Tree()
    entries = {f"{path}/{inner}": replace(e, path=f"{path}/{inner}") for inner, e in below.entries.items()}
    return Tree({path: entry, **entries}, tuple(f"{path}/{inner}" for inner in below.left_out))


def _entry(path: str, place: Path, status: os.stat_result) -> ArchiveEntry | None:
    mode = stat.S_IMODE(status.st_mode) & 0o777
    mtime = int(status.st_mtime)
    if stat.S_ISDIR(status.st_mode):
        return ArchiveEntry(path, EntryKind.DIRECTORY, mode | 0o700, mtime=mtime)
    if stat.S_ISLNK(status.st_mode):
        return ArchiveEntry(path, EntryKind.LINK, 0o777, mtime=mtime, target=str(place.readlink()))
    if stat.S_ISREG(status.st_mode):
        return ArchiveEntry(path, EntryKind.FILE, mode | 0o600, status.st_size, mtime, source=place)
    return None


def resolved(tree: Tree, path: str, top: str) -> str:
    """Return an absolute path without the links of a tree that lies at the path `top`. Pure."""
    for _ in range(_MOST_LINKS):
        inside = path.removeprefix(f"{top}/") if path.startswith(f"{top}/") else ""
        found = (tree.entries.get(each) for each in (*parents(inside), inside))
        link = next((entry for entry in found if entry is not None and entry.kind is EntryKind.LINK), None)
        if link is None:
            break
        path = normpath(join(top, dirname(link.path), link.target, relpath(inside, link.path)))
    return path


def overlay(base: Tree, over: Tree) -> Tree:
    """Lay the tree `over` on `base`. Entries of `over` win, and conflicting entries of `base` are dropped. Pure.

    The time grows with the length of all paths and no faster, since a submission chooses them.
    """
    entries = {**base.entries, **over.entries}
    # What lies below a file or link of `over`, and the files and links of `base` at whose path `over` has a directory.
    covers = {
        path
        for path, entry in over.entries.items()
        if entry.kind is not EntryKind.DIRECTORY and _is_directory(base.entries.get(path))
    }
    gone = {path for path in base.entries if covers and not covers.isdisjoint(parents(path))}
    gone |= {parent for path in over.entries for parent in parents(path) if not _is_directory(entries.get(parent))}
    return Tree({path: entries[path] for path in sorted(entries.keys() - gone)}, base.left_out + over.left_out)


def _is_directory(entry: ArchiveEntry | None) -> bool:
    return entry is not None and entry.kind is EntryKind.DIRECTORY


def remove(tree: Tree, paths: Iterable[str]) -> Tree:
    """Return a tree without these entries, and without directories that become empty. Pure."""
    entries = dict(tree.entries)
    gone = [path for path in paths if entries.pop(path, None) is not None]
    held = Counter(path.rpartition("/")[0] for path in entries)
    # Deepest first, since a directory may only contain directories that are empty now.
    for directory in sorted({parent for path in gone for parent in parents(path)}, reverse=True):
        if directory in entries and not held[directory]:
            del entries[directory]
            held[directory.rpartition("/")[0]] -= 1
    return Tree(entries, tree.left_out)


def parents(path: str) -> Iterator[str]:
    """Yield the directories above a path, outermost first."""
    position = path.find("/")
    while position >= 0:
        yield path[:position]
        position = path.find("/", position + 1)


def read(source: Path, most_bytes: int = -1) -> bytes:
    """Return a file's content, at most `most_bytes` of it, without following a link in the path's last component.

    Raises OSError if it cannot be read, or is no longer a regular file.
    """
    with _opened(source) as stream:
        return stream.read(most_bytes)


def pieces(entry: ArchiveEntry) -> Iterator[bytes]:
    """Yield the content of an entry in pieces, and no more bytes than the file had when it was scanned.

    Raises OSError if it cannot be read, or is no longer a regular file.
    """
    if entry.source is None or entry.data is not None:
        yield content(entry)
        return
    with _opened(entry.source) as stream:
        left = entry.size
        while piece := stream.read(min(left, _PIECE_BYTES)):
            left -= len(piece)
            yield piece


def _opened(source: Path) -> BinaryIO:
    stream = os.fdopen(os.open(source, _OPEN_FLAGS), "rb")
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise OSError(f"{source} is not a regular file any more")
    return stream


def content(entry: ArchiveEntry) -> bytes:
    """Return the content of an entry: a file's bytes, a link's target, nothing for a directory."""
    if entry.data is not None:
        return entry.data
    if entry.source is not None:
        return read(entry.source, entry.size)
    return os.fsencode(entry.target)


def differs(one: ArchiveEntry | None, other: ArchiveEntry | None) -> bool:
    """Return whether two entries differ in kind, content or executability."""
    if one is None or other is None:
        return one is not other
    if (one.kind, one.size, one.executable) != (other.kind, other.size, other.executable):
        return True
    if one.source is not None and one.source == other.source:
        return False
    return content(one) != content(other)


def changed_paths(before: Tree, after: Tree) -> Iterator[str]:
    """Yield the sorted paths of files and links that differ between two trees."""
    for path in sorted({*before.entries, *after.entries}):
        old, new = before.entries.get(path), after.entries.get(path)
        is_directory = all(entry is None or entry.kind is EntryKind.DIRECTORY for entry in (old, new))
        if not is_directory and differs(old, new):
            yield path
