"""The directories of sandboxes, in memory and accessible only to root.

/run/gradebox/oci/sandboxes/<sandbox>/     record.json, config.json, `hosts` with the names that it knows, `rootfs`
                                           where the root filesystem is mounted, and `runtime`, where the runtime
                                           keeps its state
/run/gradebox/oci/names/<name>             a link to the sandbox that has the name
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from gradebox.sandbox.errors import NameTaken

STATE = Path("/run/gradebox/oci")
HOSTS = "hosts"


def _directory(name: str) -> Path:
    path = STATE / name
    if not path.is_dir():
        for directory in (STATE.parent, STATE, path):
            directory.mkdir(mode=0o700, exist_ok=True)
    return path


def path(sandbox: str) -> Path:
    """Return the directory of a sandbox."""
    return _directory("sandboxes") / sandbox


def make(sandbox: str, record: Mapping[str, Any], config: Mapping[str, Any], hosts: bytes = b"") -> None:
    """Make the directory of a sandbox.

    Args:
        sandbox: The sandbox's id.
        record: Its `labels`, the id of its `image`, and its `name` or None.
        config: The runtime's configuration.
        hosts: The content of a hosts file that the configuration mounts; empty for none.

    Raises:
        NameTaken: If another sandbox has the name.
    """
    place = path(sandbox)
    (place / "rootfs").mkdir(parents=True)
    (place / "record.json").write_text(json.dumps(record))
    (place / "config.json").write_text(json.dumps(config))
    if hosts:
        (place / HOSTS).write_bytes(hosts)
    if record["name"] is not None:
        try:
            (_directory("names") / record["name"]).symlink_to(sandbox)
        except FileExistsError as error:
            shutil.rmtree(place)
            raise NameTaken(f"Another sandbox has the name {record['name']}.") from error


def remove(sandbox: str) -> None:
    """Remove the directory of a sandbox, and free its name."""
    name = _directory("names") / str(_record(path(sandbox)).get("name"))
    with suppress(OSError):
        if str(name.readlink()) == sandbox:
            name.unlink()
    shutil.rmtree(path(sandbox), ignore_errors=True)


def records() -> Iterator[tuple[str, dict[str, Any], float]]:
    """Yield each sandbox with its record (empty if it is damaged) and its time of creation."""
    for place in sorted(_directory("sandboxes").iterdir()):
        with suppress(OSError):
            yield place.name, _record(place), place.stat().st_mtime


def _record(place: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        return dict(json.loads((place / "record.json").read_bytes()))
    return {}
