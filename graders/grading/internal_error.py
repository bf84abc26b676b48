"""Turns an error into the reason why there is no grading, or into a bug report if it is an internal error.

The report is a file that can be attached to an issue. It does not contain the user's environment.
"""

from __future__ import annotations

import platform
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from gradebox.graders.errors import GraderError
from gradebox.sandbox.errors import SandboxError

_PACKAGES = ("gradebox", "docker", "pydantic", "PyYAML", "typer", "rich")

# A limit, since a message may repeat a candidate's text.
_MESSAGE_CHARACTERS = 300

# The report for each place in our code where an error occurred. Ten thousand equal errors need only one report.
_reports: dict[tuple[str, int], Path] = {}
_reporting = Lock()


def describe_internal_error(error: Exception) -> str:
    """Describe an error and name its report. Only the first error at each place in our code gets a report."""
    what = f"internal error in gradebox ({type(error).__name__}: {str(error)[:_MESSAGE_CHARACTERS]})"
    last = traceback.extract_tb(error.__traceback__, limit=-1)
    place = (last[0].filename, last[0].lineno or 0) if last else ("", 0)
    try:
        with _reporting:
            report = _reports.get(place) or write_bug_report(error)
            _reports[place] = report
    except OSError as problem:
        return f"{what}; its report cannot be written: {problem.strerror or problem}"
    return f"{what}; please report it and attach {report}"


def write_bug_report(error: BaseException) -> Path:
    """Write the report to the directory for temporary files, and return its path."""
    from importlib import metadata  # noqa: PLC0415 - only an error needs it

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
        # A name that cannot be encoded must not cause a second error.
        errors="backslashreplace",
    ) as stream:
        stream.write(text)
    return Path(stream.name)


@contextmanager
def noting_faults(faults: list[str]) -> Iterator[None]:
    """Note an error of the case, the engine or a file as the reason why there is no grading."""
    try:
        yield
    except (GraderError, SandboxError) as error:
        faults.append(str(error))
    except OSError as error:
        faults.append(f"A file of the case or of the submission cannot be read: {error}.")
