"""Finds the sources of a suite's cases: the directories and files that `tests` names, in the order of grading.

In a directory, each immediate subdirectory with a ``case.yaml`` is a case, in bytewise order of the names. Skipped
entries are reported; symbolic links are not followed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from gradebox.graders.documents import globs
from gradebox.graders.documents.diagnostics import DocumentPath, Findings, shown
from gradebox.graders.documents.interpolation import interpolate
from gradebox.graders.documents.paths import LONGEST_PATH, exists, is_directory
from gradebox.graders.documents.positions import Document
from gradebox.graders.documents.reader import Reader
from gradebox.graders.documents.suggest import did_you_mean
from gradebox.graders.model.case import Place
from gradebox.graders.model.tree import RUN_RECORD, RUN_RESULTS

CASE_FILES = ("case.yaml", "case.yml")
CASES_SUFFIXES = (".yaml", ".yml", ".json", ".jsonl")
_GLOB = frozenset("*?[")
_FILE_SCHEME = "file://"


class Source(NamedTuple):
    """The source of one or several cases: the suite itself, a case directory, or a file of cases."""

    path: DocumentPath = ()
    # The case file of a case directory.
    directory: Path | None = None
    file: Path | None = None
    # The document that a foreign format made, with its mistakes.
    document: Document | None = None
    findings: Findings | None = None
    # For an include: the wanted ids, and whether the cases keep the shared fields of the included suite.
    select: tuple[str, ...] = ()
    is_suite: bool = False


def sources(reader: Reader, tests: Any, path: DocumentPath) -> Iterator[Source]:
    """Yield the sources that `tests` names; report invalid values."""
    if isinstance(tests, str):
        yield from _named(reader, tests, path)
        return
    if not isinstance(tests, list):
        reader.error(path, "`tests` must be a list of cases, a file or a directory", "Write `tests: ./cases/`.")
        return
    if not tests:
        reader.error(path, "`tests` must not be empty", "Write a case in it.")
    for index, test in enumerate(tests):
        if isinstance(test, str):
            yield from _named(reader, test, (*path, index))
        elif isinstance(test, dict) and "include" in test:
            yield from _included(reader, test, (*path, index))
        else:
            yield Source(path=(*path, index))


def _included(reader: Reader, written: Any, path: DocumentPath) -> Iterator[Source]:
    """Yield the sources of an entry such as ``{include: GLOB, type: suite, select: IDS}``."""
    from gradebox.graders.cases.includes import INCLUDE  # noqa: PLC0415 - few suites include anything

    entry = reader.read(INCLUDE, written, path)
    if entry is not None:
        for source in _named(reader, entry.include, (*path, "include")):
            yield source._replace(path=path, select=entry.select, is_suite=entry.type == "suite")


def discovered(directory: Path, findings: Findings) -> Iterator[Source]:
    """Yield the case directories in a directory."""
    try:
        with os.scandir(directory) as entries:
            names = sorted(entries, key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        findings.error(Place(directory), f"cannot be read: {error.strerror}", hint="Check its permissions.")
        return
    for entry in names:
        place = Place(directory / entry.name)
        if entry.is_symlink():
            findings.warning(place, "skipped: a symbolic link is not followed", hint="Put the case itself here.")
        elif not entry.is_dir():
            continue
        elif entry.name.startswith("."):
            findings.warning(place, "skipped: a hidden directory", hint="Rename it if it is a case.")
        else:
            file = case_file(directory / entry.name, findings)
            if file is None and not _holds_runs(directory / entry.name):
                hint = f"Write {CASE_FILES[0]} in it if it is a case."
                findings.warning(place, f"skipped: a directory without {CASE_FILES[0]}", hint=hint)
            elif file is not None:
                yield Source(directory=file)


def _holds_runs(directory: Path) -> bool:
    """Return whether a directory is a run directory, or contains one."""
    inside = chain((directory,), (file.parent for file in directory.glob(f"*/{RUN_RECORD}")))
    return any(exists(each / RUN_RECORD) and exists(each / RUN_RESULTS) for each in inside)


def case_file(directory: Path, findings: Findings) -> Path | None:
    """Return the case file of a directory."""
    present = [directory / name for name in CASE_FILES if exists(directory / name)]
    if len(present) > 1:
        findings.warning(Place(present[1]), f"skipped: {present[0].name} beside it is the case", hint="Remove one.")
    return present[0] if present else None


def resolved(reader: Reader, written: str) -> Path | None:
    """Return the absolute path that `tests` names, None if it names an unset variable or cannot be a path."""
    text, unset = interpolate(written, reader.environ)
    text = text.strip().removeprefix(_FILE_SCHEME)
    if unset or not text or "\0" in text or len(text) > LONGEST_PATH:
        return None
    return Path(os.path.normpath(reader.document.file.parent / text))


def is_pattern(path: Path) -> bool:
    """Return whether a path is a glob. An existing path with brackets in its name is not."""
    return bool(_GLOB & set(str(path))) and not exists(path)


def _named(reader: Reader, written: str, path: DocumentPath) -> Iterator[Source]:
    target = resolved(reader, written)
    if target is None:
        unset = interpolate(written, reader.environ).unset
        message = f"names the environment variable {unset[0]}, which is not set" if unset else "must be a path"
        reader.error(path, f"`tests` {message}", "Set it." if unset else "Write `./cases/`.")
    elif is_pattern(target):
        matches = globs.expand(target)
        if not matches:
            hint = f"It is looked up from {reader.document.file.parent}."
            reader.error(path, f"no file matches `{shown(written)}`", hint)
        for match in matches:
            yield from _existing(reader, match, path, in_glob=True)
    elif not exists(target):
        hint = did_you_mean(target) or f"It is looked up from {reader.document.file.parent}."
        reader.error(path, f"`{shown(written)}` does not exist", hint)
    else:
        yield from _existing(reader, target, path)


def _existing(reader: Reader, target: Path, path: DocumentPath, *, in_glob: bool = False) -> Iterator[Source]:
    if is_directory(target):
        file = case_file(target, reader.findings)
        if file is not None:
            yield Source(directory=file)
        else:
            yield from _cases_in(reader, target, path, in_glob=in_glob)
    elif target.name in CASE_FILES:
        yield Source(directory=target)
    elif target == reader.document.file:
        message = f"`{shown(target.name)}` names itself as the file of its cases"
        reader.error(path, message, "Name the file that holds them.")
    elif target.suffix in CASES_SUFFIXES:
        yield Source(file=target)
    elif in_glob:
        reader.findings.warning(Place(target), "skipped: not a file of cases", hint="Narrow the glob.")
    else:
        hint = f"It must end in {', '.join(CASES_SUFFIXES)}, or be a directory."
        reader.error(path, f"`{shown(str(target))}` is not a file of cases", hint)


def _cases_in(reader: Reader, directory: Path, path: DocumentPath, *, in_glob: bool) -> Iterator[Source]:
    found = list(discovered(directory, reader.findings))
    yield from found
    if not found and in_glob:
        reader.findings.warning(Place(directory), f"skipped: no {CASE_FILES[0]} in it", hint="Narrow the glob.")
    elif not found:
        message = f"`{shown(str(directory))}` has no cases"
        reader.error(path, message, f"Each case is a directory in it with {CASE_FILES[0]}.")
