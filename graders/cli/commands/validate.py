"""``grade validate``: report every mistake in case files, without any engine.

An editor may call it at every keystroke, so nothing but what loads cases is imported.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graders.cli import console
from graders.cli.help import command_app, examples
from graders.cli.options import PathsArgument
from graders.errors import exit_code_of_case_files

if TYPE_CHECKING:
    from graders.cases import Diagnostic

app = command_app()


@app.command(epilog=examples("grade validate cases", "grade validate my-case/case.yaml --strict"))
def validate(
    paths: PathsArgument,
    strict: Annotated[bool, typer.Option("--strict", help="Count warnings as errors.")] = False,
    json_lines: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per mistake on stdout, one per line.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Leave out the count at the end.")] = False,
) -> None:
    """Report everything that is wrong with case files.

    Mistakes are reported with file, line and column. No engine is needed.
    """
    from graders.cases import Severity, load
    from graders.reports.escaping import visible

    loaded = [load(path) for path in paths]
    found = list(dict.fromkeys(diagnostic for one in loaded for diagnostic in one.diagnostics))
    colours = {Severity.ERROR: "red", Severity.WARNING: "yellow"}
    for diagnostic in found:
        line = visible(str(diagnostic))
        shown = console.styled(line, sys.stdout, colours[diagnostic.severity])
        print(json.dumps(_described(diagnostic)) if json_lines else shown, flush=True)
    errors = sum(diagnostic.severity is Severity.ERROR for diagnostic in found)
    if not quiet:
        places = {case.place for one in loaded for case in one.cases}
        places |= {case.place for one in loaded for case in one.broken}
        warnings = len(found) - errors
        console.say(
            f"{console.counted(len(places), 'case')} checked: "
            f"{console.counted(errors, 'error')}, {console.counted(warnings, 'warning')}"
        )
    raise typer.Exit(exit_code_of_case_files(wrong=bool(found if strict else errors)))


def _described(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "file": console.json_text(str(diagnostic.file)),
        "line": diagnostic.line,
        "column": diagnostic.column,
        "path": console.json_text(diagnostic.path),
        "severity": diagnostic.severity,
        "message": console.json_text(diagnostic.message),
        "hint": console.json_text(diagnostic.hint),
    }
