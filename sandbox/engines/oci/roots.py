"""The root filesystems of sandboxes: images, exported once from a Docker Engine, and our own layer on top.

    <home>/images/<id>/         the files of an image
    <home>/layers/<hash>/       the supervisor, and the directories where file systems are mounted

<home> is `gradebox/oci` in root's cache directory, which only root can enter. Its files never change after their
creation. Each sandbox mounts both in an overlay of its own: if two sandboxes shared files, they could signal to each
other by locks.
"""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from gradebox.sandbox import caches, supervisor_build
from gradebox.sandbox.engines.docker.container_request import CLOSED_DIRECTORY, SUPERVISOR, SUPERVISOR_DIRECTORY
from gradebox.sandbox.errors import EngineRefused
from gradebox.sandbox.types import CANDIDATE_DIRECTORY, WORKSPACE

# The layer's directories and their modes, which some runtimes apply to the file systems that they mount there.
_DIRECTORIES = {
    **dict.fromkeys(("proc", "sys", "dev", "etc", SUPERVISOR_DIRECTORY[1:]), 0o755),
    **dict.fromkeys(("tmp", WORKSPACE[1:]), 0o1777),
    # Only root can enter these, as in a Docker container.
    **dict.fromkeys((CANDIDATE_DIRECTORY[1:], CLOSED_DIRECTORY[1:]), 0o700),
}
_HOSTS = b"127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"
# The files that Docker writes for a container without a network.
_FILES = {"etc/hosts": _HOSTS, "etc/hostname": b"sandbox\n", "etc/resolv.conf": b"nameserver 127.0.0.1\n"}


def hosts(names: Iterable[str]) -> bytes:
    """Return a hosts file with additional names for loopback."""
    return _HOSTS + b"".join(f"127.0.0.1\t{name}\n".encode() for name in names)


def home() -> Path:
    """Return the directory of all root filesystems, created if necessary."""
    path = caches.directory() / "oci"
    for directory in (path, path / "images", path / "layers"):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def directory_of(image: str) -> Path:
    """Return the directory with the files of an image, by its id."""
    return home() / "images" / image.rpartition(":")[2]


def unpack(image: str, tar: Iterable[bytes], volumes: Iterable[str]) -> None:
    """Write the files of an image once, even if several processes do so at a time.

    Args:
        image: The image's id.
        tar: The image's root filesystem as an archive, read only if it is needed.
        volumes: Paths that the image declares as volumes.

    Raises:
        EngineRefused: If the files cannot be written.
    """
    place = directory_of(image)
    with _locked(place.with_suffix(".lock")), _made(place) as scratch:
        if scratch is None:
            return
        words = ["tar", "-x", "-p", "--numeric-owner", "-f", "-", "-C", str(scratch)]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdin is not None
            assert process.stderr is not None
            # tar may have ended with an error, which it reports on stderr.
            with suppress(BrokenPipeError):
                for piece in tar:
                    process.stdin.write(piece)
                process.stdin.close()
            words_of_tar = process.stderr.read(4096).decode("utf-8", "replace").strip()
        if process.returncode != 0:
            raise EngineRefused(f"The files of the image {image} cannot be written to {place}: {words_of_tar}")
        for volume in volumes:
            _mount_point(scratch, volume)


def _mount_point(root: Path, volume: str) -> None:
    """Make a directory in a root filesystem, without following its links, which would lead to this machine's files."""
    place = root
    for part in Path(volume.lstrip("/")).parts:
        place /= part
        if part == ".." or place.is_symlink():
            return
        place.mkdir(exist_ok=True)


def layer(architecture: str) -> Path:
    """Return the layer with this version's supervisor, created if necessary."""
    program = _program(architecture)
    key = sha256(program + repr((_DIRECTORIES, _FILES)).encode()).hexdigest()[:16]
    place = home() / "layers" / key
    if not place.is_dir():
        with _made(place) as scratch:
            if scratch is not None:
                _write_layer(scratch, program)
    return place


@cache
def _program(architecture: str) -> bytes:
    return supervisor_build.binary(architecture)


def _write_layer(place: Path, program: bytes) -> None:
    for name, mode in _DIRECTORIES.items():
        Path(place, name).mkdir(parents=True, exist_ok=True)
        Path(place, name).chmod(mode)
    for name, content in {**_FILES, SUPERVISOR[1:]: program}.items():
        Path(place, name).write_bytes(content)
        Path(place, name).chmod(0o444)
    Path(place, SUPERVISOR[1:]).chmod(0o555)


def repair(architecture: str) -> bool:
    """Remove the layer if its supervisor is damaged, so that it is made again; return whether it was damaged."""
    place = layer(architecture)
    with suppress(OSError):
        if Path(place, SUPERVISOR[1:]).read_bytes() == _program(architecture):
            return False
    discard(place)
    return True


def discard(place: Path) -> None:
    """Remove a root filesystem or a layer."""
    shutil.rmtree(place, ignore_errors=True)
    place.with_suffix(".lock").unlink(missing_ok=True)


def kept() -> Iterator[Path]:
    """Yield the directories of all images and layers."""
    for name in ("images", "layers"):
        yield from (path for path in sorted((home() / name).iterdir()) if path.is_dir())


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _made(place: Path) -> Iterator[Path | None]:
    """Provide a new directory that becomes `place` if the block succeeds; None if `place` exists."""
    if place.is_dir():
        yield None
        return
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-", ignore_cleanup_errors=True) as scratch:
        new = Path(scratch, "new")
        new.mkdir(mode=0o755)
        yield new
        try:
            new.rename(place)
        except OSError:
            # Another process was faster.
            if not place.is_dir():
                raise
