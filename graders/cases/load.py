"""`load`: a path -> cases. Chooses the reader by the kind of file. Mistakes in files are diagnostics, never raised."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Protocol, runtime_checkable

from gradebox.graders.cases.collection import BrokenCase, CaseCollector, Loaded, in_order
from gradebox.graders.cases.discovery import CASE_FILES, CASES_SUFFIXES, Source, case_file, discovered
from gradebox.graders.cases.suite import (
    SUITE_ENDINGS,
    SUITE_FILES,
    is_sidecar,
    is_suite,
    is_suite_name,
    load_suite,
    load_with_sidecar,
    names_case,
)
from gradebox.graders.documents.diagnostics import Findings, shown
from gradebox.graders.documents.paths import checkout_root, exists, is_directory, is_file
from gradebox.graders.documents.plugins import plugins
from gradebox.graders.documents.positions import Document
from gradebox.graders.documents.reader import open_document
from gradebox.graders.documents.suggest import did_you_mean
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.tree import is_of_run

_MOST_PARENTS = 6
_MOST_SUITES_NAMED = 3


@runtime_checkable
class CaseFormat(Protocol):
    """A foreign format whose files are cases: a plug-in of ``gradebox.formats``."""

    CASE_FILES: tuple[str, ...]

    def load_cases(self, file: Path, findings: Findings) -> Loaded:
        """Load the cases of a file with one of the names in `CASE_FILES`. Never raises, whatever the file contains."""


@runtime_checkable
class DocumentFormat(Protocol):
    """A foreign format that recognises its files by their content: a plug-in of ``gradebox.formats``.

    It may also have ``CASE_FILES``. A file with one of these names belongs to the format, whatever its content.
    """

    def reads(self, document: Document) -> bool:
        """Return whether a document is of this format."""

    def load_document(self, document: Document, findings: Findings, environ: Mapping[str, str]) -> Loaded:
        """Load the cases of a document of this format. Never raises, whatever the document contains."""


def load(path: Path, *, environ: Mapping[str, str] | None = None) -> Loaded:
    """Load the case or the cases that a path names.

    A directory is a case directory, or holds a suite, a ``definition.toml`` or case directories. Otherwise every
    ``definition.toml`` below it is a case. If a suite above a case directory names it, the case gets the suite's
    settings.

    Args:
        path: A directory, a case file, a suite, a file of cases (YAML, JSON, JSON lines) or a ``definition.toml``.
        environ: The variables for ``${{ NAME }}``. Default: the process's environment.
    """
    environ = os.environ if environ is None else environ
    # Links are not resolved: a case is reported under the name that the user gave.
    path = Path(os.path.abspath(path))  # noqa: PTH100
    findings = Findings(limited=True)
    collecting = gc.isenabled()
    # Loading makes very many objects and keeps nearly all, so garbage collection would take a third of the time.
    gc.disable()
    try:
        if is_directory(path):
            return _load_directory(path, findings, environ)
        return _load_file(path, findings, environ)
    finally:
        if collecting:
            gc.enable()


def _load_directory(path: Path, findings: Findings, environ: Mapping[str, str]) -> Loaded:
    case = case_file(path, findings)
    if case is not None:
        return _load_case(case, findings, environ)
    suites = list(_suites_in(path))
    if len(suites) > 1 and suites[0].name not in SUITE_FILES:
        names = ", ".join(suite.name for suite in suites)
        findings.error(Place(path), f"this directory has several suites: {names}", hint="Name one of the files.")
    elif suites:
        for other in suites[1:]:
            message = f"skipped: {suites[0].name} beside it is the suite of this directory"
            findings.warning(Place(other), message, hint="Name the file to load it.")
        return _with_other_cases_reported(path, suites[0], _load_file(suites[0], findings, environ))
    elif foreign := next((name for name in formats() if exists(path / name)), None):
        return _load_file(path / foreign, findings, environ)
    else:
        inside = Findings(limited=True)
        found = list(discovered(path, inside))
        if found:
            return _load_cases(found, inside, environ)
        below = list(_foreign_files_below(path, findings))
        if below:
            return _load_foreign(below, findings)
        suites = list(islice(_suites_below(path), _MOST_SUITES_NAMED + 1))
        if len(suites) == 1:
            return _load_file(suites[0], findings, environ)
        if suites:
            names = ", ".join(str(suite.relative_to(path)) for suite in suites[:_MOST_SUITES_NAMED])
            message = f"several suites lie below this directory, such as {names}"
            findings.error(Place(path), message, hint="Name one of them. `grade validate` reads them all.")
            return Loaded(diagnostics=in_order(findings))
        looked_for = ", ".join((*CASE_FILES, SUITE_FILES[0], f"*{SUITE_ENDINGS[0]}", *formats()))
        below_it = " and ".join(files_of_one_case())
        hint = f"Looked for {looked_for}, for {CASE_FILES[0]} in its directories, and for {below_it} at any depth."
        findings.error(Place(path), "no case was found here", hint=hint)
    return Loaded(diagnostics=in_order(findings))


def _with_other_cases_reported(path: Path, suite: Path, loaded: Loaded) -> Loaded:
    """Warn about case directories beside a suite that do not belong to it: the user may want them graded."""
    inside = [source.directory for source in discovered(path, Findings(limited=True)) if source.directory is not None]
    known = {case.directory for case in loaded.cases} | {broken.place.file.parent for broken in loaded.broken}
    others = [file.parent.name for file in inside if file.parent not in known]
    if not others:
        return loaded
    skipped = Findings()
    several = f" and {len(others) - 1} more" if len(others) > 1 else ""
    message = f"skipped: the case {shown(others[0])}{several}, since {suite.name} is the suite of this directory"
    skipped.warning(Place(path), message, hint="Name the case's directory, or list it in the suite's `tests`.")
    return replace(loaded, diagnostics=in_order((*loaded.diagnostics, *skipped)))


def _load_file(path: Path, findings: Findings, environ: Mapping[str, str]) -> Loaded:
    if path.name in CASE_FILES:
        return _load_case(path, findings, environ)
    if foreign := files_of_one_case().get(path.name):
        return foreign.load_cases(path, findings)
    if not exists(path):
        findings.error(Place(path), "does not exist", hint=did_you_mean(path) or "Check the path.")
    elif path.suffix not in CASES_SUFFIXES:
        hint = f"Name a directory, a {', a '.join(formats())}, or a file that ends in {', '.join(CASES_SUFFIXES)}."
        findings.error(Place(path), f"`{shown(path.name)}` is not a file of cases", hint=hint)
    elif path.suffix == ".jsonl":
        return _load_lines(path, findings, environ)
    else:
        document = open_document(path, findings)
        if document is not None:
            return _load_document(path, document, findings, environ)
    return Loaded(diagnostics=in_order(findings))


def _load_document(path: Path, document: Document, findings: Findings, environ: Mapping[str, str]) -> Loaded:
    named = formats().get(path.name)
    for one in _plugins():
        if isinstance(one, DocumentFormat) and (one is named or (named is None and one.reads(document))):
            return one.load_document(document, findings, environ)
    if is_suite(document) or (is_suite_name(path.name) and isinstance(document.root.value, dict)):
        return load_suite(document, findings, environ)
    lines = path.with_suffix(".jsonl")
    if is_sidecar(document) and is_file(lines):
        return _load_lines(lines, findings, environ)
    gathering = CaseCollector(environ, findings=findings)
    gathering.cases_document(document, default_id=path.stem)
    return gathering.loaded()


def formats() -> Mapping[str, object]:
    """Return the foreign formats by the name of the case file."""
    return {name: one for one in _plugins() for name in getattr(one, "CASE_FILES", ())}


def files_of_one_case() -> Mapping[str, CaseFormat]:
    """Return the formats whose files hold one case each, by file name. Several such files form a suite."""
    named = formats().items()
    return {name: one for name, one in named if isinstance(one, CaseFormat) and not isinstance(one, DocumentFormat)}


def _plugins() -> Iterator[object]:
    yield from (plugin.load() for plugin in plugins("gradebox.graders.formats", "gradebox.formats").values())


def _foreign_files_below(path: Path, findings: Findings) -> Iterator[Path]:
    """Yield the case files of foreign formats at any depth, in the order of their paths, none below another."""
    names = files_of_one_case()
    for directory, below, files in os.walk(path):
        place = Path(directory)
        if is_of_run(files):
            below.clear()
            continue
        if any(name in files for name in names):
            below.clear()
            yield place / next(name for name in names if name in files)
            continue
        below[:] = sorted((name for name in below if name != ".git"), key=os.fsencode)
        for name in below:
            if (place / name).is_symlink():
                hint = "Put the directory itself here."
                findings.warning(Place(place / name), "skipped: a symbolic link is not followed", hint=hint)


def _load_foreign(files: Sequence[Path], findings: Findings) -> Loaded:
    """Load many case files of foreign formats as one suite."""
    known = files_of_one_case()
    parts = [known[file.name].load_cases(file, Findings(limited=True)) for file in files]
    first: dict[str, Case] = {}
    broken: list[BrokenCase] = []
    for case in (case for part in parts for case in part.cases):
        other = first.setdefault(case.id, case)
        if other is not case:
            message = f"the case in {other.place} already has the id `{case.id}`"
            duplicate = Findings()
            duplicate.error(case.place, message, path="id", hint="Give each case a name of its own.")
            broken.append(BrokenCase(case.id, case.place, in_order(duplicate)))
    found = [
        *(one for part in parts for one in part.diagnostics),
        *(one for case in broken for one in case.diagnostics),
    ]
    return Loaded(
        tuple(first.values()),
        (*(case for part in parts for case in part.broken), *broken),
        in_order((*findings, *found)),
    )


def _load_lines(path: Path, findings: Findings, environ: Mapping[str, str]) -> Loaded:
    sidecars = (path.with_suffix(suffix) for suffix in (".yaml", ".yml"))
    sidecar = next((beside for beside in sidecars if is_file(beside)), None)
    loaded = load_with_sidecar(sidecar, path, findings, environ) if sidecar else None
    if loaded is not None:
        return loaded
    gathering = CaseCollector(environ, findings=findings)
    gathering.cases_file(path)
    return gathering.loaded()


def _load_case(file: Path, findings: Findings, environ: Mapping[str, str]) -> Loaded:
    return _load_cases([Source(directory=file)], findings, environ)


def _load_cases(found: Sequence[Source], findings: Findings, environ: Mapping[str, str]) -> Loaded:
    """Load sibling case directories, as part of a suite if one names them."""
    files = [source.directory for source in found if source.directory is not None]
    for parent in _parents(files[0].parent):
        naming = [suite for suite in _suites_in(parent) if _names(suite, files[0], findings, environ)]
        if len(naming) > 1:
            names = ", ".join(str(suite) for suite in naming)
            findings.error(Place(files[0]), f"several suites name this case: {names}", hint="Grade one of the suites.")
            return Loaded(diagnostics=in_order(findings))
        document = open_document(naming[0], findings) if naming else None
        if document is not None:
            return load_suite(document, findings, environ, found)
    gathering = CaseCollector(environ, findings=findings, partial=len(found) == 1)
    for file in files:
        gathering.case_directory(file)
    return gathering.loaded()


def _names(suite: Path, file: Path, findings: Findings, environ: Mapping[str, str]) -> bool:
    named = names_case(suite, file, environ)
    if named is None:
        message = "cannot be read, so it is unknown what it shares with its cases"
        findings.warning(Place(suite), message, hint=f"Fix it; until then {file.parent.name} is graded alone.")
    return bool(named)


def _parents(directory: Path) -> Iterator[Path]:
    """Yield the directories above a case whose suites may name it, up to the root of the checkout."""
    root = checkout_root(directory)
    for parent in directory.parents[:_MOST_PARENTS]:
        yield parent
        if parent == root:
            return


def _suites_below(directory: Path) -> Iterator[Path]:
    for place, below, files in os.walk(directory):
        below[:] = sorted(name for name in below if not name.startswith(".") and name != "node_modules")
        if is_of_run(files):
            below.clear()
            continue
        yield from _suites_in(Path(place))


def _suites_in(directory: Path) -> Iterator[Path]:
    """Yield the suites in a directory, the default one (`SUITE_FILES`) first."""
    try:
        with os.scandir(directory) as entries:
            names = [entry.name for entry in entries if is_suite_name(entry.name)]
    except OSError:
        return
    for name in sorted(names, key=lambda name: (name not in SUITE_FILES, name)):
        yield directory / name
