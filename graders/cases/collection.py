"""The result of loading a path, collected case by case, so that a broken case stops no other."""

from __future__ import annotations

import graphlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from gradebox.graders.cases.case_fields import CaseEntry
from gradebox.graders.cases.case_file import Origin, read_case, written_id
from gradebox.graders.cases.discovery import Source
from gradebox.graders.cases.shared import Shared
from gradebox.graders.documents.diagnostics import Diagnostic, DocumentPath, Findings, Severity, TooManyErrors, shown
from gradebox.graders.documents.entries import spellings
from gradebox.graders.documents.json import read_json
from gradebox.graders.documents.positions import Document, data
from gradebox.graders.documents.reader import Reader, open_document, parsed, read_lines
from gradebox.graders.documents.suggest import misspelt
from gradebox.graders.model.case import Case, Place
from gradebox.sandbox.records import dataclass

# After this many mistakes in files of cases, the rest of a file is not read.
_MOST_ERRORS_OF_ALL = 1000


@dataclass(frozen=True, slots=True)
class BrokenCase:
    """A case that cannot be graded because of mistakes in its file."""

    id: str  # The id if it could be read, otherwise the name of its directory or its place in the file.
    place: Place
    diagnostics: tuple[Diagnostic, ...]  # At least one error.


@dataclass(frozen=True, slots=True)
class SuiteInfo:
    """The fields of a suite that its cases do not inherit."""

    place: Place
    name: str = ""
    description: str = ""
    version: str = ""
    # How many cases may run at once.
    workers: int | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of `load`."""

    # In the order in which cases are graded and reported. A case with several targets appears once for each.
    cases: tuple[Case, ...] = ()
    broken: tuple[BrokenCase, ...] = ()  # The cases that cannot be graded, in the same order.
    # All diagnostics, including those of broken cases, in the order of the files.
    diagnostics: tuple[Diagnostic, ...] = ()
    suite: SuiteInfo | None = None  # The suite that the cases belong to, None without one.

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(found for found in self.diagnostics if found.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        return tuple(found for found in self.diagnostics if found.severity is Severity.WARNING)


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort the diagnostics of each file by position, without duplicates; files stay in the order of reading."""
    kept = list(dict.fromkeys(diagnostics))
    files = {file: number for number, file in enumerate(dict.fromkeys(found.file for found in kept))}
    return tuple(sorted(kept, key=lambda found: (files[found.file], found.line, found.column)))


# Names of fields. Every case has at least one of them.
_TELLING = frozenset(
    spelled
    for name in ("input", "criteria", "assertions", "rubrics", "examples", "unit_tests", "turns", "expected_output")
    for spelled in (name, *spellings(CaseEntry).get(name, ()))
) | {"id", "execution"}


def _is_like_a_case(value: Mapping[str, Any]) -> bool:
    """Return whether a mapping has a key of a case, or a key that is similar to one."""
    return any(key in _TELLING for key in value) or any(misspelt(key, _TELLING) for key in value)


@dataclass(slots=True)
class _Read:
    """One case that was read. If it cannot be graded, `cases` is empty or `findings` have an error."""

    id: str
    place: Place
    findings: Findings
    cases: tuple[Case, ...] = ()


