"""``grade compare``: what changed from one run to others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gradebox.graders.cli.help import command_app, examples
from gradebox.graders.cli.options import run_argument
from gradebox.graders.errors import UsageRefused, exit_code_of_results

app = command_app()


@app.command(epilog=examples("grade compare latest~1 latest", "grade compare model-a model-b model-c"))
def compare(
    runs: Annotated[list[Path], run_argument("Two runs or more: the others are compared with the first.", "RUN...")],
    common: Annotated[bool, typer.Option("--common", help="Leave out verdicts that only one of two runs has.")] = False,
    json_object: Annotated[
        bool, typer.Option("--json", help="Print JSON on stdout: one object for each comparison, one per line.")
    ] = False,
) -> None:
    """Report what changed from one run to another.

    A paired test says whether the difference may be chance. Exits with 1 if something that passed before no
    longer passes, or no longer has a verdict.
    """
    from gradebox.graders.reports.comparison import compare as compare_runs
    from gradebox.graders.runs.history.run_names import find_run
    from gradebox.graders.runs.saved_run import read_run

    if len(runs) < 2:
        raise UsageRefused("Name two runs or more.", remedy="For example: `grade compare latest~1 latest`.")
    first, *others = [read_run(find_run(run)) for run in runs]
    comparisons = [compare_runs(first, other, common=common) for other in others]
    if json_object:
        for comparison in comparisons:
            print(comparison.as_json())
    else:
        from gradebox.graders.reports.comparison_text import comparison_lines, overview_lines
        from gradebox.graders.reports.terminal import output

        terminal = output()
        lines = comparison_lines(comparisons[0]) if len(others) == 1 else overview_lines(comparisons, terminal)
        for line in lines:
            terminal.print(line, soft_wrap=True)
    regressed = any(comparison.regressed for comparison in comparisons)
    nothing = not (regressed or any(comparison.pairs for comparison in comparisons))
    raise typer.Exit(exit_code_of_results(failed=regressed, nothing=nothing))
