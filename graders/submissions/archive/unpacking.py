"""Turns the bytes of an archive into a submission. Checks every path and size, for all archive formats."""

from __future__ import annotations

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator

from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import MAX_DEPTH, Tree, parents
from gradebox.graders.submissions.archive import archive_limits as limits
from gradebox.graders.submissions.archive.archive_limits import ArchiveRefused, Member
from gradebox.graders.submissions.archive.compression import decompressed, is_compressed
from gradebox.graders.submissions.archive.tar_members import is_tar, tar_members
from gradebox.graders.submissions.archive.zip_members import MAGIC, zip_members
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, check_path, file_entry


def is_archive(data: bytes) -> bool:
    """Return whether data is an archive or a compressed file."""
    return data.startswith(MAGIC) or is_compressed(data) or is_tar(data)


def read_archive(name: str, data: bytes) -> Submission:
    """Unpack an archive into a submission that is laid over the workspace like a directory.

    Raises ArchiveRefused if it is broken, or contains an entry that no submission may have.
    """
    try:
        members = zip_members(data) if data.startswith(MAGIC) else tar_members(_tar(data))
        return Submission(name, Form.DIRECTORY, _tree(members, len(data)))
    except ArchiveRefused:
        raise
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError) as error:
        raise ArchiveRefused(f"The archive is broken: {error}.") from error
    except (OSError, EOFError, ValueError, OverflowError, NotImplementedError, RuntimeError, MemoryError) as error:
        raise ArchiveRefused(f"The archive cannot be read: {error or type(error).__name__}.") from error


def _tar(data: bytes) -> bytes:
    found = decompressed(data)
    if not is_tar(found):
        raise ArchiveRefused("The file is compressed, but its content is not a tar archive.")
    return found


def _tree(members: Iterator[Member], packed_bytes: int) -> Tree:
    found: dict[str, ArchiveEntry] = {}
    unpacked = 0
    for count, member in enumerate(members, 1):
        if count > limits.MAX_MEMBERS:
            raise ArchiveRefused(f"The archive holds more than {limits.MAX_MEMBERS} members.")
        path = _checked(member.path)
        # As in a directory, `.git` is not part of the submission.
        if not path or path.partition("/")[0] == ".git":
            continue
        there = found.get(path)
        if there is not None and not (member.directory and there.kind is EntryKind.DIRECTORY):
            raise ArchiveRefused(f"The archive holds {path!r} twice.")
        if member.directory:
            found[path] = ArchiveEntry(path, EntryKind.DIRECTORY, member.mode & 0o777 | 0o700)
            continue
        unpacked += member.size
        _check_size(path, member.size, unpacked, packed_bytes)
        content = member.read()
        if len(content) != member.size:
            raise ArchiveRefused(f"The archive's member {path!r} does not have the size that it declares.")
        found[path] = file_entry(path, content, mode=member.mode & 0o777 | 0o600)
    for path in found:
        over = next((parent for parent in parents(path) if parent in found and found[parent].data is not None), None)
        if over is not None:
            raise ArchiveRefused(f"The archive holds {over!r} as a file and {path!r} below it.")
    return Tree({path: found[path] for path in sorted(found)})


def _check_size(path: str, size: int, unpacked: int, packed: int) -> None:
    if unpacked > limits.MAX_UNPACKED_BYTES:
        raise ArchiveRefused(
            f"The archive unpacks to more than {limits.MAX_UNPACKED_BYTES} bytes: with its member {path!r} "
            f"of {size} bytes."
        )
    if unpacked > limits.RATIO_FROM_BYTES and unpacked > limits.MAX_RATIO * packed:
        raise ArchiveRefused(
            f"The archive unpacks to more than {limits.MAX_RATIO} times its {packed} bytes: with its member {path!r} "
            f"of {size} bytes."
        )


def _checked(written: str) -> str:
    """Return the path of a member in the form that trees use; empty for the root."""
    path = written.rstrip("/") if written.strip("/") else written
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    if path == ".":
        return ""
    problem = check_path(path)
    if problem is None and "\\" in path:
        problem = "holds a backslash"
    encoded = path.encode("utf-8", "surrogatepass")
    if problem is None and len(encoded) > limits.MAX_PATH_BYTES:
        problem = f"is longer than {limits.MAX_PATH_BYTES} bytes"
    if problem is None and any(len(part) > limits.MAX_NAME_BYTES for part in encoded.split(b"/")):
        problem = f"has a name of more than {limits.MAX_NAME_BYTES} bytes"
    if problem is None and path.count("/") >= MAX_DEPTH:
        problem = f"is nested deeper than {MAX_DEPTH} levels"
    if problem is not None:
        raise ArchiveRefused(f"The archive has the member {written[:100]!r}, and that path {problem}.")
    return path
