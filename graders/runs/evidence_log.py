"""The log of evidence: a tar archive of separately compressed pieces, one for each verdict.

    evidence.tar.gz     gzip members, one for each grading, appended and flushed to disk before its verdict
        header          our "extra field" (RFC 1952): the member's length, the verdict's place and id
        tar members     evidence/<case>/<submission>/..., the files of that verdict; or submissions/<hash>/..., one
                        submission, in one gzip member before the first verdict about it

``tar -xzf`` unpacks the log. We find a verdict's member by going from header to header, without reading the bodies.
Bytes after the last whole member are the remains of a crash. Runs of version 0.1 have a directory for each verdict
instead, with the same files, which we also read. Candidates' output stays bytes here.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple
from weakref import finalize

from gradebox.graders.documents.paths import file_name, open_regular

LOG = "evidence.tar.gz"
_MAGIC = b"\x1f\x8b\x08\x04"
# RFC 1952: magic and flags, time, hints, length of extra fields. Then our field: name, length, length of the member.
_HEADER = struct.Struct("<4sI2sH2sHQ")
_OURS = b"GB"
_WORKS = "submissions"
_KEY_MAX = 2048
_MEMBER_MAX = 1 << 30


class KeptFile(NamedTuple):
    """One file of evidence: its first and last bytes. `tail` is empty if `head` is the whole file."""

    name: str
    size: int
    head: bytes
    tail: bytes = b""


class Piece(NamedTuple):
    """Where the evidence of one verdict lies in the log."""

    key: bytes
    offset: int
    length: int


class Owner(NamedTuple):
    """The owner of evidence: its place relative to the run directory, and the verdict's id."""

    place: Path
    id: str

    @property
    def key(self) -> bytes:
        return f"{self.place}\0{self.id[:64]}".encode("utf-8", "replace")


class Work(NamedTuple):
    """A submission that is to be kept."""

    hash: str = ""
    piece: bytes = b""  # The member of the log, empty if there is nothing to write.
    why_not: str = ""  # A clause: why it is not kept. Empty if it is kept.


NO_WORK = Work()


def owner_of_work(hash_of_it: str) -> Owner:
    """Return the owner under which a run keeps a submission."""
    return Owner(Path(_WORKS, hash_of_it), hash_of_it)


def works_in(path: Path) -> Iterator[str]:
    """Yield the hashes of the submissions that a log keeps."""
    with path.open("rb") as log:
        for found in members(log):
            if found.key.startswith(f"{_WORKS}/".encode()):
                yield found.key.partition(b"\0")[2].decode("utf-8", "replace")


def evidence_directory(case: str, submission: str, target: str | None, repeat: int) -> Path:
    """Return where the evidence of a verdict lies, relative to the run directory or in its log."""
    place = Path("evidence", file_name(case), file_name(submission))
    if target:
        place /= file_name(target)
    # `file_name` turns a space into a plus sign, so no target has this name.
    return place / f"repeat {repeat}" if repeat > 1 else place


def packed(owner: Owner, files: Iterable[tuple[str, bytes]], seconds: float = 0) -> bytes:
    """Return the member of the log that holds these files, last changed at `seconds`; empty without files."""
    import tarfile  # noqa: PLC0415 - after the engine has answered

    squeeze = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = bytearray()
    crc = size = 0
    for name, data in files:
        info = tarfile.TarInfo(f"{owner.place}/{name}")
        info.size, info.mtime = len(data), int(seconds)
        for part in (info.tobuf(tarfile.GNU_FORMAT), data, bytes(-len(data) % tarfile.BLOCKSIZE)):
            body += squeeze.compress(part)
            crc, size = zlib.crc32(part, crc), size + len(part)
    if not size:
        return b""
    body += squeeze.flush() + struct.pack("<II", crc, size & 0xFFFFFFFF)
    key = owner.key
    length = _HEADER.size + len(key) + len(body)
    ours = 8 + len(key)
    return _HEADER.pack(_MAGIC, 0, b"\0\xff", 4 + ours, _OURS, ours, length) + key + body


def members(log: BinaryIO, begin: int = 0) -> Iterator[Piece]:
    """Yield the whole members of a log, from the member at the offset `begin`."""
    offset, end = begin, os.fstat(log.fileno()).st_size
    while len(data := os.pread(log.fileno(), _HEADER.size + _KEY_MAX, offset)) > _HEADER.size:
        magic, _, _, _, name, ours, length = _HEADER.unpack_from(data)
        key = data[_HEADER.size :][: ours - 8]
        if magic != _MAGIC or name != _OURS or not _HEADER.size + len(key) < length <= min(end - offset, _MEMBER_MAX):
            return
        yield Piece(key, offset, length)
        offset += length


def cut_torn(path: Path) -> None:
    """Cut off the partial data that a crash left after the last whole member."""
    if not path.exists():
        return
    with path.open("r+b") as log:
        whole = 0
        # One write has at most two members, a submission and its evidence, so a crash damages at most the last two.
        written = deque[Piece](maxlen=2)
        for piece in members(log):
            written.append(piece)
            whole = piece.offset + piece.length
        while written:
            piece = written.pop()
            if not _is_whole(os.pread(log.fileno(), piece.length, piece.offset)):
                whole = piece.offset
        if whole < os.fstat(log.fileno()).st_size:
            log.truncate(whole)
            os.fsync(log.fileno())


