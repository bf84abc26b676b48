"""``submissions/verdicts.yaml``: the expected verdict of each submission stored with a case.

    <case>/submissions/
      verdicts.yaml     a mapping of names to `verdict`, `score` and the scores of `checks`
      <name>/           a directory that is laid over the workspace
      <name>.diff       a unified diff

The name ``reference`` stands for the case's own reference.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, TypeAdapter

from gradebox.graders.cases.discovery import CASE_FILES
from gradebox.graders.documents.diagnostics import Findings, shown
from gradebox.graders.documents.entries import Entry, WrittenAs
from gradebox.graders.documents.fields import Fraction
from gradebox.graders.documents.paths import exists, is_directory
from gradebox.graders.documents.reader import Reader, open_document
from gradebox.graders.documents.suggest import suggestion
from gradebox.graders.model.case import Case, Place
from gradebox.graders.submissions.source import REFERENCE

SUBMISSIONS = "submissions"
VERDICTS = "verdicts.yaml"


class ExpectedVerdict(Entry):
    """The verdict that one submission must get, and its scores if the file states them."""

    internal = frozenset({"place"})

    place: Annotated[Place, WrittenAs(Any)] = Place(Path())
    verdict: Literal["passed", "failed", "error"]
    score: Fraction | None = None
    checks: dict[str, Fraction] = Field(default_factory=dict)


_VERDICTS: TypeAdapter[dict[str, ExpectedVerdict]] = TypeAdapter(dict[str, ExpectedVerdict])


class KeptSubmissions(NamedTuple):
    """The submissions stored with a case and their expected verdicts, by name, in the order of verdicts.yaml.

    Submissions without a verdict follow in the order of names. The reference may be among the verdicts.
    """

    paths: Mapping[str, Path]
    verdicts: Mapping[str, ExpectedVerdict]


_NOTHING_KEPT = KeptSubmissions({}, {})


def read_kept(case: Case, findings: Findings) -> KeptSubmissions:
    """Read the submissions in a case directory and their expected verdicts; the findings report mistakes."""
    directory = case.directory / SUBMISSIONS
    if case.place.file.name not in CASE_FILES or not is_directory(directory):
        return _NOTHING_KEPT
    paths = _paths(directory, findings)
    file = directory / VERDICTS
    if not exists(file):
        if paths:
            hint = f"Write {VERDICTS} with a verdict for each of them."
            findings.warning(Place(directory), "these submissions have no expected verdicts", hint=hint)
        return _NOTHING_KEPT
    verdicts = _verdicts(file, case, findings)
    for name in verdicts:
        if name not in paths and name != REFERENCE:
            message = f"there is no submission `{shown(name)}`"
            findings.error(verdicts[name].place, message, hint=suggestion(name, paths))
    unwritten = [name for name in paths if name not in verdicts]
    for name in unwritten if verdicts else ():
        findings.error(Place(paths[name]), "has no verdict", hint=f"Write what it must get into {VERDICTS}.")
    ordered = [*(name for name in verdicts if name in paths), *sorted(unwritten)]
    return KeptSubmissions({name: paths[name] for name in ordered}, verdicts)


def _paths(directory: Path, findings: Findings) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in sorted(directory.iterdir(), key=os.fsencode):
        if path.name == VERDICTS or path.name.startswith("."):
            continue
        stem = path.name if path.is_dir() else path.stem
        if stem in found or stem == REFERENCE:
            other = found.get(stem, Path(REFERENCE)).name
            findings.error(Place(path), f"has the name of {other} beside it", hint="Rename one of the two.")
        else:
            found[stem] = path
    return found


def _verdicts(file: Path, case: Case, findings: Findings) -> dict[str, ExpectedVerdict]:
    document = open_document(file, findings)
    if document is None:
        return {}
    reader = Reader(document, os.environ, findings)
    if not isinstance(document.data, dict):
        reader.error((), "must be a mapping of submissions to verdicts", "Write `name: {verdict: failed}`.")
        return {}
    bare = [name for name, verdict in document.data.items() if isinstance(verdict, str)]
    for name in bare:
        reader.error((name,), f"`{shown(name)}` must be a mapping", f"Write `{shown(name)}: {{verdict: ...}}`.")
    entries = {} if bare else reader.read(_VERDICTS, document.data) or {}
    known = [check.name for check in case.checks]
    for name, entry in entries.items():
        for check in entry.checks:
            if check not in known:
                message = f"the case has no check `{shown(check)}`"
                reader.error((name, "checks", check), message, suggestion(check, known), of_key=True)
    return {name: entry.but(place=document.place((name,), of_key=True)) for name, entry in entries.items()}
