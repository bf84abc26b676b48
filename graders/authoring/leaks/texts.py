"""Extracts the texts of any file: an archive, a git object, compiled Python, a binary file. Pure.

Archives may contain archives, a few levels deep. Nothing is run or loaded, and a limit applies to the bytes that are
unpacked from one file.
"""

from __future__ import annotations

import bz2
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from gradebox.graders.authoring.leaks import git_objects
from gradebox.graders.authoring.leaks.compiled_names import is_compiled
from gradebox.sandbox.limits import MIB

# The most bytes that are unpacked from one file, and the depth of archives within archives.
MOST_BYTES = 256 * MIB
_LEVELS = 3
# A wheel in pip's cache follows an HTTP response.
_ZIP_WITHIN_BYTES = 4096
_ZIP = b"PK\3\4"
_TAR_MAGIC = slice(257, 262)
# A run of this many printable bytes in a binary file is a text, not a name or a message.
_RUNS = re.compile(rb"[\t\n\r\x20-\x7e]{200,}")
_DAMAGED = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError,
    NotImplementedError, OverflowError, KeyError,
)  # fmt: skip


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Text(NamedTuple):
    """A text and its place. With `is_compiled`, the data is compiled Python instead."""

    place: str
    data: bytes
    is_compiled: bool = False


@dataclass(slots=True)
class Unpacking:
    """How much may still be unpacked from a file, and whether the limit left anything out."""

    left_bytes: int = MOST_BYTES
    is_cut: bool = field(default=False)

    def take(self, stream: _Readable) -> bytes:
        """Return the content of a stream, up to the limit."""
        data: bytes = stream.read(self.left_bytes + 1)
        self.is_cut |= len(data) > self.left_bytes
        self.left_bytes = max(0, self.left_bytes - len(data))
        return data


def texts(place: str, data: bytes, unpacking: Unpacking, level: int = 0) -> Iterator[Text]:
    """Yield the texts in a file."""
    try:
        if inner := _members(place, data, unpacking) if level < _LEVELS else None:
            for name, content in inner:
                yield from texts(name, content, unpacking, level + 1)
            return
    except _DAMAGED:
        # The file only begins like an archive.
        pass
    if is_compiled(data):
        yield Text(place, data, is_compiled=True)
    elif b"\0" in data:
        if found := _RUNS.findall(data):
            yield Text(place, b"\n".join(found))
    else:
        yield Text(place, data)
        if data.count(rb"\n") > 1:
            # The data may contain an escaped text, as in JSON.
            yield Text(place, data.replace(rb"\n", b"\n").replace(rb"\t", b"\t").replace(rb"\"", b'"'))


def _members(place: str, data: bytes, unpacking: Unpacking) -> Iterator[tuple[str, bytes]] | None:
    """Return the names and contents of an archive's members; None if the file is not an archive."""
    if data.find(_ZIP, 0, _ZIP_WITHIN_BYTES) >= 0:
        return _of_zip(place, data, unpacking)
    if data[_TAR_MAGIC] == b"ustar":
        return _of_tar(place, data, unpacking)
    if git_objects.is_pack(data):
        return _of_git(place, git_objects.packed(data, unpacking.left_bytes), unpacking)
    if git_objects.is_loose(place):
        return _of_git(place, git_objects.loose(data, unpacking.left_bytes), unpacking)
    if data.startswith(b"\x1f\x8b"):
        return iter([(place, unpacking.take(_Inflating(data)))])
    if data.startswith(b"BZh"):
        return iter([(place, unpacking.take(bz2.BZ2File(io.BytesIO(data))))])
    if data.startswith(b"\xfd7zXZ"):
        return iter([(place, unpacking.take(lzma.LZMAFile(io.BytesIO(data))))])
    return None


class _Inflating:
    """The content of a gzip file. If its end is damaged, the content before it can still be read."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, most_bytes: int) -> bytes:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(self._data, most_bytes)


def _of_zip(place: str, data: bytes, unpacking: Unpacking) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                with archive.open(member) as stream:
                    yield f"{place} ({member.filename})", unpacking.take(stream)


def _of_tar(place: str, data: bytes, unpacking: Unpacking) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            if member.isreg() and (stream := archive.extractfile(member)):
                yield f"{place} ({member.name})", unpacking.take(stream)


def _of_git(place: str, objects: Iterator[git_objects.GitObject], unpacking: Unpacking) -> Iterator[tuple[str, bytes]]:
    for each in objects:
        unpacking.left_bytes = max(0, unpacking.left_bytes - len(each.data))
        yield f"{place} ({each.type} {each.id})", each.data
