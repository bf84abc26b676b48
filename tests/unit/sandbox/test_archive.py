"""Archives to and from a sandbox."""

from __future__ import annotations

import io
import tarfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.sandbox.archive import ArchiveEntry, EntryKind, check_path, file_entry, pack, unpack
from gradebox.sandbox.errors import ProtocolError, WorkspaceRefused

NAMES = st.text(st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]), min_size=1, max_size=40).filter(
    lambda name: name not in {".", ".."}
)
PATHS = st.lists(NAMES, min_size=1, max_size=6).map("/".join)


def unread(path: Path, most: int) -> bytes:
    raise AssertionError(path)


@given(st.dictionaries(PATHS, st.binary(max_size=2000), max_size=5))
def test_files_survive(files: dict[str, bytes]) -> None:
    archive = b"".join(pack([file_entry(path, data) for path, data in files.items()], unread))
    assert {entry.path: entry.data for entry in unpack(archive)} == files


def test_names_that_are_not_utf_8_survive() -> None:
    path = b"caf\xe9".decode("utf-8", "surrogateescape")
    assert [entry.path for entry in unpack(b"".join(pack([file_entry(path, b"")], unread)))] == [path]


def test_directories_links_and_modes_survive() -> None:
    entries = [
        ArchiveEntry("d", EntryKind.DIRECTORY, 0o700),
        ArchiveEntry("d/link", EntryKind.LINK, 0o777, target="/etc/passwd"),
        file_entry("d/run", b"x", mode=0o755),
    ]
    found = unpack(b"".join(pack(entries, unread)))
    assert [(e.path, e.kind, e.mode, e.target) for e in found] == [
        ("d", EntryKind.DIRECTORY, 0o700, ""),
        ("d/link", EntryKind.LINK, 0o777, "/etc/passwd"),
        ("d/run", EntryKind.FILE, 0o755, ""),
    ]


@pytest.mark.parametrize("path", ["", "/a", "a/../b", "..", ".", "a//b", "a/", "a\0b", "./a"])
def test_a_path_that_is_not_clean_is_refused(path: str) -> None:
    assert check_path(path)
    with pytest.raises(WorkspaceRefused, match="The path"):
        list(pack([file_entry(path, b"")], unread))


def test_a_source_that_changes_while_it_is_read_is_said() -> None:
    entry = ArchiveEntry("a", size=5, source=Path("/somewhere/a"))
    with pytest.raises(WorkspaceRefused, match="changed while it was read: it had 5 bytes"):
        list(pack([entry], lambda path, most: b"abc"))


def test_of_a_source_that_grows_without_end_no_more_is_read_than_shows_it() -> None:
    entry = ArchiveEntry("a", size=5, source=Path("/dev/zero"))

    def endless(path: Path, most: int) -> bytes:
        with path.open("rb") as stream:
            return stream.read(most)

    with pytest.raises(WorkspaceRefused, match="changed while it was read: it had 5 bytes"):
        list(pack([entry], endless))


def long_names(count: int) -> bytes:
    """Return as many headers, each of which gives a name to the one after it."""
    name = tarfile.TarInfo("long")
    name.type, name.size = tarfile.GNUTYPE_LONGNAME, 2
    header = name.tobuf(tarfile.GNU_FORMAT) + b"a\0".ljust(512, b"\0")
    return header * count + tarfile.TarInfo("a").tobuf() + bytes(1024)


def sparse(size: int) -> bytes:
    """Return an archive of a file that has as many bytes and takes none."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        member = tarfile.TarInfo("a")
        member.pax_headers = {
            "GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "a", "GNU.sparse.realsize": str(size),
        }  # fmt: skip
        member.size = 512
        tar.addfile(member, io.BytesIO(b"0\n".ljust(512, b"\0")))
    return buffer.getvalue()


@pytest.mark.parametrize("archive", [long_names(5000), sparse(1 << 50)])
def test_an_archive_that_takes_more_than_its_size_is_refused(archive: bytes) -> None:
    with pytest.raises(ProtocolError, match="The supervisor sent an archive"):
        unpack(archive)


def foreign(**changes: object) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        member = tarfile.TarInfo("a")
        for name, value in changes.items():
            setattr(member, name, value)
        tar.addfile(member)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "archive",
    [
        foreign(name="../a"),
        foreign(name="/a"),
        foreign(type=tarfile.CHRTYPE),
        foreign(type=tarfile.FIFOTYPE),
        foreign(type=tarfile.LNKTYPE, linkname="b"),
        # Headers that are read at length, where they are read: an hour of digits, and a link with contents.
        foreign(type=tarfile.XHDTYPE, size=1 << 20) + b"1" * (1 << 20),
        foreign(type=tarfile.SYMTYPE, linkname="b", size=512),
    ],
)
def test_a_member_that_the_supervisor_would_not_send_is_refused(archive: bytes) -> None:
    with pytest.raises(ProtocolError, match="The supervisor sent"):
        unpack(archive)


@given(st.binary(max_size=2000))
def test_arbitrary_bytes_raise_nothing_but_a_protocol_error(data: bytes) -> None:
    with suppress(ProtocolError):
        unpack(data)
