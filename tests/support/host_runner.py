"""Runs on this machine, without an engine, what otherwise runs inside a sandbox."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gradebox.graders.model.plan import Role, Step
from gradebox.graders.runners.adapter import AUTO, adapt
from gradebox.graders.runners.runner_report import RunnerReport, read

PYTHON = sys.executable
# Of the plugins of this environment only one, which may select tests: to look for them all takes pytest a second.
_PLAIN = {
    "PYTHONPATH": "",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_PLUGINS": "pytest_timeout",
}


@dataclass(frozen=True)
class HostRun:
    """What became of one program."""

    status: int
    report: bytes
    printed: str


def run(argv: Sequence[str], directory: Path, stdin: bytes = b"", env: dict[str, str] | None = None) -> HostRun:
    """Run a program with descriptor 3 open for its report."""
    report = directory / ".report"
    ran = subprocess.run(
        ["sh", "-c", 'report=$1; shift; exec "$@" 3> "$report"', "sh", str(report), *argv],
        cwd=directory,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, **_PLAIN, **(env or {})},
    )
    return HostRun(ran.returncode, report.read_bytes(), (ran.stdout + ran.stderr).decode("utf-8", "replace"))


def run_adapted(*argv: str, directory: Path) -> tuple[HostRun, RunnerReport]:
    """Run a command of a test runner through its adapter; return what its report says, too."""
    step = adapt(Step(Role.CHECK, "check", argv, str(directory), 60.0), AUTO)
    assert step.token, "the command is not a test runner's"
    ran = run(step.argv, directory, step.stdin)
    return ran, read(step.token, ran.report)


def write(directory: Path, **files: str) -> None:
    """Write modules of Python."""
    for name, text in files.items():
        (directory / f"{name}.py").write_text(text, "utf-8")