def _is_whole(member: bytes) -> bool:
    import gzip  # noqa: PLC0415 - only to continue a run

    try:
        with gzip.GzipFile(fileobj=BytesIO(member)) as stream:
            while stream.read(1 << 20):
                pass
    except (OSError, EOFError, zlib.error):
        return False
    return True


class SavedEvidence:
    """The evidence of a run directory. Several threads may read it; pieces that are added later are not seen.

    `indexed` has the known places of pieces, so that one can be read without a search through all others.
    """

    def __init__(self, directory: Path, indexed: Iterable[Piece] = ()) -> None:
        self.directory = directory
        self._indexed = {piece.key: piece for piece in indexed}
        self._log: BinaryIO | None = None
        self._members: dict[bytes, Piece] | None = None

    def place(self, owner: Owner) -> str:
        """Return where a person finds the evidence of a verdict."""
        with suppress(OSError):
            if self._member(owner) is None:
                return str(self.directory / owner.place)
        return f"{owner.place} in {self.directory / LOG}"

    def member(self, owner: Owner) -> bytes:
        """Return a verdict's piece of the log, empty if there is none."""
        found = self._member(owner)
        return os.pread(self._log.fileno(), found.length, found.offset) if found and self._log else b""

    def piece(self, owner: Owner) -> bytes:
        """Return the evidence of a verdict as a piece of the log. Raises OSError if it cannot be read."""
        files = self.files(owner, lambda _: _MEMBER_MAX)
        return self.member(owner) or packed(owner, ((file.name, file.head) for file in files))

    def work(self, hash_of_it: str) -> Work:
        """Return a submission as a piece of the log; `NO_WORK` if it is not kept."""
        piece = self.member(owner_of_work(hash_of_it)) if hash_of_it else b""
        return Work(hash_of_it, piece) if piece else NO_WORK

    def read(self, owner: Owner, name: str, max_bytes: int) -> bytes | None:
        """Return up to `max_bytes` of a file, None if there is none. Raises OSError if it cannot be read."""
        found = next(self.files(owner, lambda one: 2 * max_bytes if one == name else 0), None)
        return found and found.head[:max_bytes]

    def files(self, owner: Owner, max_bytes: Callable[[str], int]) -> Iterator[KeptFile]:
        """Yield the files of a verdict for which `max_bytes` returns more than 0.

        Of a larger file, half of these bytes come from its beginning and half from its end. Raises OSError if the
        evidence cannot be read.
        """
        import gzip  # noqa: PLC0415 - the store does not need it
        import tarfile  # noqa: PLC0415 - the store does not need it

        data = self.member(owner)
        if not data:
            yield from self._files_of_directory(owner, max_bytes)
            return
        try:
            with gzip.GzipFile(fileobj=BytesIO(data)) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
                for info in archive:
                    name = info.name.rpartition("/")[2]
                    # We never write sparse files; a foreign one could unpack to any size.
                    content = archive.extractfile(info) if max_bytes(name) and not info.issparse() else None
                    if content is not None:
                        yield _kept(name, content, info.size, max_bytes(name))
        except (tarfile.TarError, EOFError, zlib.error, ValueError, OverflowError) as error:
            raise OSError(f"{self.directory / LOG} is damaged: {error}") from error

    def _files_of_directory(self, owner: Owner, max_bytes: Callable[[str], int]) -> Iterator[KeptFile]:
        import gzip  # noqa: PLC0415 - the store does not need it

        directory = self.directory / owner.place
        # A run of somebody else may contain links to places outside it.
        is_own = directory.is_dir() and directory.resolve() == self.directory.resolve() / owner.place
        for path in sorted(directory.iterdir()) if is_own else ():
            name = path.name.removesuffix(".gz")
            if not max_bytes(name) or path.is_symlink() or not path.is_file():
                continue
            if name == path.name:
                with path.open("rb") as stream:
                    yield _kept(name, stream, path.stat().st_size, max_bytes(name))
                continue
            try:
                with gzip.open(path) as unpacked:
                    data = unpacked.read(max_bytes(name))
            except (EOFError, zlib.error) as error:
                raise OSError(f"{path} is damaged: {error}") from error
            yield KeptFile(name, len(data), data)

    def _member(self, owner: Owner) -> Piece | None:
        if self._log is None and self._members is None:
            try:
                self._log = open_regular(self.directory / LOG)
            except (FileNotFoundError, NotADirectoryError):
                self._members = {}
            else:
                finalize(self, self._log.close)
        if self._members is None and self._log is not None:
            known = self._indexed.get(owner.key)
            # The index may be out of date.
            if known is not None and next(members(self._log, known.offset), None) == known:
                return known
            self._members = {found.key: found for found in members(self._log)}
        return (self._members or {}).get(owner.key)


def _kept(name: str, stream: IO[bytes], size: int, max_bytes: int) -> KeptFile:
    if size <= max_bytes:
        return KeptFile(name, size, stream.read(size))
    head = stream.read(max_bytes // 2)
    skipped = size - len(head) - max_bytes // 2
    while skipped > 0 and (passed := stream.read(min(skipped, 1 << 16))):
        skipped -= len(passed)
    return KeptFile(name, size, head, stream.read(max_bytes // 2))
