"""Reads files into documents and pydantic models, and collects all mistakes as diagnostics.

It opens only regular files that the user named, or that lie beside one, and only up to a size limit.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from gradebox.graders.documents.diagnostics import DocumentPath, Findings, TooManyErrors, shown, written_path
from gradebox.graders.documents.entries import Entry, homes
from gradebox.graders.documents.interpolation import references
from gradebox.graders.documents.json import read_json
from gradebox.graders.documents.messages import explain, subject
from gradebox.graders.documents.positions import Document, Malformed, Node, Problem
from gradebox.graders.documents.suggest import closest, meanings, suggestion
from gradebox.graders.documents.validators import Context
from gradebox.graders.documents.yaml import read_yaml
from gradebox.graders.model.case import Place
from gradebox.sandbox.records import dataclass

MAX_FILE_BYTES = 8 * 1024 * 1024
_WITH_BRACKETS = (".json", ".jsonl", ".toml")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads one document into models."""

    document: Document
    environ: Mapping[str, str]  # The variables for `${{ NAME }}`.
    findings: Findings  # Collects the diagnostics.

    def read(self, adapter: TypeAdapter[T], value: Any, path: DocumentPath = ()) -> T | None:
        """Validate the data at a path. Return None if there was an error, which the findings then report."""
        context = Context(self.environ)
        failures: list[dict[str, Any]] = []
        result: T | None = None
        try:
            result = adapter.validate_python(value, strict=True, context=context)
        except ValidationError as error:
            failures = [dict(details) for details in error.errors(include_url=False)]
        paths = _paths(value) if context.unknown or context.notes else {}
        misspelt: set[DocumentPath] = set()
        for mapping, key, model in context.unknown:
            result = None
            inside = paths.get(id(mapping), ())
            known = model.known_keys() if issubclass(model, Entry) else ()
            misspelt.add((*inside, closest(key, known) or key))
            hint = _place_of(key, model, known) or suggestion(key, known)
            self.error((*path, *inside, key), f"unknown key `{shown(key)}`", hint, of_key=True)
        for noted, message, hint in context.notes:
            self.warning(path + paths.get(id(noted), ()), message, hint)
        for details in failures:
            # A key whose misspelling was reported is not also reported as missing.
            if details["type"] != "missing" or _plain(details["loc"]) not in misspelt:
                self._report(path + tuple(details["loc"]), details)
        return result

    def error(self, path: DocumentPath, message: str, hint: str = "", *, of_key: bool = False) -> None:
        """Report a mistake. Raises TooManyErrors if the findings have reached their limit."""
        self._add(self.document.place(path, of_key=of_key), message, self.document.written(path), hint)

    def _add(self, place: Place, message: str, written: DocumentPath, hint: str) -> None:
        self.findings.error(place, message, path=written_path(written), hint=hint)
        if self.findings.full:
            raise TooManyErrors

    def misspelt(self, value: Mapping[str, Any], name: str, path: DocumentPath) -> bool:
        """Report a key that is a misspelling of the missing key `name`. Return False if no key is similar."""
        written = next((key for key in value if key != name and closest(key, [name])), None)
        if written is None:
            return False
        self.error((*path, written), f"unknown key `{shown(written)}`", suggestion(written, [name]), of_key=True)
        return True

    def warning(self, path: DocumentPath, message: str, hint: str = "") -> None:
        place = self.document.place(path)
        self.findings.warning(place, message, path=written_path(self.document.written(path)), hint=hint)

    def _report(self, path: DocumentPath, details: Mapping[str, Any]) -> None:
        if details["type"] == "two_spellings":
            self._two_spellings(path, str(details["ctx"]["first"]), str(details["ctx"]["second"]))
            return
        if details["type"] == "unset":
            path = self._naming(path, str(details["ctx"]["name"]))
        explanation = explain(details, yaml=self.document.file.suffix not in _WITH_BRACKETS)
        if details["type"] == "missing":
            # Another field of the same mapping may have this name as a spelling, so the name itself is not translated.
            written = (*self.document.written(path[:-1]), path[-1])
            self._add(self.document.place(path[:-1]), f"{subject(written)} {explanation.message}", written, "")
            return
        # An empty value has no place in the text, so the place of its key is shown.
        empty = explanation.message == "has no value"
        self.error(
            path, f"{subject(self.document.written(path))} {explanation.message}", explanation.hint, of_key=empty
        )

    def _two_spellings(self, path: DocumentPath, one: str, other: str) -> None:
        spelled = [(self.document.place((*path, *name.split(".")), of_key=True), name) for name in (one, other)]
        (first, first_name), (second, second_name) = sorted(spelled, key=lambda pair: (pair[0].line, pair[0].column))
        message = (
            f"`{second_name}` and `{first_name}` (line {first.line}, column {first.column}) are two names of one field"
        )
        at = written_path(self.document.written((*path, *second_name.split("."))))
        self.findings.error(second, message, path=at, hint="Keep one of the two.")

    def _naming(self, path: DocumentPath, variable: str) -> DocumentPath:
        """Return the path, at or below `path`, of the text that names a variable."""
        for child, value in _leaves(self.document.part(path).data):
            if isinstance(value, str) and variable in references(value):
                return path + child
        return path


