"""The formats of reports, and the files that reports are written to.

A format is a module or a folder `NAME_report` in this package, or an entry point `NAME` of the group
``gradebox.reports``. Its function `report(run)` takes a saved run and yields pieces of text. A format of several files
also has `write(run, directory)`. Formats are imported when they are used. A report needs no engine, so it can be made
at any time after the run.

A format whose reports depend on `ReportSettings` also has `with_settings(run, settings)`, and with several files
`write_with_settings(run, directory, settings)`. `candidate_report` makes the reports that candidates read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gradebox.graders.documents.plugins import Plugin, plugins
from gradebox.graders.documents.suggest import suggestion
from gradebox.graders.errors import GraderError, RunRefused, UsageRefused
from gradebox.graders.reports.report_settings import AS_USUAL, ReportSettings

if TYPE_CHECKING:
    # Completion and help need only the names of formats.
    from gradebox.graders.runs.saved_run import SavedRun

GROUP = "gradebox.reports"
_SUFFIX = "_report"

Format: TypeAlias = "Callable[[SavedRun], Iterator[str]]"


class ReportFile(NamedTuple):
    """A report to write when a run has finished."""

    format_name: str
    path: Path


def formats() -> Mapping[str, Plugin]:
    """Return the formats by name, in the order of names, without importing them."""
    own, others = {}, {}
    for name, plugin in plugins(__package__, GROUP).items():
        if plugin.origin != f"{__package__}.{name}":
            others[name] = plugin
        elif name.endswith(_SUFFIX):
            own[name.removesuffix(_SUFFIX)] = plugin
    return dict(sorted({**others, **own}.items()))


def check_audience(names: Iterable[str], settings: ReportSettings) -> None:
    """Raise `UsageRefused` if a format would show candidates what they must not see."""
    if not settings.for_candidates:
        return
    from gradebox.graders.reports.candidate_report.candidate_forms import FORMS  # noqa: PLC0415 - few runs are for them

    for name in names:
        check_format(name)
        if name not in FORMS:
            remedy = f"Use {', '.join(FORMS)}; candidate=DIR writes a page for each submission."
            raise UsageRefused(f"There is no {name} report for candidates.", remedy=remedy)


def check_reports(files: Sequence[ReportFile], settings: ReportSettings) -> None:
    """Check before hours of grading, and not after them, that reports can be written.

    Raises UsageRefused for a path that visibly cannot be written, a format that its audience must not see, or a mistake
    in the course file or the roster.
    """
    check_places(files)
    check_audience((file.format_name for file in files), settings)
    if settings.course is not None:
        from gradebox.graders.reports.gradebook_report.course_file import read_course  # noqa: PLC0415 - few have one

        read_course(settings.course)
    if settings.roster is not None:
        from gradebox.graders.reports.gradebook_report.roster import read_roster  # noqa: PLC0415 - few have one

        read_roster(settings.roster)


def pieces(run: SavedRun, name: str, settings: ReportSettings = AS_USUAL) -> Iterator[str]:
    """Return the pieces of a report. Raises a `GraderError` if there is no such format, or none for the audience."""
    check_audience([name], settings)
    if settings.for_candidates:
        from gradebox.graders.reports.candidate_report.candidate_forms import FORMS  # noqa: PLC0415 - rarely needed

        return FORMS[name](run, settings)
    made: Callable[[SavedRun, ReportSettings], Iterator[str]] | None = getattr(_loaded(name)[1], "with_settings", None)
    return load_format(name)(run) if made is None else made(run, settings)


def load_format(name: str) -> Format:
    """Return the function of a format. Raises a `GraderError` if there is none, or it cannot be used."""
    plugin, loaded = _loaded(name)
    report: Format = getattr(loaded, "report", loaded)
    if not callable(report):
        message = f"The report format {name} of {plugin.origin} has no function `report`."
        raise GraderError(message, remedy="Update or uninstall that distribution.")
    return report


def _loaded(name: str) -> tuple[Plugin, Any]:
    check_format(name)
    plugin = formats()[name]
    return plugin, plugin.load()


def check_format(name: str) -> None:
    """Raise `UsageRefused` if there is no format of this name."""
    if name not in formats():
        raise UsageRefused(f"There is no report format {name}.", remedy=suggestion(name, formats()))


def parse_report_options(words: Iterable[str]) -> tuple[ReportFile, ...]:
    """Read ``FORMAT=PATH`` words of a command line. Raises `UsageRefused` if there is no such format, or no path."""
    found = []
    for word in words:
        format_name, equals, path = word.partition("=")
        if not (equals and path):
            raise UsageRefused(
                f"--report takes FORMAT=PATH, not {word}.", remedy="For example: --report junit=results.xml."
            )
        check_format(format_name)
        found.append(ReportFile(format_name, Path(path)))
    return tuple(found)


def check_places(files: Iterable[ReportFile]) -> None:
    """Raise `UsageRefused` before hours of grading if a path visibly cannot be written."""
    for format_name, path in files:
        try:
            # A format is imported only if the path exists.
            is_directory = path.exists() and hasattr(_loaded(format_name)[1], "write")
            reason = _obstacle(path, is_directory=is_directory)
        except OSError as error:
            reason = error.strerror or str(error)
        if reason:
            raise UsageRefused(f"The report {path} cannot be written: {reason}.", remedy="Name another place for it.")


def _obstacle(path: Path, *, is_directory: bool) -> str:
    there = next(one for one in (path, *path.parents, Path()) if one.exists())
    if there == path and path.is_dir() and not is_directory:
        return "Is a directory"
    if not there.is_dir() and (there != path or is_directory):
        return "Not a directory"
    writable = os.access(there.parent if there == path and not _in_place(path) else there, os.W_OK)
    return "" if writable else "Permission denied"


def save_report(run: SavedRun, format_name: str, path: Path, settings: ReportSettings = AS_USUAL) -> None:
    """Write a report of a run. Readers of the file see the old report or the new one, never half of one.

    A device, a pipe or a link is not replaced by a file: the report is written into it. A format of several files
    writes a directory. Raises UsageRefused if there is no such format, and RunRefused if a file cannot be written.
    """
    loaded = _loaded(format_name)[1]
    if write := getattr(loaded, "write", None):
        check_audience([format_name], settings)
        try:
            if by_settings := getattr(loaded, "write_with_settings", None):
                by_settings(run, path, settings)
            else:
                write(run, path)
        except OSError as error:
            raise RunRefused(f"The report {path} cannot be written: {error.strerror}.") from error
        return
    report = pieces(run, format_name, settings)
    in_place = _in_place(path)
    unfinished = path if in_place else path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(report)
        if not in_place:
            unfinished.replace(path)
    except OSError as error:
        if not in_place:
            with suppress(OSError):
                unfinished.unlink()
        raise RunRefused(f"The report {path} cannot be written: {error.strerror}.") from error


def _in_place(path: Path) -> bool:
    return path.is_symlink() or (path.exists() and not path.is_file())
