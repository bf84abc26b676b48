"""The words that a shell completes after an option. Imports happen during completion, not when ``grade`` starts."""

from __future__ import annotations

from pathlib import Path

from typer import Context


def displays() -> list[str]:
    from gradebox.graders.cli.display import Display

    return list(Display)


def log_formats() -> list[str]:
    from gradebox.graders.cli.logs import LogFormat

    return list(LogFormat)


def profiles() -> list[str]:
    from gradebox.sandbox.profiles import SELECTABLE

    return [*SELECTABLE, *(f"{profile.name}!" for profile in SELECTABLE.values() if profile.runtimes)]


def report_formats() -> list[str]:
    from gradebox.graders.reports.report_formats import formats

    return list(formats())


def isolations() -> list[str]:
    from gradebox.graders.model.crossing import Isolation

    return list(Isolation)


def images() -> list[str]:
    from gradebox.graders.languages.image_catalogue import image_catalogue

    return list(image_catalogue().names)


def runs() -> list[str]:
    from gradebox.graders.runs.history.run_names import LATEST, RUNS, runs_below

    return [LATEST, *(run.name for run in reversed(runs_below(RUNS)))]


def cases(ctx: Context) -> list[str]:
    """Return the ids of the cases that a command line names."""
    from contextlib import redirect_stderr
    from io import StringIO

    from gradebox.graders.cases import load

    named = ctx.params.get("case") or ctx.params.get("paths") or ctx.args
    # Words and case files may be incomplete while a user types, so mistakes are not shown.
    with redirect_stderr(StringIO()):
        return [case.id for path in named for case in load(Path(path)).cases]


def cases_of_run(ctx: Context) -> list[str]:
    """Return the ids of the cases with verdicts in the run that a command line names."""
    from gradebox.graders.errors import RunRefused
    from gradebox.graders.runs.history.run_names import find_run
    from gradebox.graders.runs.saved_run import read_run

    try:
        return list(dict.fromkeys(key.case for key in read_run(find_run(ctx.params["run"])).verdicts))
    except (RunRefused, KeyError, TypeError):
        # The name of the run may also be incomplete.
        return []
