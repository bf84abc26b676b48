"""``grade doctor``: examine the engine and everything else that grading needs."""

from __future__ import annotations

from typing import Annotated

import typer

from graders.cli.help import command_app, examples
from graders.cli.options import HostOption
from graders.errors import exit_code_of_results

app = command_app()


@app.command(epilog=examples("grade doctor", "grade doctor --json"))
def doctor(
    json_object: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    host: HostOption = None,
) -> None:
    """Check the engine and everything else that grading needs.

    Each problem is reported with its remedy.
    """
    from graders.cli.interruption import raising
    from graders.doctor import Health, examine, print_findings

    with raising():
        findings = examine(host)
    print_findings(findings, as_json=json_object)
    broken = any(finding.health is Health.BROKEN for finding in findings)
    raise typer.Exit(exit_code_of_results(not_graded=broken))
