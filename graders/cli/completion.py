"""The words that a shell completes after an option. What knows them is imported then, not when ``grade`` starts."""

from __future__ import annotations


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
