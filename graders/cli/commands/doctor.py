"""``grade doctor``: examine the engine and everything else that grading needs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from gradebox.graders.cli.help import command_app, examples
from gradebox.graders.cli.options import HostOption
from gradebox.graders.errors import ExitCode, exit_code_of_results

if TYPE_CHECKING:
    from gradebox.graders.doctor import Finding

app = command_app()


@app.command(epilog=examples("grade doctor", "grade doctor --json"))
def doctor(
    json_object: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False, host: HostOption = None
) -> None:
    """Check the engine and everything else that grading needs.

    Each problem is reported with its remedy.
    """
    from gradebox.graders.cli.interruption import raising
    from gradebox.graders.doctor import examine

    with raising():
        findings = examine(host)
    code = exit_code(findings)
    if json_object:
        described = {"ok": code is ExitCode.PASSED, "findings": [asdict(finding) for finding in findings]}
        sys.stdout.write(json.dumps(described) + "\n")
    else:
        print_findings(findings)
    raise typer.Exit(code)


def exit_code(findings: Sequence[Finding]) -> ExitCode:
    return exit_code_of_results(not_graded=any(finding.health == "broken" for finding in findings))


def print_findings(findings: Sequence[Finding]) -> None:
    from rich.markup import escape

    from gradebox.graders.reports.terminal import plain_console

    console = plain_console(soft_wrap=True)
    styles = {"ok": "green", "warning": "yellow", "broken": "red"}
    for group, members in groupby(findings, key=lambda finding: finding.group):
        console.print(f"[bold]{escape(group)}[/]")
        for finding in members:
            style = styles[finding.health]
            console.print(f"  [{style}]{finding.health:8}[/] {finding.name:14} {escape(finding.message)}")
            if finding.remedy:
                console.print(f"{'':25} [dim]{escape(finding.remedy)}[/]")
