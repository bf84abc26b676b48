"""What a bug of ours leaves behind: a file that can be pasted into an issue, without the user's environment."""

from __future__ import annotations

import platform
import sys
import tempfile
import traceback
from importlib import metadata
from pathlib import Path
from threading import Lock

_PACKAGES = ("gradebox", "docker", "pydantic", "PyYAML", "typer", "rich")

# A message may repeat what a candidate wrote.
_MESSAGE_CHARACTERS = 300

# Where a bug came up, and the report of it: what ten thousand submissions run into needs one.
_reports: dict[tuple[str, int], Path] = {}
_reporting = Lock()


def sentence_of_bug(error: Exception) -> str:
    """Say what a bug of ours is, and where its report is; the first from each place in our code is reported."""
    said = f"this is a bug of ours: {type(error).__name__}: {str(error)[:_MESSAGE_CHARACTERS]}"
    last = traceback.extract_tb(error.__traceback__, limit=-1)
    place = (last[0].filename, last[0].lineno or 0) if last else ("", 0)
    try:
        with _reporting:
            report = _reports.get(place) or write_bug_report(error)
            _reports[place] = report
    except OSError as problem:
        return f"{said}; no report of it could be written: {problem.strerror or problem}"
    return f"{said}; please report it with the file {report}"


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
