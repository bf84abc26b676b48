"""``grade runs``: list, remove, export and import runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradebox.graders.cli import console
from gradebox.graders.cli.help import command_app, examples
from gradebox.graders.cli.options import RunArgument, option, run_argument
from gradebox.graders.errors import RunRefused, UsageRefused

if TYPE_CHECKING:
    from gradebox.graders.runs.history.run_list import ListedRun
    from gradebox.graders.runs.history.run_names import FoundRun

BelowOption = Annotated[Path, option(None, "--runs DIR", "The directory of the runs.")]
RUNS = Path("runs")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_MINUTES = (("w", 7 * 24 * 60), ("d", 24 * 60), ("h", 60), ("min", 1))
# On a narrower terminal, the age alone says when.
_WIDE_COLUMNS = 100
_GAP = 3
_LEAST_WHAT = 10

app = command_app()


@app.callback(invoke_without_command=True, epilog=examples("grade runs", "grade runs --json"))
def runs(
    context: typer.Context,
    root: BelowOption = RUNS,
    json_lines: Annotated[bool, typer.Option("--json", help="Print one JSON object per run, one per line.")] = False,
) -> None:
    """List, remove, export and import runs.

    Without a command, lists the runs, the newest first: what was graded, when, the verdicts, and the size.
    """
    if context.invoked_subcommand is not None:
        return
    from gradebox.graders.runs.history.run_list import listed_run
    from gradebox.graders.runs.history.run_names import runs_below

    found = [listed_run(run) for run in reversed(runs_below(root))]
    if json_lines:
        for run in found:
            print(console.json_line(run.described()), flush=True)
    elif found:
        _print_table(found)
    else:
        console.say(f"There is no run in {root}.")


@app.command(epilog=examples("grade runs rm latest", "grade runs rm nightly 20260131"))
def rm(
    runs: Annotated[list[Path], run_argument("Runs: latest, names, beginnings of names, or paths.", "RUN...")],
) -> None:
    """Remove runs with their evidence."""
    from gradebox.graders.runs.history.run_names import find_run
    from gradebox.graders.runs.history.run_removal import refuse_kept, remove

    directories = list(dict.fromkeys(map(find_run, runs)))
    # All or none: nothing is removed if one of them is misspelt.
    for directory in directories:
        refuse_kept(directory)
    for directory in directories:
        remove(directory)
        console.say(f"removed {directory}")


@app.command(epilog=examples("grade runs prune --keep 20", "grade runs prune --older-than 30d --yes"))
def prune(
    keep: Annotated[int | None, option(None, "--keep N", "Keep the newest N runs.", min=0)] = None,
    older_than: Annotated[
        str | None, option(None, "--older-than AGE", "Remove runs that began longer ago, such as 30d, 12h or 4w.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    root: BelowOption = RUNS,
) -> None:
    """Remove old runs, except those with a name.

    With both options, removes only runs that both select. Asks before it removes anything.
    """
    from gradebox.graders.runs.history.run_names import runs_below
    from gradebox.graders.runs.history.run_removal import outdated, remove

    if keep is None and older_than is None:
        raise UsageRefused("Say what to remove: --keep N or --older-than AGE.")
    age = None if older_than is None else _age(older_than)
    found = outdated(runs_below(root), datetime.now(UTC), keep, age)
    if not found:
        console.say("There is nothing to remove.")
        return
    if not yes:
        _ask(found)
    for run in found:
        try:
            remove(run.directory)
            console.say(f"removed {run.directory}")
        except RunRefused as refused:
            console.warn(f"kept {run.directory}: {refused}")


@app.command(epilog=examples("grade runs export latest run.tar.gz"))
def export(
    run: RunArgument, file: Annotated[Path, typer.Argument(help="The archive to write.", metavar="FILE.tar.gz")]
) -> None:
    """Write a run into one file, with all its evidence."""
    from gradebox.graders.runs.history.run_archive import export_run
    from gradebox.graders.runs.history.run_names import find_run

    export_run(find_run(run), file)


@app.command("import", epilog=examples("grade runs import run.tar.gz", "grade runs import run.tar.gz --name theirs"))
def import_archive(
    file: Annotated[Path, typer.Argument(help="An archive that `grade runs export` wrote.", metavar="FILE")],
    name: Annotated[str, option(None, "--name NAME", "Name of the run. Default: the one it had.")] = "",
    root: BelowOption = RUNS,
) -> None:
    """Make a run directory from an exported run.

    The archive may come from anybody: it is unpacked within limits, and only if it holds a run and nothing else.
    """
    from gradebox.graders.runs.history.run_archive import import_run
    from gradebox.graders.runs.history.run_names import refuse_name

    if name:
        refuse_name(name, root)
    console.say(f"run directory: {import_run(file, root, name)}")


def _age(text: str) -> timedelta:
    found = re.fullmatch(r"([0-9]{1,6})([mhdw])", text)
    if not found:
        raise UsageRefused(f"--older-than {text} is not an age.", remedy="Write 30d, 12h, 4w or 90m.")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def _ask(found: Sequence[FoundRun]) -> None:
    for run in found:
        console.say(str(run.directory))
    question = f"Remove {console.counted(len(found), 'run')}?"
    if not sys.stdin.isatty():
        raise UsageRefused("Nothing was removed.", remedy="Add --yes to remove these runs.")
    if not typer.confirm(question, err=True):
        raise typer.Abort


def _print_table(found: Sequence[ListedRun]) -> None:
    from gradebox.graders.reports.escaping import visible
    from gradebox.graders.reports.terminal import Cell, Column, output, print_lines, table

    terminal = output()
    wide = terminal.width >= _WIDE_COLUMNS
    now = datetime.now(UTC)
    columns = [Column("run", least=12), Column("began"), Column("age", right=True), Column("size", right=True)]
    columns += [Column("verdicts", least=12), Column("what", least=12)]
    rows = [
        [
            Cell(visible(run.run)),
            Cell(f"{run.started.astimezone():%Y-%m-%d %H:%M}"),
            Cell(_since(now - run.started)),
            Cell(_size(run.size_bytes)),
            Cell(_came_to(run)),
            Cell(visible(run.what)),
        ]
        for run in found
    ]
    if not wide:
        del columns[1]
        for row in rows:
            del row[1]
        # A line for each run: what does not fit is in --json.
        taken = sum(max(len(row[place].text) for row in rows) + _GAP for place in range(len(columns) - 1))
        room = max(terminal.width - taken, _LEAST_WHAT)
        rows = [[*row[:-1], Cell(row[-1].text[:room])] for row in rows]
    print_lines(terminal, table(columns, rows, terminal))


def _came_to(run: ListedRun) -> str:
    from gradebox.graders.reports.escaping import visible

    if run.problem:
        return visible(run.problem)
    counts = ", ".join(f"{count} {verdict.replace('_', ' ')}" for verdict, count in run.verdicts.items()) or "none"
    missing = run.gradings is not None and sum(run.verdicts.values()) < run.gradings
    return f"{counts}{f' of {run.gradings}' if missing else ''}{', running' if run.running else ''}"


def _since(age: timedelta) -> str:
    minutes = int(age.total_seconds() // 60)
    return next((f"{minutes // unit} {word}" for word, unit in _MINUTES if minutes >= unit), "now")


def _size(size_bytes: int) -> str:
    for unit, name in ((1e9, "GB"), (1e6, "MB")):
        if size_bytes >= unit:
            return f"{size_bytes / unit:.1f} {name}"
    return f"{size_bytes / 1e3:.0f} kB"
