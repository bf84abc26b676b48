"""Submissions that are archives: zip, and tar with or without gzip, bzip2 or xz. Hostile input, unpacked in memory.

    archive_limits the limits of an archive, and the error that refuses one
    compression    a compressed tar archive -> a tar archive
    tar_members    a tar archive -> members
    zip_members    a zip archive -> members
    unpacking      members -> a submission

Nothing is written to the host's disk. Only files and directories are accepted. The whole archive is refused if it has a
link, a special file, a path that leads out of it, a path twice, or more than the limits allow: a part of it would not
be what was handed in. The root of the archive is laid over the root of the workspace.
"""

from gradebox.graders.submissions.archive.archive_limits import ArchiveRefused
from gradebox.graders.submissions.archive.unpacking import is_archive, read_archive

__all__ = ["ArchiveRefused", "is_archive", "read_archive"]
