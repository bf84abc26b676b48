"""Tar archives of every age are read, header by header."""

from __future__ import annotations

import io
import tarfile

import pytest

from gradebox.graders.submissions.archive import archive_limits as limits
from gradebox.graders.submissions.archive.archive_limits import ArchiveRefused
from gradebox.graders.submissions.archive.tar_members import is_tar, tar_members

END = bytes(1024)


def header(name: str, size: int = 0, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.USTAR_FORMAT)


def test_members_come_in_order_with_their_contents() -> None:
    data = header("a", 3) + b"abc".ljust(512, b"\0") + header("d/", kind=tarfile.DIRTYPE) + header("b") + bytes(1024)
    found = [(one.path, one.directory, one.size, one.read()) for one in tar_members(data)]
    assert found == [("a", False, 3, b"abc"), ("d", True, 0, b""), ("b", False, 0, b"")]


def test_an_archive_from_before_posix_has_no_signature() -> None:
    block = bytearray(header("old", 1))
    block[257:265] = bytes(8)
    block[148:156] = b"        "
    block[148:156] = b"%06o\0 " % sum(block)
    data = bytes(block) + b"x".ljust(512, b"\0") + bytes(1024)
    assert is_tar(data)
    assert [one.path for one in tar_members(data)] == ["old"]


def test_attributes_of_the_whole_archive_are_no_members() -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", pax_headers={"comment": "of git archive"}) as archive:
        archive.addfile(tarfile.TarInfo("a"))
    assert [one.path for one in tar_members(stream.getvalue())] == ["a"]


def test_a_size_that_is_not_there_is_refused() -> None:
    with pytest.raises(ArchiveRefused, match="'a' declares 5000 bytes"):
        list(tar_members(header("a", 5000) + bytes(512)))


@pytest.mark.timeout(60)
def test_headers_that_are_made_to_take_time_take_none() -> None:
    record = b"9" * (limits.MAX_EXTENDED_BYTES - 512)
    data = header("x", len(record), tarfile.XHDTYPE) + record + bytes(-len(record) % 512) + bytes(1024)
    with pytest.raises(ArchiveRefused, match="cannot be read"):
        list(tar_members(data))


def extended(records: bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    return header("x", len(records), kind) + records + bytes(-len(records) % 512)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (extended(b"5 a=\n" * (limits.MAX_RECORDS + 1)), "more than 1000 records"),
        (extended(b"A" * limits.MAX_EXTENDED_BYTES, tarfile.GNUTYPE_LONGNAME) * 257, "16777216 bytes in all"),
        (extended(b"") * (limits.MAX_HEADERS + 1), "more than 60000 headers"),
        (extended(b"x5 a=\n"), "cannot be read"),
        (extended(b"5 a=\n+5 a=\n"), "cannot be read"),
    ],
)
def test_extended_headers_count_and_are_limited(data: bytes, problem: str) -> None:
    with pytest.raises(ArchiveRefused, match=problem):
        list(tar_members(data + header("a") + END))


@pytest.mark.timeout(60)
def test_attributes_of_the_whole_archive_cost_no_member_time() -> None:
    names = b"".join(b"13 %08d=\n" % number for number in range(limits.MAX_RECORDS))
    shared = b"".join(extended(names.replace(b" 0", b" %c" % letter), tarfile.XGLTYPE) for letter in range(65, 91))
    paths = [f"a{number}" for number in range(limits.MAX_MEMBERS)]
    assert [one.path for one in tar_members(shared * 20 + b"".join(map(header, paths)) + END)] == paths


def test_extended_headers_say_path_size_and_what_is_sparse() -> None:
    own = extended(b"11 path=b/c\n10 size=3\n".replace(b"11", b"12"))
    data = own + header("a") + b"abc".ljust(512, b"\0") + header("d") + END
    assert [(one.path, one.read()) for one in tar_members(data)] == [("b/c", b"abc"), ("d", b"")]
    with pytest.raises(ArchiveRefused, match="a sparse file"):
        list(tar_members(extended(b"22 GNU.sparse.major=1\n") + header("a") + END))
