"""The files that a build may copy: lists, hashes and archives them.

Links are kept as links and never followed. Pipes, sockets and devices are left out.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

from gradebox.sandbox.errors import ImageUnavailable
from gradebox.sandbox.images.recipes import add_file
from gradebox.sandbox.records import dataclass

DOCKERFILE = ".gradebox.Dockerfile"
"""The Dockerfile's name in the archive. Its own path may be outside the directory, or excluded from the context."""

# A larger context is a mistake: a data set, or a directory of packages that the build installs itself.
MOST_BYTES = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class BuildContext:
    """The input files of a build.

    Attributes:
        dockerfile: The text of the Dockerfile.
        directory: The directory of `paths`, None if there are no paths.
        paths: Relative paths of files, links and directories.
        files: Additional files by name, which do not count for the hash.
    """

    dockerfile: bytes
    directory: Path | None = None
    paths: tuple[str, ...] = ()
    files: Mapping[str, bytes] | None = None

    def digest(self) -> str:
        """Return the hash of the Dockerfile and of all files that can be copied: names, kinds, modes and contents.

        Raises:
            OSError: If a file cannot be read.
            ImageUnavailable: If the context is too large.
        """
        found, total = hashlib.sha256(self.dockerfile), 0
        for path, place, status in self._entries():
            found.update(f"\0{path}\0{status.st_mode:o}\0".encode("utf-8", "surrogateescape"))
            if stat.S_ISLNK(status.st_mode):
                found.update(os.fsencode(os.readlink(place)))  # noqa: PTH115 - it need not be UTF-8
            elif stat.S_ISREG(status.st_mode):
                total += status.st_size
                if total > MOST_BYTES:
                    raise ImageUnavailable(
                        f"The build context {self.directory} has more than {MOST_BYTES // 1024**3} GiB.",
                        remedy="In `.dockerignore` there, list files that the Dockerfile does not copy.",
                    )
                with place.open("rb") as file:
                    found.update(hashlib.file_digest(file, "sha256").digest())
        return found.hexdigest()

    def write(self, file: BinaryIO) -> None:
        """Write the archive for the engine. Raises OSError if a file cannot be read."""
        # Replace the directory's own .dockerignore, which the engine would otherwise apply to our files, too.
        ours = {".dockerignore": f"{DOCKERFILE}\n.dockerignore\n".encode(), DOCKERFILE: self.dockerfile}
        with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path, place, _ in self._entries():
                if path in ours:
                    continue
                member = tar.gettarinfo(str(place), path)
                member.uid = member.gid = 0
                member.uname = member.gname = ""
                if member.isreg():
                    with place.open("rb") as file_content:
                        tar.addfile(member, file_content)
                else:
                    tar.addfile(member)
            for name, content in {**(self.files or {}), **ours}.items():
                add_file(tar, name, content)

    def _entries(self) -> Iterable[tuple[str, Path, os.stat_result]]:
        for path in self.paths:
            assert self.directory is not None
            place = self.directory / path
            status = place.lstat()
            if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode) or stat.S_ISDIR(status.st_mode):
                yield path, place, status
