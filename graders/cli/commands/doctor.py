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

_STYLES = {"ok": "green", "warning": "yellow", "broken": "red"}

app = command_app()


@app.command(epilog=examples("grade doctor", "grade doctor --all", "grade doctor --json"))
def doctor(
    everything: Annotated[bool, typer.Option("--all", help="Also list the tests that found no problem.")] = False,
    json_object: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    host: HostOption = None,
) -> None:
    """Check the engine and everything else that grading needs.

    Groups problems by what you can do about them. If there are none, one line says so.
    """
    from gradebox.graders.cli.interruption import raising
    from gradebox.graders.doctor import examine

    with raising():
        findings = examine(host)
    code = exit_code(findings)
    if json_object:
        described = {"ok": code is ExitCode.PASSED, "findings": [asdict(finding) for finding in findings]}
        sys.stdout.write(json.dumps(described) + "\n")
    elif everything:
        print_findings(findings)
    else:
        print_problems(findings)
    raise typer.Exit(code)


def exit_code(findings: Sequence[Finding]) -> ExitCode:
    return exit_code_of_results(not_graded=any(finding.health == "broken" for finding in findings))


def print_problems(findings: Sequence[Finding]) -> None:
    """Print problems by their remedies, the gravest first, and how many findings are no problem."""
    from rich.markup import escape

    from gradebox.graders.reports.terminal import plain_console

    console = plain_console(soft_wrap=True)
    problems = sorted((one for one in findings if one.health != "ok"), key=lambda one: one.health != "broken")
    for remedy in dict.fromkeys(finding.remedy for finding in problems):
        for finding in (one for one in problems if one.remedy == remedy):
            console.print(
                f"[{_STYLES[finding.health]}]{finding.health:8}[/] {escape(f'{finding.group}, {finding.name}')}: "
                f"{escape(finding.message)}"
            )
        if remedy:
            console.print(f"         [bold]{escape(remedy)}[/]")
    well = [finding for finding in findings if finding.health == "ok"]
    if not problems and well:
        console.print(f"[green]ok[/]       {escape(well[0].message)}")
    counted = f"{len(well)} of {len(findings)} tests found no problem."
    console.print(f"{counted} `grade doctor --all` lists them." if well else counted)


def print_findings(findings: Sequence[Finding]) -> None:
    """Print all findings, each with its remedy below."""
    from rich.markup import escape

    from gradebox.graders.reports.terminal import plain_console

    console = plain_console(soft_wrap=True)
    for group, members in groupby(findings, key=lambda finding: finding.group):
        console.print(f"[bold]{escape(group)}[/]")
        for finding in members:
            style = _STYLES[finding.health]
            console.print(f"  [{style}]{finding.health:8}[/] {finding.name:14} {escape(finding.message)}")
            if finding.remedy:
                console.print(f"{'':25} [dim]{escape(finding.remedy)}[/]")
