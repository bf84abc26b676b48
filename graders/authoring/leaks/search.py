"""Searches files of an image, other files and environment variables for the hidden texts of a case.

The engine sends the files as an archive, in the order of their paths, from a container that is never started. They are
read here and never run. The search leaves out files that the candidate cannot read because of their permissions, or
because a sandbox covers them with empty directories. The result is cached by the image's id and the hidden texts.
"""

from __future__ import annotations

import io
import json
import stat
import tarfile
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from gradebox.graders.authoring.leaks.compiled_names import names_in
from gradebox.graders.authoring.leaks.hidden import LEAST_NAMES, Hidden, HiddenText
from gradebox.graders.authoring.leaks.shingles import shingles, skeleton
from gradebox.graders.authoring.leaks.texts import Text, Unpacking, texts
from gradebox.sandbox import caches
from gradebox.sandbox.engines.engine import ImageInfo
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.types import SCRATCH, WORKSPACE

# The share of a hidden text's shingles, or of its names in compiled Python, that counts as a leak.
SHARE, SHARE_OF_NAMES = 0.4, 0.75
# The share of a text's lines that must be there before its shingles are compared.
_LINES = 0.2
# The least share of hidden names among those of compiled Python: a far larger file contains them by chance.
_OWN_NAMES = 0.25
# Half the size of the pieces that are compared, and a generous estimate of the bytes of a shingle.
_PIECE_BYTES, _SHINGLE_BYTES = 32 * 1024, 16
# The most bytes that are read of one file, and of an image.
MOST_FILE_BYTES, MOST_BYTES = 64 * MIB, 4096 * MIB
# The version of the cached format and of the search itself.
_VERSION = 2
_COVERED = (WORKSPACE, *SCRATCH, "/proc", "/sys", "/dev")


@dataclass(frozen=True, slots=True)
class Leak:
    """A place that holds a hidden text, and the share of the text that was found there."""

    place: str
    hidden: str
    share: float


@dataclass(slots=True)
class Searched:
    """The result of a search.

    Attributes:
        files, size_bytes: How many files and bytes of the image this or an earlier search has read.
        cut: Paths of files that were read only in part.
        is_whole: Whether the whole image was read.
    """

    leaks: list[Leak] = field(default_factory=list)
    files: int = 0
    size_bytes: int = 0
    cut: list[str] = field(default_factory=list)
    is_whole: bool = True


class _File(NamedTuple):
    path: str
    data: bytes
    is_cut: bool


def search_image(
    image: ImageInfo, hidden: Hidden, export: Callable[[], Iterator[bytes]], *, stopped: Callable[[], bool]
) -> Searched:
    """Search the files of an image until `stopped` returns true.

    Raises what `export` raises, and tarfile.TarError for a damaged archive.
    """
    kept = caches.directory() / "leaks" / f"{image.id.rpartition(':')[2][:32]}-{hidden.digest[:32]}-{_VERSION}.json"
    with suppress(OSError, ValueError, TypeError, KeyError):
        known = json.loads(kept.read_text())
        return Searched(**{**known, "leaks": [Leak(**each) for each in known["leaks"]]})
    found = Searched()
    pieces = export()
    try:
        for file in _readable(pieces, image.volumes):
            if stopped() or found.size_bytes > MOST_BYTES:
                found.is_whole = False
                break
            found.files += 1
            found.size_bytes += len(file.data)
            unpacking = Unpacking()
            found.leaks += find(texts(file.path, file.data, unpacking), hidden)
            if file.is_cut or unpacking.is_cut:
                found.cut.append(file.path)
    finally:
        # If the search ends early, only this removes the container.
        if isinstance(pieces, Generator):
            pieces.close()
    if not stopped():
        _keep(kept, found)
    return found


def search_files(files: Iterable[tuple[str, bytes]], hidden: Hidden) -> list[Leak]:
    """Search files by name and content."""
    return [leak for name, data in files for leak in find(texts(name, data, Unpacking()), hidden)]


def search_environment(env: Mapping[str, str], hidden: Hidden) -> list[Leak]:
    """Search environment variables, which may hold a text without its line breaks."""
    found = (Text(f"the environment variable {name}", value.encode()) for name, value in env.items())
    return [leak for text in found for leak in _of_text(text, hidden.texts)] if hidden.texts else []


def find(found: Iterable[Text], hidden: Hidden) -> Iterator[Leak]:
    """Yield a leak for each hidden text that some texts contain."""
    every = frozenset[bytes]().union(*(one.lines for one in hidden.texts))
    for text in found:
        if text.is_compiled:
            yield from _of_compiled(text, hidden)
            continue
        lines = skeleton(text.data) & every
        near = [one for one in hidden.texts if lines and len(lines & one.lines) >= _LINES * len(one.lines)]
        if near:
            yield from _of_text(text, near)


def _of_text(text: Text, near: Sequence[HiddenText]) -> Iterator[Leak]:
    shares = dict.fromkeys((one.name for one in near), 0.0)
    for piece in _pieces(text.data, max(len(one.shingles) for one in near)):
        there = shingles(piece)
        for one in near:
            shares[one.name] = max(shares[one.name], len(one.shingles & there) / len(one.shingles))
    yield from (Leak(text.place, name, share) for name, share in shares.items() if share >= SHARE)


def _pieces(data: bytes, longest: int) -> Iterator[bytes]:
    """Yield a large text in pieces that overlap by half: the whole text would have many shingles by chance."""
    half = max(_PIECE_BYTES, longest * _SHINGLE_BYTES)
    for start in range(0, max(1, len(data) - half), half):
        yield data[start : start + 2 * half]


def _of_compiled(text: Text, hidden: Hidden) -> Iterator[Leak]:
    wanted: list[HiddenText] = [one for one in hidden.texts if len(one.names) >= LEAST_NAMES]
    names = names_in(text.data) if wanted else frozenset()
    for one in wanted:
        common = len(one.names & names)
        if common >= max(SHARE_OF_NAMES * len(one.names), _OWN_NAMES * len(names)):
            yield Leak(text.place, one.name, common / len(one.names))


def _readable(pieces: Iterator[bytes], volumes: Iterable[str]) -> Iterator[_File]:
    """Yield the files of a root file system that everybody can read and that no mount covers."""
    covered = tuple(f"{path.rstrip('/')}/" for path in (*_COVERED, *volumes))
    closed: tuple[str, ...] = ()
    with tarfile.open(fileobj=io.BufferedReader(_Stream(pieces), MIB), mode="r|") as archive:
        for member in archive:
            path = f"/{member.name.lstrip('./')}"
            if member.isdir() and not member.mode & stat.S_IXOTH:
                closed = (*closed, f"{path}/")
            if not member.isreg() or not member.mode & stat.S_IROTH or path.startswith((*covered, *closed)):
                continue
            stream = archive.extractfile(member)
            if stream is not None:
                yield _File(path, stream.read(MOST_FILE_BYTES), member.size > MOST_FILE_BYTES)
            # Otherwise tarfile keeps the headers of the whole archive in memory.
            archive.members = []  # type: ignore[attr-defined]


class _Stream(io.RawIOBase):
    """The pieces of an archive as a stream."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = memoryview(piece)
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def _keep(place: Path, found: Searched) -> None:
    # If this fails, the next search only takes as long as this one.
    with suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=place.parent, delete=False) as file:
            json.dump(asdict(found), file)
        Path(file.name).replace(place)
