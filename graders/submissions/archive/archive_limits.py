"""The limits of an archive, and the error that refuses one."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gradebox.graders.errors import SubmissionRefused

_MIB = 1024 * 1024
MAX_MEMBERS = 20_000
MAX_UNPACKED_BYTES = 256 * _MIB
# The greatest compression ratio beyond RATIO_FROM_BYTES: archives of source code do not exceed it.
MAX_RATIO = 200
RATIO_FROM_BYTES = 16 * _MIB
MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255
# The limit for one extended header of a tar archive, which has a path or a few attributes.
MAX_EXTENDED_BYTES = 64 * 1024
MAX_EXTENDED_TOTAL_BYTES = 16 * _MIB
MAX_RECORDS = 1000
# For the headers of a tar archive: a member has up to three, for its path, its attributes and itself.
MAX_HEADERS = 3 * MAX_MEMBERS
# The limit for streams in a compressed archive: parallel compressors write several.
MAX_STREAMS = 100


class ArchiveRefused(SubmissionRefused):
    """An archive is broken, or contains something that no submission may have; the message names the problem."""

    def __init__(self, message: str) -> None:
        super().__init__(message, remedy="Pack it again as a zip or tar archive of files and directories.")


class Member(NamedTuple):
    """A member of an archive; nothing about it is checked."""

    path: str  # The path as written.
    directory: bool  # Whether it is a directory; otherwise it is a file.
    mode: int  # Permission bits.
    size: int  # The declared size of the content, in bytes.
    read: Callable[[], bytes]  # Returns the content, or one byte more than the declared size.
