"""The formats of reports, and the files that reports are written to.

A format is a module or a folder `NAME_report` in this package, or an entry point `NAME` of the group
``gradebox.reports``. It has a function `report(run)`, which takes a saved run and yields pieces of text. It is imported
when it is used; it needs no engine, and can be made at any time after the run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from graders.documents.plugins import Plugin, plugins
from graders.documents.suggest import suggestion
from graders.errors import GraderError, RunRefused, UsageRefused

if TYPE_CHECKING:
    # Completion and help need only the names of formats.
    from graders.runs.saved_run import SavedRun

GROUP = "gradebox.reports"
_SUFFIX = "_report"

Format: TypeAlias = "Callable[[SavedRun], Iterator[str]]"


class ReportFile(NamedTuple):
    """A report that is written when a run has finished."""

    form: str
    place: Path


def formats() -> Mapping[str, Plugin]:
    """Return the formats by name, in the order of names. Imports none of them."""
    own, others = {}, {}
    for name, plugin in plugins(__package__, GROUP).items():
        if plugin.origin != f"{__package__}.{name}":
            others[name] = plugin
        elif name.endswith(_SUFFIX):
            own[name.removesuffix(_SUFFIX)] = plugin
    return dict(sorted({**others, **own}.items()))


def load_format(name: str) -> Format:
    """Return the function of a format.

    Raises:
        UsageRefused: If there is no such format.
        GraderError: If it comes from another distribution and cannot be used.
    """
    check_format(name)
    plugin = formats()[name]
    loaded = plugin.load()
    report: Format = getattr(loaded, "report", loaded)
    if not callable(report):
        raise GraderError(
            f"The report format {name} of {plugin.origin} has no function `report`.",
            remedy="Update or uninstall that distribution.",
        )
    return report


def check_format(name: str) -> None:
    """Refuse an unknown format.

    Raises:
        UsageRefused: If there is no format of this name.
    """
    if name not in formats():
        raise UsageRefused(f"There is no report format {name}.", remedy=suggestion(name, formats()))


def parse_report_options(words: Iterable[str]) -> tuple[ReportFile, ...]:
    """Read ``FORMAT=PATH`` words of a command line.

    Raises:
        UsageRefused: If there is no such format, or no path.
    """
    found = []
    for word in words:
        form, equals, place = word.partition("=")
        if not (equals and place):
            raise UsageRefused(f"--report takes FORMAT=PATH, not {word}.", remedy="Such as --report junit=results.xml.")
        check_format(form)
        found.append(ReportFile(form, Path(place)))
    return tuple(found)


def check_places(files: Iterable[ReportFile]) -> None:
    """Refuse paths that visibly cannot be written, before hours of grading and not after them.

    Raises:
        UsageRefused: If there is one.
    """
    for _, place in files:
        try:
            reason = _obstacle(place)
        except OSError as error:
            reason = error.strerror or str(error)
        if reason:
            raise UsageRefused(f"The report {place} cannot be written: {reason}.", remedy="Name another place for it.")


def _obstacle(place: Path) -> str:
    there = next(path for path in (place, *place.parents, Path()) if path.exists())
    if there == place and place.is_dir():
        return "Is a directory"
    if there != place and not there.is_dir():
        return "Not a directory"
    writable = os.access(there.parent if there == place and not _in_place(place) else there, os.W_OK)
    return "" if writable else "Permission denied"


def save_report(run: SavedRun, form: str, place: Path) -> None:
    """Write a report of a run. Readers of the file see the old report or the new one, never half of one.

    A device, a pipe or a link is written into and not replaced by a file.

    Raises:
        UsageRefused: If there is no such format.
        RunRefused: If the file cannot be written.
    """
    report = load_format(form)
    in_place = _in_place(place)
    unfinished = place if in_place else place.with_name(f".{place.name}.{os.getpid()}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(report(run))
        if not in_place:
            unfinished.replace(place)
    except OSError as error:
        if not in_place:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
        raise RunRefused(f"The report {place} cannot be written: {error.strerror}.") from error


def _in_place(place: Path) -> bool:
    return place.is_symlink() or (place.exists() and not place.is_file())
