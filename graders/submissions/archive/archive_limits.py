"""What an archive may hold, and the error that refuses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gradebox.graders.errors import SubmissionRefused

_MIB = 1024 * 1024
MAX_MEMBERS = 20_000
MAX_UNPACKED_BYTES = 256 * _MIB
# Beyond RATIO_FROM_BYTES, no archive of source code is compressed better than this.
MAX_RATIO = 200
RATIO_FROM_BYTES = 16 * _MIB
MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255
# Of one extended header of a tar archive: a path, or a few attributes.
MAX_EXTENDED_BYTES = 64 * 1024
# Of a compressed archive: compressors that work in parallel write several.
MAX_STREAMS = 100


class ArchiveRefused(SubmissionRefused):
    """An archive is broken, or holds what no submission may hold; the message names the member and the limit."""

    def __init__(self, message: str) -> None:
        super().__init__(message, remedy="Pack it again as a zip or tar archive of files and directories.")


class Member(NamedTuple):
    """A member as an archive has it; nothing of it is checked."""

    path: str  # As it is written.
    directory: bool  # Whether it is one; otherwise it is a file.
    mode: int  # Permission bits.
    size: int  # The size of its content, in bytes, as it is declared.
    read: Callable[[], bytes]  # Returns the content, or one byte more than the declared size.
