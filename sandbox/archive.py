"""Packs archives for the supervisor's PUT requests, and unpacks those from its GET requests. Pure.

The format is POSIX ustar with GNU long names. An archive from a sandbox is hostile input: names are checked, links are
never followed, and this module writes nothing to the host's disk.
"""

from __future__ import annotations

import io
import stat
import tarfile
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from pathlib import Path

from gradebox.sandbox.errors import ProtocolError, WorkspaceRefused
from gradebox.sandbox.records import dataclass

_BLOCK = 512
# The kinds of members that a supervisor sends: files, links, directories, and the long name or target of the next one.
_KINDS = frozenset(
    {tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
)


class EntryKind(StrEnum):
    """What an entry is."""

    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One file, directory or symbolic link of a tree.

    Attributes:
        path: Relative path with slashes; bytes that are not UTF-8 are surrogate escapes.
        kind: Whether it is a file, a directory or a link.
        mode: Permission bits.
        size: The length of a file's content, in bytes.
        mtime: Time of modification, in seconds since the epoch.
        data: A file's content if it is in memory.
        source: The path from which a file's content is read otherwise.
        target: The path that a link points to.
    """

    path: str
    kind: EntryKind = EntryKind.FILE
    mode: int = 0o644
    size: int = 0
    mtime: int = 0
    data: bytes | None = None
    source: Path | None = None
    target: str = ""

    @property
    def executable(self) -> bool:
        return bool(self.mode & stat.S_IXUSR)


def file_entry(path: str, data: bytes, *, mode: int = 0o644) -> ArchiveEntry:
    """Return a file whose content is in memory."""
    return ArchiveEntry(path, EntryKind.FILE, mode, len(data), data=data)


def check_path(path: str) -> str | None:
    """Return what is wrong with a relative path, None if it is valid."""
    if not path:
        return "is empty"
    if path.startswith("/"):
        return "is absolute"
    if "\0" in path:
        return "holds a NUL"
    if any(part in {"", ".", ".."} for part in path.split("/")):
        return "has an empty, '.' or '..' component"
    return None


def pack(entries: Iterable[ArchiveEntry], read: Callable[[Path, int], bytes]) -> Iterator[bytes]:
    """Yield an archive of `entries`, piece by piece.

    Args:
        entries: The entries, in the order in which they are unpacked.
        read: Reads the content of a source, given the maximum number of bytes to return.

    Raises:
        WorkspaceRefused: If a path is invalid, or the size of a source differs from its entry's.
    """
    for entry in entries:
        problem = check_path(entry.path)
        if problem:
            raise WorkspaceRefused(f"The path {entry.path!r} {problem}.")
        header = tarfile.TarInfo(entry.path)
        header.mode = entry.mode & 0o777
        header.mtime = max(0, entry.mtime)
        match entry.kind:
            case EntryKind.DIRECTORY:
                header.type = tarfile.DIRTYPE
            case EntryKind.LINK:
                header.type = tarfile.SYMTYPE
                header.linkname = entry.target
            case EntryKind.FILE:
                header.size = entry.size
        yield header.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
        if entry.kind is EntryKind.FILE and entry.size:
            yield _content(entry, read)
            yield bytes(-entry.size % _BLOCK)
    yield bytes(2 * _BLOCK)


def _content(entry: ArchiveEntry, read: Callable[[Path, int], bytes]) -> bytes:
    content = entry.data or b""
    if entry.data is None and entry.source is not None:
        # Ask for one byte more, to notice that the file has grown.
        content = read(entry.source, entry.size + 1)
    if len(content) != entry.size:
        raise WorkspaceRefused(
            f"The file {entry.source or entry.path} changed while it was read: it had {entry.size} bytes.",
            remedy="Grade a directory that no other program writes to.",
        )
    return content


def unpack(archive: bytes) -> tuple[ArchiveEntry, ...]:
    """Return the entries of an archive that came out of a sandbox, contents included.

    Raises:
        ProtocolError: If the data is not an archive, or has a member that the supervisor never sends.
    """
    found: list[ArchiveEntry] = []
    try:
        _check_kinds(archive)
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:", encoding="utf-8", errors="surrogateescape") as tar:
            for member in tar:
                path = member.name.rstrip("/")
                problem = check_path(path)
                if problem:
                    raise ProtocolError(f"The supervisor sent an archive in which the path {path!r} {problem}.")
                if member.isdir():
                    found.append(ArchiveEntry(path, EntryKind.DIRECTORY, member.mode & 0o777, 0, int(member.mtime)))
                elif member.issym():
                    found.append(
                        ArchiveEntry(path, EntryKind.LINK, 0o777, 0, int(member.mtime), target=member.linkname)
                    )
                elif member.isreg() and not member.issparse():
                    stream = tar.extractfile(member)
                    data = stream.read() if stream else b""
                    found.append(
                        ArchiveEntry(path, EntryKind.FILE, member.mode & 0o777, len(data), int(member.mtime), data=data)
                    )
                else:
                    raise ProtocolError(
                        f"The supervisor sent an archive in which {path!r} is neither a file, a directory nor a link."
                    )
    except (tarfile.TarError, ValueError, OverflowError, EOFError, RecursionError) as error:
        raise ProtocolError(f"The supervisor sent an archive that cannot be read: {error}.") from error
    return tuple(found)


def _check_kinds(archive: bytes) -> None:
    """Refuse kinds of members not in `_KINDS` before `tarfile` reads them: it can need hours for PAX members.

    Raises:
        ProtocolError: If there is such a member.
        TarError: If a size is invalid.
    """
    position = 0
    while len(header := archive[position : position + _BLOCK]) == _BLOCK and any(header):
        kind, size = header[156:157], tarfile.nti(header[124:136])  # type: ignore[attr-defined]
        if kind not in _KINDS or size < 0 or (size and kind in (tarfile.SYMTYPE, tarfile.DIRTYPE)):
            raise ProtocolError(
                "The supervisor sent an archive with a member that is neither a file, a directory nor a link."
            )
        position += _BLOCK + -(-size // _BLOCK) * _BLOCK
