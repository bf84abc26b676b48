"""Locks for the users of sandboxes on this machine: one lock file per range, with the labels of its sandbox.

    /run/gradebox/gradebox-users-10000     locked while its sandbox exists; its text is the labels, as JSON
    /run/gradebox/workspace                locked by the only sandbox if all share one file system; never removed, since
                                           it also shows that the files in /workspace belong to sandboxes

A lock ends when the process that holds it and its supervisor, which may still clean up, have both ended. So a file
without a lock was left by a crashed run.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from gradebox.sandbox.errors import NameTaken, SandboxError
from gradebox.sandbox.users import FIRST_UID, UID_COUNT, USERS

# The first writable one is used, which is the same for all processes of root on this machine.
_PLACES = ("/run", "/var/lib", "/dev/shm", "/tmp")  # noqa: S108 - the directory is made for root alone
_PREFIX = "gradebox-users-"


def directory(places: tuple[str, ...] = _PLACES) -> Path:
    """Return the directory of the locks, which only root can enter.

    Raises:
        SandboxError: If no place is writable.
    """
    for place in places:
        path = Path(place, "gradebox")
        with suppress(OSError):
            path.mkdir(mode=0o700, exist_ok=True)
            found = path.lstat()
            if path.is_dir() and not path.is_symlink() and found.st_uid == os.geteuid() and not found.st_mode & 0o077:
                return path
    raise SandboxError(
        f"No directory for locks can be made in {', '.join(places)}.", remedy="Mount a tmpfs at /run, or run as root."
    )


def first_uid(name: str) -> int:
    """Return the first uid of the sandbox with a name (`users.container_name`)."""
    return int(name.removeprefix(_PREFIX))


def spare_uid(first: int) -> int:
    """Return a uid for the supervisor of a range, distinct from those of other supervisors, for use while it kills."""
    return FIRST_UID + UID_COUNT + (first - FIRST_UID) // USERS


def processes(first: int) -> list[int]:
    """Return the living processes of a range of users."""
    wanted = {*range(first, first + USERS), spare_uid(first)}
    found = []
    for entry in os.scandir("/proc"):
        with suppress(OSError):
            if entry.name.isdigit() and entry.stat().st_uid in wanted and not _is_dead(entry.name):
                found.append(int(entry.name))
    return found


def _is_dead(pid: str) -> bool:
    return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] in b"ZX"


class Lock:
    """A locked file.

    Args:
        path: The file to lock.
        text: The content to write to it.
        keep: Whether the file is kept when the lock is released.

    Attributes:
        fd: The open file. A process that inherits it holds the lock, too.

    Raises:
        NameTaken: If another process holds the lock.
    """

    def __init__(self, path: Path, text: str = "", *, keep: bool = False) -> None:
        self.path, self._keep = path, keep
        while True:
            self.fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(self.fd)
                raise NameTaken(f"{path} is locked by another sandbox.") from error
            with suppress(FileNotFoundError):
                if path.stat().st_ino == os.fstat(self.fd).st_ino:
                    break
            # The last owner has removed the file meanwhile.
            os.close(self.fd)
        os.ftruncate(self.fd, 0)
        os.write(self.fd, text.encode())

    def release(self) -> None:
        """Release the lock, and remove the file unless `keep` was set."""
        with suppress(FileNotFoundError):
            if not self._keep:
                self.path.unlink()
        os.close(self.fd)


def lock_users(name: str, labels: Mapping[str, str]) -> Lock:
    """Lock the users of a sandbox.

    Raises:
        NameTaken: If another sandbox or any process uses them.
    """
    lock = Lock(directory() / name, json.dumps(dict(labels)))
    found = processes(first_uid(name))
    if found:
        lock.release()
        raise NameTaken(f"Process {found[0]} runs as one of the users of {name}.")
    return lock


def left() -> Iterator[tuple[Path, Mapping[str, str], bool]]:
    """Yield the files of all sandboxes, with their labels, and whether they are locked."""
    for path in sorted(directory().glob(f"{_PREFIX}*")):
        with suppress(OSError, ValueError), path.open("rb") as file:
            labels = json.loads(file.read(65536) or b"{}")
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                yield path, labels, True
            else:
                yield path, labels, False
