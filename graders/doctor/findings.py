"""What was found about one thing that grading needs, and how it is shown."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import groupby

from rich.console import Console
from rich.markup import escape

from graders.errors import ExitCode
from sandbox.errors import SandboxError


class Health(StrEnum):
    """How grave a finding is."""

    OK = "ok"
    WARNING = "warning"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was examined.

    Attributes:
        name: What was examined.
        health: How it is.
        message: What was found.
        remedy: What to do about it; empty when nothing is to be done.
        group: What it belongs to: the engine, this machine, or a kind of sandbox.
    """

    name: str
    health: Health
    message: str
    remedy: str = ""
    group: str = "engine"


def guarded(name: str, look: Callable[[], Finding]) -> Finding:
    """Look, and turn an error of the engine into a finding."""
    try:
        return look()
    except SandboxError as error:
        return Finding(name, Health.BROKEN, error.message, error.remedy)


def worst(findings: Sequence[Finding]) -> ExitCode:
    """Return the exit code that findings ask for."""
    broken = any(finding.health is Health.BROKEN for finding in findings)
    return ExitCode.NOT_GRADED if broken else ExitCode.PASSED


def print_findings(findings: Sequence[Finding], *, as_json: bool) -> None:
    """Print findings on stdout, for people or as one JSON object."""
    if as_json:
        described = {"ok": worst(findings) is ExitCode.PASSED, "findings": [asdict(finding) for finding in findings]}
        sys.stdout.write(json.dumps(described) + "\n")
        return
    console = Console(highlight=False, soft_wrap=True)
    styles = {Health.OK: "green", Health.WARNING: "yellow", Health.BROKEN: "red"}
    for group, members in groupby(findings, key=lambda finding: finding.group):
        console.print(f"[bold]{escape(group)}[/]")
        for finding in members:
            style = styles[finding.health]
            console.print(f"  [{style}]{finding.health:8}[/] {finding.name:14} {escape(finding.message)}")
            if finding.remedy:
                console.print(f"{'':25} [dim]{escape(finding.remedy)}[/]")
