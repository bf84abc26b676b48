"""Findings of the doctor, and how they are printed."""

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
    """The severity of a finding."""

    OK = "ok"
    WARNING = "warning"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one examination.

    Attributes:
        name: What was examined.
        health: Whether it works.
        message: What was found, one sentence.
        remedy: What to do about it; empty if there is nothing to do.
        group: What was examined as a whole: the engine, this machine, or a kind of sandbox.
    """

    name: str
    health: Health
    message: str
    remedy: str = ""
    group: str = "engine"


def guarded(name: str, examine: Callable[[], Finding]) -> Finding:
    """Examine something, and turn an error of the engine into a finding."""
    try:
        return examine()
    except SandboxError as error:
        return Finding(name, Health.BROKEN, error.message, error.remedy)


def worst(findings: Sequence[Finding]) -> ExitCode:
    """Return the exit code for findings."""
    broken = any(finding.health is Health.BROKEN for finding in findings)
    return ExitCode.NOT_GRADED if broken else ExitCode.PASSED


def print_findings(findings: Sequence[Finding], *, as_json: bool) -> None:
    """Print findings on stdout, as text or as one JSON object."""
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
