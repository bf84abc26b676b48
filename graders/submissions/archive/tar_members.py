"""Reads the members of a tar archive in the POSIX, GNU and pre-POSIX formats.

`tarfile` only parses single headers here. It does not iterate over the archive, because malicious extended headers can
keep it busy for hours.
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator

from gradebox.graders.submissions.archive import archive_limits as limits
from gradebox.graders.submissions.archive.archive_limits import ArchiveRefused, Member

_BLOCK = 512
_SPARSE = "GNU.sparse"
"""How all attributes of sparse files begin."""
_KINDS = {
    tarfile.LNKTYPE: "a hard link",
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.CHRTYPE: "a character device",
    tarfile.BLKTYPE: "a block device",
    tarfile.FIFOTYPE: "a named pipe",
    tarfile.GNUTYPE_SPARSE: "a sparse file",
}


def is_tar(data: bytes) -> bool:
    return data[257:262] == b"ustar" or (len(data) >= 2 * _BLOCK and _has_old_header(data))


def _has_old_header(data: bytes) -> bool:
    """Return whether the first block is the header of a pre-POSIX tar archive, which has no signature."""
    if b"\0" not in data[:100]:
        return False
    try:
        tarfile.TarInfo.frombuf(data[:_BLOCK], "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return False
    return True


def tar_members(data: bytes) -> Iterator[Member]:
    """Yield the members of a tar archive. They are files and directories; nothing else about them is checked.

    Raises ArchiveRefused if a member is a link or a special file, or is cut off, and TarError or ValueError if the
    archive is broken.
    """
    position = headers = extended_bytes = 0
    shared: dict[str, str] = {}
    own: dict[str, str] = {}
    while any(header := data[position : position + _BLOCK]):
        headers += 1
        _check_headers(headers, extended_bytes)
        info = tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
        position += _BLOCK
        if info.type in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE):
            extended = _content(data, position, info, limit=limits.MAX_EXTENDED_BYTES)
            position += _padded(info.size)
            extended_bytes += len(extended)
            if info.type == tarfile.XGLTYPE:
                shared |= _pax(extended)
            elif info.type == tarfile.XHDTYPE:
                own |= _pax(extended)
            elif info.type == tarfile.GNUTYPE_LONGNAME:
                own["path"] = extended.rstrip(b"\0").decode("utf-8", "surrogateescape")
            continue
        attributes, own = shared | own, {}
        path = attributes.get("path", info.name)
        if "size" in attributes:
            info.size = int(attributes["size"])
        if _SPARSE in attributes:
            info.type = tarfile.GNUTYPE_SPARSE
        directory = info.isdir()
        if (not directory and info.type not in tarfile.REGULAR_TYPES) or info.type == tarfile.GNUTYPE_SPARSE:
            kind = _KINDS.get(info.type, "of an unknown kind")
            raise ArchiveRefused(f"The archive's member {path!r} is {kind}; only files and directories are taken.")
        start = position
        if not directory:
            _content_fits(data, start, info)
            position += _padded(info.size)
        yield Member(path, directory, info.mode, info.size, _tar_reader(data, start, info.size))


def _check_headers(count: int, extended_bytes: int) -> None:
    if count > limits.MAX_HEADERS:
        raise ArchiveRefused(f"The archive has more than {limits.MAX_HEADERS} headers.")
    if extended_bytes > limits.MAX_EXTENDED_TOTAL_BYTES:
        most = limits.MAX_EXTENDED_TOTAL_BYTES
        raise ArchiveRefused(f"The archive has extended headers of more than {most} bytes in all.")


def _tar_reader(data: bytes, start: int, size: int) -> Callable[[], bytes]:
    return lambda: data[start : start + size]


def _content_fits(data: bytes, start: int, info: tarfile.TarInfo) -> None:
    if not 0 <= info.size <= len(data) - start:
        raise ArchiveRefused(f"The archive's member {info.name!r} declares {info.size} bytes that are not there.")


def _content(data: bytes, start: int, info: tarfile.TarInfo, *, limit: int) -> bytes:
    if info.size > limit:
        raise ArchiveRefused(f"The archive has an extended header of more than {limit} bytes.")
    _content_fits(data, start, info)
    return data[start : start + info.size]


def _padded(size: int) -> int:
    return size + -size % _BLOCK


def _pax(data: bytes) -> dict[str, str]:
    """Return those records ``LENGTH KEY=VALUE`` of an extended header that say what a member is."""
    found: dict[str, str] = {}
    place, end, records = 0, len(data.rstrip(b"\0")), 0
    while place < end:
        length = data[place : place + 20].partition(b" ")[0]
        count = int(length) if length.isdigit() else 0
        record = data[place + len(length) + 1 : place + count]
        if not len(length) < count <= len(data) - place or not record.endswith(b"\n") or b"=" not in record:
            raise ArchiveRefused("The archive has an extended header that cannot be read.")
        written, _, value = record[:-1].partition(b"=")
        key = written[: len(_SPARSE)].decode("utf-8", "replace")
        if key in (_SPARSE, "path", "size"):
            found[key] = value.decode("utf-8", "surrogateescape")
        place += count
        records += 1
        if records > limits.MAX_RECORDS:
            raise ArchiveRefused(f"The archive has an extended header of more than {limits.MAX_RECORDS} records.")
    return found
