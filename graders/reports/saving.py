"""Writes reports of saved runs to files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from graders.documents.suggest import suggestion
from graders.errors import RunRefused, UsageRefused
from graders.reports.formats import FORMATS
from graders.runs.reading import SavedRun


class Wanted(NamedTuple):
    """A report that is written when a run is over."""

    form: str
    place: Path


def wanted_of(words: Iterable[str]) -> tuple[Wanted, ...]:
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
        found.append(Wanted(form, Path(place)))
    return tuple(found)


def check_format(form: str) -> None:
    """Refuse a format that there is not.

    Raises:
        UsageRefused: If there is none of this name.
    """
    if form not in FORMATS:
        raise UsageRefused(f"There is no report format {form}.", remedy=suggestion(form, FORMATS))


def check_places(wanted: Iterable[Wanted]) -> None:
    """Refuse what can be seen to be no place for a report, before a night of grading and not after it.

    Raises:
        UsageRefused: If there is such a one.
    """
    for _, place in wanted:
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
    """Write a report of a run; whoever reads the file finds the old report or the new one, never half of one.

    A device, a pipe or a link is written into instead: a file in its place would not be what was asked for.

    Raises:
        RunRefused: If the file cannot be written.
    """
    in_place = _in_place(place)
    unfinished = place if in_place else place.with_name(f".{place.name}.{os.getpid()}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("w", encoding="utf-8", newline="") as stream:
            for piece in FORMATS[form](run):
                stream.write(piece)
        if not in_place:
            unfinished.replace(place)
    except OSError as error:
        if not in_place:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
        raise RunRefused(f"The report {place} cannot be written: {error.strerror}.") from error


def _in_place(place: Path) -> bool:
    return place.is_symlink() or (place.exists() and not place.is_file())
