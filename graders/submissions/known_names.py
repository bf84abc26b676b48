"""The names of files that a case knows. They show whether the files of a submission lie in the right place.

    paths    files of the workspace, files of the reference, `answer_file`
    words    names in the task and the checks

Files that `protect` matches are left out: no submission can change them, so they say nothing about one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any
from unicodedata import normalize

from pydantic import BaseModel

from gradebox.graders.documents.globs import matches
from gradebox.graders.languages import languages
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.plan import Files
from gradebox.graders.model.tree import parents, read
from gradebox.sandbox.archive import EntryKind
from gradebox.sandbox.types import WORKSPACE

_WORD = re.compile(r"[\w.@+~-]+(?:/[\w.@+~-]+)*")
_TEXT_BYTES = 256 * 1024
_TEXTS = 50


class KnownNames:
    """The names that a case knows, compared in Unicode normal form C.

    Attributes:
        answer_file: The field `answer_file` of the case.
        usual_file: The default path for the code of an answer, in a case without `answer_file`.
        workspace: Files of the workspace that a submission may change.
        paths: The files of `workspace`, `answer_file` and the files of the reference, each by its normal form.
        wanted: The files that a submission is expected to bring: `answer_file`, otherwise what the reference changes,
            otherwise any of `paths`.
        has_reference: Whether a reference shows which files a submission should bring.
    """

    def __init__(self, case: Case, files: Files) -> None:
        self._case = case
        self._files = files
        self.answer_file = case.answer_file
        default = languages().get(case.language or "")
        self.usual_file = default.answer_file if default else None
        entries = files.workspace.entries.items()
        self.workspace = tuple(
            path for path, entry in entries if entry.kind is EntryKind.FILE and not matches(path, case.protect)
        )
        answer = (case.answer_file,) if case.answer_file else ()
        solution = tuple(path for path in sorted(files.solution) if not matches(path, case.protect))
        self.paths: Mapping[str, str] = {composed(path): path for path in (*solution, *self.workspace, *answer)}
        self.wanted = frozenset(answer or solution or self.paths.values())
        self.has_reference = bool(solution)

    @property
    def shown(self) -> tuple[str, ...]:
        """Names for a message, without those of the reference and the checks, which are hidden."""
        return (self.answer_file,) if self.answer_file else self.workspace

    def spelled(self, path: str) -> str | None:
        """Return a path as the case spells it; None if the case does not know it."""
        name = composed(path)
        return self.paths.get(name) or (name if name in self._words else None)

    def is_directory(self, path: str) -> bool:
        """Return whether the case has or names a directory of this path."""
        return composed(path) in self._directories

    def is_hinted_at(self, path: str) -> bool:
        """Return whether checks name a path without its suffix, as imports do."""
        stem = composed(path).rpartition(".")[0] or path
        return not self._stems.isdisjoint({stem, stem.replace("/", ".")})

    def names(self, path: str) -> bool:
        """Return whether checks or the task name a path, with its suffix or without."""
        return self.spelled(path) is not None or self.is_hinted_at(path)

    @cached_property
    def _directories(self) -> frozenset[str]:
        own = (composed(path) for path, e in self._files.workspace.entries.items() if e.kind is EntryKind.DIRECTORY)
        return frozenset((*own, *(parent for path in (*self.paths, *self._words) for parent in parents(path))))

    @cached_property
    def _words(self) -> frozenset[str]:
        """Names in the task and the checks, without bare names of files that lie in a directory."""
        case = self._case
        task = (case.criteria, case.description, *_texts(case.input))
        deeper = {path.rpartition("/")[2] for path in (*self.workspace, self.answer_file or "") if "/" in path}
        named = {*_named(task), *_named(self._checks)}
        return frozenset(
            word for word in named if (word in self.paths or word not in deeper) and not matches(word, case.protect)
        )

    @cached_property
    def _stems(self) -> frozenset[str]:
        """Names in the checks and in the files that judge."""
        judging = [entry for entry in self._files.own.files() if entry.source and entry.size <= _TEXT_BYTES][:_TEXTS]
        read_now = (read(entry.source, _TEXT_BYTES).decode("utf-8", "replace") for entry in judging if entry.source)
        return frozenset((*_named(self._checks), *_named(read_now)))

    @property
    def _checks(self) -> Iterator[str]:
        case = self._case
        return _texts((case.checks, case.setup, case.teardown, case.hooks, case.turns, case.expected_output))


def composed(path: str) -> str:
    """Return a path in Unicode normal form C: archives made on a Mac use another form."""
    return path if path.isascii() else normalize("NFC", path)


def _named(texts: Any) -> Iterator[str]:
    for text in texts:
        for word in _WORD.findall(text):
            path = word.removeprefix(f"{WORKSPACE[1:]}/").removeprefix("./").rstrip(".")
            if path:
                yield composed(path)


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a value, whatever its type."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (*_texts(key), *_texts(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _texts(getattr(value, name))
    elif is_dataclass(value) and not isinstance(value, Place | type):
        for field in fields(value):
            yield from _texts(getattr(value, field.name))
