"""``grade list``: the cases of files and directories, without any engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gradebox.graders.cli import console
from gradebox.graders.cli.help import command_app, examples
from gradebox.graders.cli.options import ExcludeTagOption, IdOption, PathsArgument, TagOption, WhereOption
from gradebox.graders.errors import NothingSelected, exit_code_of_case_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradebox.graders.model.case import Case, CaseCheck

app = command_app()


@app.command(epilog=examples("grade list cases --tag python", "grade list cases -k 'auth-*' --json"))
def list_cases(
    paths: PathsArgument,
    ids: IdOption = None,
    tags: TagOption = None,
    excluded: ExcludeTagOption = None,
    where: WhereOption = None,
    json_lines: Annotated[bool, typer.Option("--json", help="Print one JSON object per case, one per line.")] = False,
) -> None:
    """List cases with their tags, checks and files."""
    from gradebox.graders.cli.selection import load_and_select, selection_of

    chosen = load_and_select(paths, selection_of(ids, tags, excluded, where)).chosen
    if not chosen.cases:
        raise NothingSelected("There is no case.", remedy="`grade init DIR` creates one.")
    if json_lines:
        for case in chosen.cases:
            print(console.json_line(_described(case)), flush=True)
    else:
        _print_table(chosen.cases)
    raise typer.Exit(exit_code_of_case_files(wrong=bool(chosen.errors)))


def _described(case: Case) -> dict[str, Any]:
    return {
        "id": case.id,
        "category": case.category,
        "tags": case.tags,
        "target": case.target,
        **case.about,
        "checks": [
            *(_check(check) for check in case.checks),
            *({**_check(check), "turn": turn} for turn, check in _turn_checks(case)),
        ],
        "file": str(case.place.file),
        "line": case.place.line,
        "column": case.place.column,
    }


def _check(check: CaseCheck) -> dict[str, Any]:
    return {"name": check.name, "type": check.type, "weight": check.weight, "required": check.required}


def _turn_checks(case: Case) -> Iterator[tuple[int, CaseCheck]]:
    """Yield the checks of a conversation's turns, with the numbers of these."""
    for number, turn in enumerate(case.turns, 1):
        yield from ((number, check) for check in turn.checks)


def _print_table(cases: tuple[Case, ...]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from gradebox.graders.reports.escaping import visible
    from gradebox.graders.reports.terminal import output, print_trimmed

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 2, 0, 0))
    rows = [
        {
            "id": case.id,
            "category": case.category,
            "tags": ", ".join(case.tags),
            "target": case.target or "",
            "checks": ", ".join(
                [check.name for check in case.checks]
                + [f"{check.name} (turn {turn})" for turn, check in _turn_checks(case)]
            ),
            "place": str(case.place),
        }
        for case in cases
    ]
    titles = [title for title in rows[0] if any(row[title] for row in rows)]
    for title in titles:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(row[title])) for title in titles))
    print_trimmed(output(whole_lines=True), table)
