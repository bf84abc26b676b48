"""Finds the judges in files of targets, for cases with checks in words but without a judge.

In a ``targets.yaml``, an entry with ``role: judge`` or ``role: audit`` is a judge. In AgentV's file, `grader_target`
(or `judge_target`) of the case's target names the judge's entry. A judge of AgentV's file that cannot be asked is left
out with a warning, so that a repository can be graded without keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from gradebox.graders.checks.evaluation import lacks_judge
from gradebox.graders.documents.diagnostics import DocumentPath, Findings, shown
from gradebox.graders.documents.reader import Reader, open_document
from gradebox.graders.formats.agentv.judge_entries import judge_entry, judging_name
from gradebox.graders.formats.agentv.target_entries import is_agentv_file, targets_file
from gradebox.graders.judges.judge_file import read_panel
from gradebox.graders.judges.provider import Judge
from gradebox.graders.model.case import Case
from gradebox.graders.model.judgment import Panel
from gradebox.graders.targets.targets_file import JUDGING, own_targets_file


def with_target_judges(cases: Iterable[Case], environ: Mapping[str, str], findings: Findings) -> tuple[Case, ...]:
    """Return the cases. A case with checks in words but no judge gets the judges in its file of targets.

    Mistakes of such a judge are added to `findings`.
    """
    files = _Files(environ, findings)
    return tuple(replace(case, judge=files.panel(case)) if lacks_judge(case) else case for case in cases)


class _Files:
    """Reads each file of targets once."""

    def __init__(self, environ: Mapping[str, str], findings: Findings) -> None:
        self._environ = environ
        self._findings = findings
        self._reader = cache(self._open)
        self._panel = cache(self._read)
        self._own, self._agentv = cache(own_targets_file), cache(targets_file)

    def panel(self, case: Case) -> Panel | None:
        directories = (case.directory, *case.roots)
        found = chain(map(self._own, directories), map(self._agentv, directories))
        file = next(filter(None, found), None)
        return None if file is None else self._panel(file, case.use_target or case.target)

    def _open(self, file: Path) -> Reader | None:
        # Mistakes of the other targets are reported when the targets are read to make submissions.
        document = open_document(file, Findings())
        return None if document is None else Reader(document, self._environ, self._findings)

    def _read(self, file: Path, target: str | None) -> Panel | None:
        reader = self._reader(file)
        entries = _entries(reader.document.data) if reader is not None else {}
        if reader is None:
            return None
        if is_agentv_file(file):
            return self._of_agentv(reader, entries, target)
        judging = [path for path, entry in entries.items() if entry.get("role") in JUDGING]
        panels = [read_panel(reader, entries[path], path) for path in judging]
        judges = tuple(judge for panel in panels if panel for judge in panel.judges)
        return Panel(judges) if judges and all(panels) else None

    def _of_agentv(
        self, reader: Reader, entries: Mapping[DocumentPath, dict[str, Any]], target: str | None
    ) -> Panel | None:
        by_name = {str(entry.get("name")): path for path, entry in entries.items()}
        name = judging_name(entries.values(), target, self._environ)
        if not name:
            return None
        path = by_name.get(name)
        made, problem = judge_entry(entries[path]) if path is not None else ({}, "it is not defined")
        own = Findings()
        panel = None if problem else read_panel(Reader(reader.document, self._environ, own), made, path or ())
        for judge in panel.judges if panel else ():
            assert isinstance(judge, Judge)
            problem = judge.unready(self._environ)
        problem = problem or next((found.message for found in own), "")
        if not problem:
            return panel
        message = f"the judge `{shown(name)}` cannot be asked, so words are not judged: {problem}"
        self._findings.warning(reader.document.place(path or ()), message, hint="Name one with --judge.")
        return None


def _entries(data: Any) -> dict[DocumentPath, dict[str, Any]]:
    prefix: DocumentPath = ()
    if isinstance(data, dict):
        prefix, data = ("targets",), data.get("targets")
    listed = data if isinstance(data, list) else []
    return {(*prefix, index): entry for index, entry in enumerate(listed) if isinstance(entry, dict)}
