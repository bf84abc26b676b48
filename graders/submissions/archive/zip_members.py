"""Reads the members of a zip archive."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress

from gradebox.graders.submissions.archive import archive_limits as limits
from gradebox.graders.submissions.archive.archive_limits import ArchiveRefused, Member

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
_ZIP_MEMBER = b"PK\x01\x02"
_ENCRYPTED = 0x1
_UTF_8 = 0x800
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_SPECIAL = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}


def zip_members(data: bytes) -> Iterator[Member]:
    """Yield the members of a zip archive. They are files and directories; nothing else about them is checked.

    Raises ArchiveRefused if a member is a link, a special file, encrypted, or compressed in a rare way, and BadZipFile,
    OSError, ValueError or NotImplementedError if the archive is broken.
    """
    # Count before zipfile makes an object of each. Twice the limit, as contents may contain the signature by chance.
    if data.count(_ZIP_MEMBER) > 2 * limits.MAX_MEMBERS:
        raise ArchiveRefused(f"The archive holds more than {limits.MAX_MEMBERS} members.")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if "\0" in info.orig_filename:
                raise ArchiveRefused(f"The archive has the member {info.orig_filename[:100]!r}, which holds a NUL.")
            mode = info.external_attr >> 16
            special = _SPECIAL.get(stat.S_IFMT(mode))
            if special:
                raise ArchiveRefused(f"The archive's member {info.filename!r} is {special}; only files are taken.")
            if info.flag_bits & _ENCRYPTED:
                raise ArchiveRefused(f"The archive's member {info.filename!r} is encrypted.")
            if info.compress_type not in _METHODS:
                raise ArchiveRefused(f"The archive's member {info.filename!r} is neither stored nor deflated.")
            permissions = stat.S_IMODE(mode) or 0o644
            read, path = _zip_reader(archive, info), _path(info)
            yield Member(path, path.endswith("/"), permissions, info.file_size, read)


def _path(info: zipfile.ZipInfo) -> str:
    """Return the path of a member with slashes instead of backslashes of Windows, and decoded as UTF-8 if possible."""
    path = info.orig_filename
    if not info.flag_bits & _UTF_8:
        # Macs write UTF-8 without its flag, so `zipfile` has decoded it with the code page of the format.
        with suppress(UnicodeError):
            path = path.encode("cp437").decode()
    return path.replace("\\", "/")


def _zip_reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], bytes]:
    def read() -> bytes:
        with archive.open(info) as stream:
            return stream.read(info.file_size + 1)

    return read