def open_document(file: Path, findings: Findings, *, limit: int = MAX_FILE_BYTES) -> Document | None:
    """Read a YAML or JSON file. Return None if it cannot be read, which the findings then report."""
    text = read_text(file, findings, limit=limit)
    if text is None:
        return None
    read = read_json if file.suffix == ".json" else read_yaml
    return parsed(file, findings, lambda problems: read(text, problems))


def parsed(file: Path, findings: Findings, parse: Callable[[list[Problem]], Node]) -> Document | None:
    """Parse a text, and report the problems. Return None if it cannot be parsed at all."""
    problems: list[Problem] = []
    document = None
    try:
        document = Document(file, parse(problems))
    except Malformed as malformed:
        problems.append(Problem(malformed.line, malformed.column, malformed.message, malformed.hint))
    for problem in problems:
        findings.error(Place(file, problem.line, problem.column), problem.message, hint=problem.hint)
    return document


def read_text(file: Path, findings: Findings, *, limit: int = MAX_FILE_BYTES) -> str | None:
    """Read a regular file of UTF-8 text. Return None if that fails, which the findings then report."""
    raw = read_bytes(file, findings, limit=limit)
    if raw is None:
        return None
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        findings.error(Place(file, line, column), "this is not UTF-8 text", hint="Save the file as UTF-8.")
        return None


def read_bytes(file: Path, findings: Findings, *, limit: int = MAX_FILE_BYTES) -> bytes | None:
    with _opened(file, findings) as stream:
        if stream is None:
            return None
        raw = stream.read(limit + 1)
        if len(raw) <= limit:
            return raw
    hint = "Split it, or keep large data in files of its own."
    findings.error(Place(file), f"is larger than {limit // 1024} KiB", hint=hint)
    return None


def read_lines(file: Path, findings: Findings, *, limit: int = MAX_FILE_BYTES) -> Iterator[tuple[int, str]]:
    """Yield the numbers and texts of the lines of a UTF-8 file that are not blank. `limit` is for one line."""
    with _opened(file, findings) as stream:
        number = 0
        while stream is not None and (raw := stream.readline(limit + 1)):
            number += 1
            if len(raw) > limit:
                findings.error(Place(file, number, 1), f"is a line of more than {limit // 1024} KiB", hint="Split it.")
                return
            try:
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                place = Place(file, number, error.start + 1)
                findings.error(place, "this is not UTF-8 text", hint="Save the file as UTF-8.")
                continue
            if text.strip():
                yield number, text


@contextmanager
def _opened(file: Path, findings: Findings) -> Iterator[BinaryIO | None]:
    """Open a regular file. Yield None if that fails, which the findings then report."""
    try:
        # Without O_NONBLOCK, opening a named pipe would wait for a writer.
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        findings.error(Place(file), f"cannot be read: {reason}", hint="Check the path and its permissions.")
        yield None
        return
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        findings.error(Place(file), "is not a regular file", hint="Name a file.")
        yield None
        return
    with os.fdopen(descriptor, "rb") as stream:
        yield stream


def _place_of(key: str, model: type[BaseModel], known: Iterable[str]) -> str:
    """Return a sentence that names the field where a key belongs, or the key that was meant; empty if unknown."""
    places = homes(model)
    if key in places:
        return f"It is a key of `{places[key]}`."
    meant = () if any(name in known for name in meanings(key)) else meanings(key)
    return next((f"Write `{places[name]}: {{{name}: ...}}`." for name in meant if name in places), "")


def _paths(value: Any) -> dict[int, DocumentPath]:
    """Return the path of every mapping and other value by its identity; a shared object gets the first path found."""
    paths: dict[int, DocumentPath] = {}
    waiting: list[tuple[DocumentPath, Any]] = [((), value)]
    while waiting:
        path, current = waiting.pop()
        paths.setdefault(id(current), path)
        if isinstance(current, dict):
            waiting.extend(((*path, key), child) for key, child in current.items())
        elif isinstance(current, list):
            waiting.extend(((*path, index), child) for index, child in enumerate(current))
    return paths


def _plain(location: DocumentPath) -> DocumentPath:
    """Return a path without the names of alternatives."""
    return tuple(part for part in location if not (isinstance(part, str) and part.startswith("|")))


def _leaves(value: Any) -> list[tuple[DocumentPath, Any]]:
    leaves: list[tuple[DocumentPath, Any]] = []
    waiting: list[tuple[DocumentPath, Any]] = [((), value)]
    while waiting:
        path, current = waiting.pop()
        if isinstance(current, dict):
            waiting.extend(((*path, key), child) for key, child in reversed(current.items()))
        elif isinstance(current, list):
            waiting.extend(((*path, index), child) for index, child in reversed(list(enumerate(current))))
        else:
            leaves.append((path, current))
    return leaves
