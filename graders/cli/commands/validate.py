"""What ``grade validate``, ``grade list`` and ``grade schema`` do: say what files hold, without any engine. Prints.

An editor may validate at every stroke, so that what only the other two need is imported when they are called.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from graders.cases import (
    Diagnostic,
    Loaded,
    Severity,
    load,
)
from graders.cases.select import Selection, choose
from graders.errors import ExitCode, NothingSelected
from graders.model.case import Case
from graders.reports.escaping import visible
from graders.reports.terminal import output, print_trimmed

_UNFOLDED = 100_000
_STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow"}


def validate(paths: list[Path], *, strict: bool, json_lines: bool, quiet: bool = False) -> ExitCode:
    """Print what is wrong with case files, and return 2 if anything is.

    Args:
        paths: What to load.
        strict: Whether warnings count.
        json_lines: One JSON object per diagnostic instead of a line.
        quiet: Whether to leave out the count.
    """
    loaded = [load(path) for path in paths]
    found = list(dict.fromkeys(diagnostic for one in loaded for diagnostic in one.diagnostics))
    console = output()
    for diagnostic in found:
        if json_lines:
            print(json.dumps(_described(diagnostic)), flush=True)
        else:
            style = _STYLES[diagnostic.severity]
            console.print(Text(visible(str(diagnostic)), style), soft_wrap=True)
    if not quiet:
        Console(stderr=True, highlight=False).print(_counted(loaded, found))
    wrong = [diagnostic for diagnostic in found if strict or diagnostic.severity is Severity.ERROR]
    return ExitCode.USAGE if wrong else ExitCode.PASSED


def show_cases(paths: list[Path], selection: Selection, *, json_lines: bool) -> ExitCode:
    """Print the cases that are there.

    Raises:
        CaseRefused: If nothing can be loaded.
        NothingSelected: If there are cases and none is meant.
    """
    from graders.cli.commands.grade import complain, warn  # noqa: PLC0415

    loaded = [load(path) for path in paths]
    errors = Console(stderr=True, highlight=False)
    complain(loaded, errors)
    chosen = choose(loaded, selection)
    warn(chosen.idle, errors)
    if not chosen.cases:
        raise NothingSelected("There is no case.", remedy="`grade init DIR` writes one.")
    if json_lines:
        for case in chosen.cases:
            print(json.dumps(_listed(case)), flush=True)
    else:
        console = output()
        if not console.is_terminal:
            console.width = _UNFOLDED
        print_trimmed(console, _table(chosen.cases))
    return ExitCode.USAGE if chosen.errors else ExitCode.PASSED


def show_schema(kind: str, *, as_markdown: bool) -> None:
    """Print the JSON Schema of a case, a suite or a verdict, or the page that describes the first two."""
    from graders.cases.field_tables import markdown  # noqa: PLC0415
    from graders.cases.schema import as_draft_07, file_schema  # noqa: PLC0415
    from graders.model import verdict_document  # noqa: PLC0415

    if as_markdown:
        print(markdown(), end="")
    elif kind == "verdict":
        print(json.dumps(as_draft_07(verdict_document.json_schema(), "gradebox verdict"), indent=2))
    else:
        print(json.dumps(file_schema(kind), indent=2))


def _described(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "file": _text(str(diagnostic.file)),
        "line": diagnostic.line,
        "column": diagnostic.column,
        "path": _text(diagnostic.path),
        "severity": diagnostic.severity,
        "message": _text(diagnostic.message),
        "hint": _text(diagnostic.hint),
    }


def _counted(loaded: list[Loaded], found: list[Diagnostic]) -> str:
    fine = len({case.place for one in loaded for case in one.cases})
    broken = len({case.place for one in loaded for case in one.broken})
    errors = sum(diagnostic.severity is Severity.ERROR for diagnostic in found)
    said = f"{_number(fine, 'case is', 'cases are')} fine"
    if broken:
        said += f", {_number(broken, 'is', 'are')} not"
    if found:
        said += f": {_number(errors, 'error', 'errors')}, {_number(len(found) - errors, 'warning', 'warnings')}"
    return f"{said}."


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _listed(case: Case) -> dict[str, Any]:
    return {
        "id": case.id,
        "category": _text(case.category),
        "conversation_id": _text(case.conversation_id),
        "tags": [_text(tag) for tag in case.tags],
        "target": None if case.target is None else _text(case.target),
        "description": _text(case.description),
        "checks": [
            {"name": _text(check.name), "type": check.type, "weight": check.weight, "required": check.required}
            for check in case.checks
        ],
        "file": _text(str(case.place.file)),
        "line": case.place.line,
        "column": case.place.column,
    }


def _table(cases: tuple[Case, ...]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 2, 0, 0))
    titles = ["id", "category", "tags", "target", "checks", "place"]
    rows = [
        [
            case.id,
            case.category,
            ", ".join(case.tags),
            case.target or "",
            ", ".join(check.name for check in case.checks),
            str(case.place),
        ]
        for case in cases
    ]
    filled = [index for index in range(len(titles)) if any(row[index] for row in rows)]
    for index in filled:
        table.add_column(titles[index], overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(row[index])) for index in filled))
    return table


def _text(text: str) -> str:
    """Return text that any reader of JSON takes: bytes of names that are not UTF-8 become replacement characters."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
