"""What a bug of ours leaves behind: a file that can be pasted into an issue, without the user's environment."""

from __future__ import annotations

import platform
import sys
import tempfile
import traceback
from importlib import metadata
from pathlib import Path

_PACKAGES = ("gradebox", "docker", "pydantic", "PyYAML", "typer", "rich")


def write_bug_report(error: BaseException) -> Path:
    """Write the report to the directory for temporary files and return where it is."""
    versions = "".join(f"{name} {metadata.version(name)}\n" for name in _PACKAGES)
    text = (
        f"{versions}Python {platform.python_version()} on {platform.platform()}\n"
        f"command: {' '.join(['grade', *sys.argv[1:]])}\n\n"
        f"{''.join(traceback.format_exception(error))}"
    )
    with tempfile.NamedTemporaryFile(
        "w",
        prefix="gradebox-bug-",
        suffix=".txt",
        delete=False,
        encoding="utf-8",
        # A name that is no text must not become a second bug.
        errors="backslashreplace",
    ) as stream:
        stream.write(text)
    return Path(stream.name)
