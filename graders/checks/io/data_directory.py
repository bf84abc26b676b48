"""Directories of test data: `NAME.in` with `NAME.ans` or `NAME.out`. Subdirectories are groups of tests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_ANSWERS = (".ans", ".out")
_DIGITS = re.compile(r"(\d+)")


class DataFiles(NamedTuple):
    """The files of one test; `group` is their directory, relative to the directory of all tests."""

    name: str
    group: str
    input: Path
    answer: Path | None


def pairs(directory: Path) -> tuple[DataFiles, ...]:
    """Return the tests of a directory by name, with numbers in numeric order.

    Raises OSError if the directory cannot be read.
    """
    found = sorted((path for path in directory.rglob("*.in") if path.is_file()), key=lambda path: _order(str(path)))
    return tuple(_pair(path, directory) for path in found)


def _pair(path: Path, directory: Path) -> DataFiles:
    place = path.relative_to(directory).with_suffix("")
    group = place.parent.as_posix()
    answers = (path.with_suffix(suffix) for suffix in _ANSWERS)
    return DataFiles(place.as_posix(), "" if group == "." else group, path, next(filter(Path.is_file, answers), None))


def _order(text: str) -> list[tuple[int, str]]:
    parts = _DIGITS.split(text)
    return [(int(part), "") if number % 2 else (0, part) for number, part in enumerate(parts)]
