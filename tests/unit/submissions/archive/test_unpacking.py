"""Archives are unpacked in memory, or refused with the member and the limit. HOSTILE is the table of refused ones."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterable

import pytest

from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import content
from gradebox.graders.submissions.archive import ArchiveRefused, is_archive, read_archive
from gradebox.graders.submissions.archive import archive_limits as limits
from gradebox.sandbox.archive import EntryKind

MIB = 1024 * 1024
Entry = tuple[str, bytes]


def zipped(*entries: Entry, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in entries:
            info = zipfile.ZipInfo("x")
            # Set afterwards: the constructor would clean it.
            info.filename = name
            info.compress_type = method
            archive.writestr(info, data)
    return stream.getvalue()


def zipped_as(mode: int, name: str = "evil") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        info = zipfile.ZipInfo(name)
        info.create_system = 3
        info.external_attr = mode << 16
        archive.writestr(info, "/etc/passwd")
    return stream.getvalue()


def member(name: str, data: bytes = b"", **changes: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in changes.items():
        setattr(info, key, value)
    return info, data


def tarred(*members: tuple[tarfile.TarInfo, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form) as archive:
        for info, data in members:
            archive.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def of_kind(kind: bytes, target: str = "") -> bytes:
    return tarred(member("evil", type=kind, linkname=target))


def one(name: str) -> bytes:
    return tarred(member(name, b"x"))


def patched(data: bytes, old: bytes, new: bytes) -> bytes:
    assert old in data
    return data.replace(old, new)


def many() -> bytes:
    return tarred(*(member(f"f{number}") for number in range(limits.MAX_MEMBERS + 1)), form=tarfile.GNU_FORMAT)


def size_lie() -> bytes:
    """A zip archive whose directory declares one byte for a member that unpacks to more."""
    data = bytearray(zipped(("big", b"A" * 1000)))
    at = data.index(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 1)
    return bytes(data)


def encrypted() -> bytes:
    data = bytearray(zipped(("secret", b"x")))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    return bytes(data)


def long_header() -> bytes:
    return tarred(member("a", b"x", pax_headers={"comment": "c" * (limits.MAX_EXTENDED_BYTES + 1)}))


def pax(record: bytes) -> bytes:
    """An archive with one extended header, written as it is."""
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, len(record)
    block = header.tobuf(tarfile.USTAR_FORMAT) + record.ljust(512, b"\0")
    return block + tarred(member("a", b"x"), form=tarfile.USTAR_FORMAT)


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "tar: symbolic link": (lambda: of_kind(tarfile.SYMTYPE, "/etc/passwd"), "'evil' is a symbolic link"),
    "tar: hard link": (lambda: of_kind(tarfile.LNKTYPE, "../case.yaml"), "'evil' is a hard link"),
    "tar: character device": (lambda: of_kind(tarfile.CHRTYPE), "'evil' is a character device"),
    "tar: block device": (lambda: of_kind(tarfile.BLKTYPE), "'evil' is a block device"),
    "tar: named pipe": (lambda: of_kind(tarfile.FIFOTYPE), "'evil' is a named pipe"),
    "tar: sparse": (lambda: of_kind(tarfile.GNUTYPE_SPARSE), "'evil' is a sparse file"),
    "tar: sparse by attribute": (lambda: pax(b"22 GNU.sparse.major=1\n"), "'a' is a sparse file"),
    "tar: unknown kind": (lambda: of_kind(b"Z"), "'evil' is of an unknown kind"),
    "tar: above": (lambda: one("../evil"), "'../evil', and that path has an empty, '.' or '..' component"),
    "tar: above, inside": (lambda: one("a/../../evil"), "'a/../../evil', and that path"),
    "tar: above, by attribute": (lambda: pax(b"16 path=../evil\n"), "'../evil', and that path"),
    "tar: absolute": (lambda: one("/etc/evil"), "'/etc/evil', and that path is absolute"),
    "tar: twice": (lambda: tarred(member("a", b"1"), member("./a", b"2")), "'a' twice"),
    "tar: file and directory": (lambda: tarred(member("a", b"1"), member("a/b", b"2")), "'a' as a file and 'a/b'"),
    "tar: too many": (many, f"more than {limits.MAX_MEMBERS} members"),
    "tar: long header": (long_header, f"an extended header of more than {limits.MAX_EXTENDED_BYTES} bytes"),
    "tar: broken header": (lambda: pax(b"999 path=x\n"), "an extended header that cannot be read"),
    "tar: name too long": (lambda: one("n" * 256), "a name of more than 255 bytes"),
    "tar: too deep": (lambda: one("d/" * 300 + "f"), "nested deeper than 256 levels"),
    "tar: cut off": (lambda: one("a")[:512] + b"", "declares 1 bytes that are not there"),
    "gzip: bomb": (lambda: gzip.compress(tarred(member("zero", bytes(40 * MIB)))), "more than 200 times"),
    "bzip2: bomb": (lambda: bz2.compress(tarred(member("zero", bytes(40 * MIB)))), "more than 200 times"),
    "xz: bomb": (lambda: lzma.compress(tarred(member("zero", bytes(40 * MIB)))), "more than 200 times"),
    "gzip: cut off": (lambda: gzip.compress(one("a"))[:-20], "cut off"),
    "gzip: no tar": (lambda: gzip.compress(b"print(1)\n"), "not a tar archive"),
    "gzip: streams": (lambda: gzip.compress(b"") * 200, "more than 100 compressed streams"),
    "zip: symbolic link": (lambda: zipped_as(0o120777), "'evil' is a symbolic link"),
    "zip: named pipe": (lambda: zipped_as(0o010644), "'evil' is a named pipe"),
    "zip: device": (lambda: zipped_as(0o060644), "'evil' is a block device"),
    "zip: above": (lambda: zipped(("../evil", b"x")), "'../evil', and that path"),
    "zip: absolute": (lambda: zipped(("/evil", b"x")), "'/evil', and that path is absolute"),
    "zip: backslash": (lambda: zipped(("..\\evil", b"x")), "'../evil', and that path"),
    "zip: absolute with a backslash": (lambda: zipped(("\\evil", b"x")), "'/evil', and that path is absolute"),
    "zip: one path spelled twice": (lambda: zipped(("a/b", b"1"), ("a\\b", b"2")), "'a/b' twice"),
    "tar: backslash": (lambda: one("..\\evil"), "holds a backslash"),
    "zip: NUL": (lambda: patched(zipped(("a_b", b"x")), b"a_b", b"a\0b"), "holds a NUL"),
    "zip: twice": (lambda: zipped(("a", b"1"), ("a", b"2")), "'a' twice"),
    "zip: bomb": (lambda: zipped(("zero", bytes(40 * MIB))), "more than 200 times its"),
    "zip: encrypted": (encrypted, "'secret' is encrypted"),
    "zip: rare method": (lambda: zipped(("a", b"x"), method=zipfile.ZIP_LZMA), "neither stored nor deflated"),
    "zip: wrong size": (size_lie, "'big'"),
    "zip: damaged": (lambda: patched(zipped(("a", b"text"), method=zipfile.ZIP_STORED), b"text", b"t3xt"), "CRC"),
    "zip: no directory": (lambda: b"PK\x03\x04" + bytes(100), "broken"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_with_its_member_and_the_limit(name: str) -> None:
    make, message = HOSTILE[name]
    data = make()
    assert is_archive(data)
    with pytest.raises(ArchiveRefused) as refused:
        read_archive("work", data)
    assert message in str(refused.value)


def files(submission: Submission) -> dict[str, bytes]:
    return {entry.path: content(entry) for entry in submission.tree.files()}


GOOD = (member("./", type=tarfile.DIRTYPE), member("./src/app.py", b"print(1)\n"), member("run.sh", b"", mode=0o755))


def honest() -> Iterable[bytes]:
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT):
        plain = tarred(*GOOD, form=form)
        yield from (plain, gzip.compress(plain), bz2.compress(plain), lzma.compress(plain))
        yield gzip.compress(plain[:700]) + gzip.compress(plain[700:]) + bytes(100)
    yield zipped(("src/", b""), ("src/app.py", b"print(1)\n"), ("run.sh", b""))


def test_every_form_of_archive_is_laid_like_a_directory() -> None:
    for data in honest():
        found = read_archive("work", data)
        assert (found.name, found.form, found.problem) == ("work", Form.DIRECTORY, "")
        assert files(found) == {"run.sh": b"", "src/app.py": b"print(1)\n"}
        assert not [entry for entry in found.tree.entries.values() if entry.kind is EntryKind.LINK]


def test_what_can_be_executed_stays_so() -> None:
    found = read_archive("work", tarred(*GOOD)).tree.entries
    assert (found["run.sh"].executable, found["src/app.py"].executable) == (True, False)
    assert read_archive("work", zipped_as(0o100755, "run")).tree.entries["run"].executable


def test_long_and_foreign_names_are_read() -> None:
    name = "/".join(["d" * 90] * 3) + "/\u00e4"
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        assert files(read_archive("work", tarred(member(name, b"x"), form=form))) == {name: b"x"}


def test_the_history_of_a_checkout_is_left_out() -> None:
    found = read_archive("work", zipped((".git/config", b"x"), ("a", b"1")))
    assert files(found) == {"a": b"1"}


def test_the_limit_of_all_contents_counts_what_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_UNPACKED_BYTES", 10)
    assert files(read_archive("work", zipped(("a", b"12345"), ("b", b"12345"))))
    for data in (zipped(("a", b"12345"), ("b", b"123456")), tarred(member("a", b"12345"), member("b", b"123456"))):
        with pytest.raises(ArchiveRefused, match="more than 10 bytes: with its member 'b' of 6 bytes"):
            read_archive("work", data)


def test_other_files_are_no_archives() -> None:
    for data in (b"", b"print(1)\n", b"diff --git a/x b/x\n", b"PK", bytes(2000), b"\0" * 257 + b"other"):
        assert not is_archive(data)


def of_mac() -> bytes:
    """A zip of the Finder: UTF-8 without saying so, in a normal form of its own."""
    return patched(zipped(("gr__n/w.py", b"x")), b"gr__n", "gr\u0308n".encode())


# What programs of other systems write, and the path that is meant.
FOREIGN = {
    "Windows, backslashes": (lambda: zipped(("work\\", b""), ("work\\src\\app.py", b"x")), "work/src/app.py"),
    "Windows, code page 437": (lambda: patched(zipped(("gr_n\\w.py", b"x")), b"gr_n", b"gr\x81n"), "gr\xfcn/w.py"),
    "Mac": (of_mac, "gr\u0308n/w.py"),
    "with its encoding": (lambda: zipped(("gr\xfcn/w.py", b"x")), "gr\xfcn/w.py"),
}  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN)
def test_names_of_other_systems_are_read(name: str) -> None:
    make, path = FOREIGN[name]
    found = read_archive("work", make()).tree
    assert [entry.path for entry in found.files()] == [path]
