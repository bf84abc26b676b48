"""The requirements of a sandbox on this machine: our rights, its directories, and its turn if all share these."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from gradebox.sandbox.engines.here import users_lock
from gradebox.sandbox.errors import NameTaken, SandboxError
from gradebox.sandbox.guarantees import CAPABILITY_BITS
from gradebox.sandbox.types import WORKSPACE

# How long a sandbox waits for the previous one if only one can run at a time.
_TURN_SECONDS = 1800.0
_OTHERS_ENTER, _OTHERS_WRITE = 0o001, 0o002


def check_rights() -> None:
    """Raise `SandboxError` if we lack the rights that a supervisor needs."""
    effective = next(
        (line.split()[1] for line in Path("/proc/self/status").read_text("ascii").splitlines() if "CapEff" in line), "0"
    )
    if os.geteuid() != 0 or ~int(effective, 16) & CAPABILITY_BITS:
        raise SandboxError(
            "here:// needs root with the capabilities CHOWN, DAC_OVERRIDE, FOWNER, SETUID, SETGID and KILL.",
            remedy="Run gradebox as root in the container or pod, or use a container engine.",
        )


def make(path: str) -> None:
    """Make a directory that a sandbox needs, if root can make it."""
    try:
        Path(path).mkdir(mode=0o755, exist_ok=True)
    except OSError as error:
        raise SandboxError(
            f"The directory {path} is missing here and cannot be made: {error.strerror}.",
            remedy=f"Mount a tmpfs at {path}, or use an image that has this directory.",
        ) from error


def turn() -> users_lock.Lock:
    """Wait until this is the only sandbox, and return the lock of the workspace.

    Raises:
        SandboxError: If another sandbox lasts too long, or the workspace has files that are not ours.
    """
    path = users_lock.directory() / "workspace"
    if not path.exists() and any(Path(WORKSPACE).iterdir()):
        raise SandboxError(
            f"{WORKSPACE} has files. Sandboxes would remove them, because no mount namespace can be made here.",
            remedy=f"Move them away: {WORKSPACE} must be empty or missing.",
        )
    try:
        return wait_for_lock(path, _TURN_SECONDS, keep=True)
    except NameTaken as error:
        raise SandboxError(f"Another sandbox has used {WORKSPACE} for too long.") from error


def wait_for_lock(path: Path, seconds: float, *, keep: bool = False) -> users_lock.Lock:
    """Wait until we hold the lock of a file, and return the lock.

    Args:
        path: The file.
        seconds: How long to wait.
        keep: Whether the file is kept when the lock is released.

    Raises:
        NameTaken: If another process holds the lock for longer.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            return users_lock.Lock(path, keep=keep)
        except NameTaken:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def can_be_read(path: str) -> bool:
    """Return whether every user can reach a path: no directory on the way to it prevents this."""
    return all(one.stat().st_mode & _OTHERS_ENTER for one in _way(Path(path)))


def _way(path: Path) -> Iterator[Path]:
    yield from (one for one in (path, *path.parents) if one.is_dir())


def is_writable(path: Path) -> bool:
    """Return whether everybody can make files in a directory."""
    return path.is_dir() and not path.is_symlink() and bool(path.stat().st_mode & _OTHERS_WRITE)