@dataclass(slots=True)
class CaseCollector:
    """Reads cases and collects the result of a load. `environ` has the variables for ``${{ NAME }}``."""

    environ: Mapping[str, str]
    shared: Shared = field(default_factory=Shared)
    findings: Findings = field(default_factory=Findings)  # Mistakes in the suite itself, or in the loaded path.
    # Whether some cases of the suite are left out.
    partial: bool = False
    _read: list[_Read] = field(default_factory=list)
    _errors_in_files: int = 0

    def case_directory(self, file: Path) -> None:
        findings = Findings(limited=True)
        document = open_document(file, findings)
        origin = Origin(file.parent, file.parent.name, is_case_directory=True)
        if document is None:
            self._read.append(_Read(shown(file.parent.name), Place(file), findings))
        else:
            self._case(Reader(document, self.environ, findings), document.data, (), origin)

    def cases_file(self, file: Path) -> None:
        if file.suffix == ".jsonl":
            with suppress(TooManyErrors):
                self._json_lines(file)
            return
        document = open_document(file, self.findings)
        if document is not None:
            self.cases_document(document)

    def cases_document(self, document: Document, *, default_id: str | None = None) -> None:
        """Read a list of cases, or one case. `default_id` is for a single case without an id."""
        value = document.root.value
        listed = [node.value for node in value] if isinstance(value, list) else [value]
        if listed and all(isinstance(each, dict) and not _is_like_a_case(each) for each in listed):
            self._holds_no_cases(document.place())
        elif isinstance(value, list):
            if not value:
                self.findings.error(document.place(), "this file has no cases", hint="Write one.")
            with suppress(TooManyErrors):
                for index, node in enumerate(value):
                    self.entry(document, data(node), (index,))
        elif isinstance(value, dict):
            self.entry(document, document.data, (), default_id=default_id)
        else:
            hint = "Write a list of mappings, or one mapping."
            self.findings.error(document.place(), "a file of cases must hold a list of cases or one case", hint=hint)

    def entry(self, document: Document, value: Any, path: DocumentPath, *, default_id: str | None = None) -> None:
        """Read a case that is a part of a document."""
        reader = Reader(document, self.environ, Findings(limited=True))
        self._case(reader, value, path, Origin(document.file.parent, default_id))
        self._go_on(document.place(path))

    def included(self, loaded: Loaded) -> None:
        """Add the cases of another suite unchanged."""
        for (case_id, place), cases in groupby(loaded.cases, lambda case: (case.id, case.place)):
            self._read.append(_Read(case_id, place, Findings(), tuple(cases)))
        of_cases: set[Diagnostic] = set()
        for broken in loaded.broken:
            self._read.append(_Read(broken.id, broken.place, Findings()))
            for found in broken.diagnostics:
                self._read[-1].findings.add(found)
                of_cases.add(found)
        for found in loaded.diagnostics:
            if found not in of_cases:
                self.findings.add(found)

    def keep(self, ids: Iterable[str], start: int) -> bool:
        """Of the cases read since `start`, keep those that match an id or glob in `ids`; return whether any do."""
        wanted = [read for read in self._read[start:] if any(fnmatchcase(read.id, pattern) for pattern in ids)]
        self._read[start:] = wanted
        return bool(wanted)

    @property
    def count(self) -> int:
        return len(self._read)

    def made(self, source: Source) -> None:
        """Read a case that a foreign format produced."""
        assert source.document is not None
        document, directory = replace(source.document, foreign=True), source.directory
        default_id = directory.parent.name if directory else None
        origin = Origin(document.file.parent, default_id, is_case_directory=directory is not None)
        reader = Reader(document, self.environ, source.findings or Findings(limited=True))
        self._case(reader, document.data, (), origin)

    def _holds_no_cases(self, place: Place) -> None:
        hint = "A case has `input`, and `assertions`, `criteria` or other checks; a suite has `tests`."
        self.findings.error(place, "this file holds no cases", hint=hint)

    def _json_lines(self, file: Path) -> None:
        read_any = False
        for number, text in read_lines(file, self.findings):
            read_any = True
            findings = Findings(limited=True)
            line = parsed(file, findings, partial(read_json, text, first_line=number))
            if not self._read and line and isinstance(line.root.value, dict) and not _is_like_a_case(line.root.value):
                self._holds_no_cases(Place(file, number, 1))
                return
            if line is None:
                self._read.append(_Read(f"line {number}", Place(file, number, 1), findings))
            else:
                document = Document(file, line.root, (f"line {number}",))
                self._case(Reader(document, self.environ, findings), document.data, (), Origin(file.parent))
            self._go_on(Place(file, number, 1))
        if not read_any and not self.findings.failed:
            self.findings.error(Place(file), "this file has no cases", hint="Write one JSON object per line.")

    def _case(self, reader: Reader, value: Any, path: DocumentPath, origin: Origin) -> None:
        place = reader.document.place(path)
        case_id = written_id(value) or origin.default_id or f"line {place.line}"
        cases: tuple[Case, ...] = ()
        if not isinstance(value, dict):
            reader.error(path, "a case must be a mapping", "Write `id`, `input`, `assertions` and so on.")
        else:
            with suppress(TooManyErrors):
                cases = read_case(reader, value, path, origin, self.shared)
        self._read.append(_Read(shown(case_id), place, reader.findings, cases))

    def _go_on(self, place: Place) -> None:
        """Raise TooManyErrors if a file of cases has too many mistakes to read on."""
        self._errors_in_files += self._read[-1].findings.errors
        if self._errors_in_files > _MOST_ERRORS_OF_ALL:
            message = f"more than {_MOST_ERRORS_OF_ALL} mistakes before this; the rest is not read"
            self.findings.error(place, message, hint="Fix those first.")
            raise TooManyErrors

    def loaded(self, suite: SuiteInfo | None = None) -> Loaded:
        """Return the result. It has no cases to grade if the suite itself has a mistake."""
        self._refuse_duplicates()
        self._refuse_dependencies()
        diagnostics = list(self.findings)
        for read in self._read:
            diagnostics.extend(read.findings)
        sound = [read for read in self._read if not read.findings.failed]
        broken = [read for read in self._read if read.findings.failed]
        return Loaded(
            () if self.findings.failed else tuple(case for read in sound for case in read.cases),
            tuple(BrokenCase(read.id, read.place, in_order(read.findings)) for read in broken),
            in_order(diagnostics),
            suite,
        )

    def _refuse_duplicates(self) -> None:
        first: dict[str, _Read] = {}
        for read in self._read:
            other = first.setdefault(read.id, read)
            if other is not read and read.cases:
                message = f"the case in {other.place} already has the id `{read.id}`"
                read.findings.error(read.place, message, path="id", hint="Give each case an id of its own.")

    def _refuse_dependencies(self) -> None:
        known = {read.id: read for read in self._read}
        needs = {read.id: read.cases[0].depends_on for read in self._read if read.cases and read.cases[0].depends_on}
        for case_id, needed in needs.items():
            for missing in [other for other in needed if other not in known]:
                report = known[case_id].findings.warning if self.partial else known[case_id].findings.error
                message = f"depends on the case `{missing}`, which does not exist here"
                hint = "Check the id, or load the suite that has both."
                report(known[case_id].place, message, path="depends_on", hint=hint)
        try:
            graphlib.TopologicalSorter(needs).prepare()
        except graphlib.CycleError as error:
            cycle: list[str] = error.args[1]
            message = f"these cases depend on each other: {', '.join(cycle)}"
            for case_id in dict.fromkeys(cycle):
                read = known[case_id]
                read.findings.error(read.place, message, path="depends_on", hint="Remove one of the dependencies.")
