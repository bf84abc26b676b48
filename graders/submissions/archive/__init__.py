"""Submissions that are archives: zip, and tar with or without gzip, bzip2 or xz. Hostile input, unpacked in memory.

    limits         what an archive may hold, and the error that refuses it
    compression    a compressed tar archive -> a tar archive
    tar_members    a tar archive -> members
    zip_members    a zip archive -> members
    unpacking      members -> a submission

Nothing is written to the host's disk. Only files and directories are taken. A link, a special file, a path that leads
out of the archive, a path that is there twice, or more than the limits allow, refuses the whole archive: what is left
of it would not be what was handed in. The archive's root is laid over the root of the workspace.
"""

from gradebox.graders.submissions.archive.archive_limits import ArchiveRefused
from gradebox.graders.submissions.archive.unpacking import is_archive, read_archive

__all__ = ["ArchiveRefused", "is_archive", "read_archive"]
