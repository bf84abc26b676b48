"""``grade compare``: what changed from one run to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gradebox.graders.cli.help import command_app, examples
from gradebox.graders.cli.options import run_argument
from gradebox.graders.errors import exit_code_of_results

app = command_app()


@app.command(epilog=examples("grade compare latest~1 latest", "grade compare monday tuesday"))
def compare(
    before: Annotated[Path, run_argument("The earlier run.")],
    after: Annotated[Path, run_argument("The later run.")],
    common: Annotated[bool, typer.Option("--common", help="Leave out verdicts that only one of the runs has.")] = False,
    json_object: Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")] = False,
) -> None:
    """Report what changed from one run to another.

    A paired test says whether chance alone would change as much. Ends with 1 if something that passed before does not
    pass any more, or has no verdict any more.
    """
    from gradebox.graders.reports.comparison import compare as compare_runs
    from gradebox.graders.runs.history.run_names import find_run
    from gradebox.graders.runs.saved_run import read_run

    comparison = compare_runs(read_run(find_run(before)), read_run(find_run(after)), common=common)
    if json_object:
        print(comparison.as_json())
    else:
        from gradebox.graders.reports.comparison_text import comparison_lines
        from gradebox.graders.reports.terminal import output

        terminal = output()
        for line in comparison_lines(comparison):
            terminal.print(line, soft_wrap=True)
    code = exit_code_of_results(
        failed=bool(comparison.regressed), nothing=not (comparison.pairs or comparison.regressed)
    )
    raise typer.Exit(code)
