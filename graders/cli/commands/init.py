"""What ``grade init`` does: write a new case directory. Overwrites nothing. Prints."""

from __future__ import annotations

import shlex
from pathlib import Path

from rich.console import Console

from graders.authoring.templates import TEMPLATES
from graders.cases import load
from graders.errors import UsageRefused
from graders.reports.escaping import visible


def write_case(directory: Path, language: str) -> None:
    """Write a case that can be graded at once, and say what to do with it.

    Raises:
        UsageRefused: If something is there already, or cannot be written.
    """
    files = TEMPLATES[language]
    try:
        _refuse_what_is_there(directory)
        for name, text in files.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as stream:
                stream.write(text)
    except OSError as error:
        raise UsageRefused(f"The case cannot be written to {directory}: {error.strerror or error}.") from error
    loaded = load(directory)
    console = Console(stderr=True, highlight=False)
    quoted = shlex.quote(str(directory))
    lines = [
        f"{len(files)} files of a {language} case are in {directory}. Read {directory / 'case.yaml'} first.",
        f"  grade check {quoted}                proves that the case is fair",
        f"  grade --case {quoted} --reference   grades its reference",
    ]
    for line in [*lines, *(str(diagnostic) for diagnostic in loaded.diagnostics)]:
        console.print(visible(line), markup=False, soft_wrap=True)


def _refuse_what_is_there(directory: Path) -> None:
    if directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        raise UsageRefused(f"{directory} is there already and is no directory.", remedy="Name another.")
    if directory.is_dir() and any(directory.iterdir()):
        raise UsageRefused(f"{directory} is not empty, and nothing in it is overwritten.", remedy="Name another.")
