"""`load`: a path -> cases. Finds out what kind of file it is, and never raises for what is in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from graders.case import Place
from graders.loading.case_file import CASE_FILES, Origin, read_case, written_id
from graders.loading.diagnostics import Findings
from graders.loading.loaded import BrokenCase, Loaded, in_order
from graders.loading.reader import Reader, open_document
from graders.loading.shared import Shared


def load(path: Path, *, environ: Mapping[str, str]) -> Loaded:
    """Load the case or the cases that a path names.

    Args:
        path: A case directory, a suite, or a file of cases.
        environ: Where ``${{ NAME }}`` is looked up.
    """
    path = Path(os.path.abspath(path))
    if path.is_dir():
        for name in CASE_FILES:
            if (path / name).exists():
                return load_case_directory(path / name, environ=environ)
        looked_for = ", ".join(CASE_FILES)
        findings = Findings()
        findings.error(Place(path), "there is no case here", hint=f"Looked for {looked_for}.")
        return Loaded(diagnostics=in_order(list(findings)))
    return load_case_directory(path, environ=environ)


def load_case_directory(file: Path, *, environ: Mapping[str, str], shared: Shared = Shared()) -> Loaded:
    """Load the case of a ``case.yaml``."""
    findings = Findings()
    document = open_document(file, findings)
    if document is None:
        return Loaded((), (broken(file.parent.name, Place(file), findings),), in_order(list(findings)))
    reader = Reader(document, environ, findings)
    data = document.data
    name = written_id(data) or file.parent.name
    case = read_case(reader, data, (), Origin(file.parent, file.parent.name, is_case_directory=True), shared)
    if case is None or findings.failed:
        return Loaded((), (broken(name, document.place(), findings),), in_order(list(findings)))
    return Loaded((case,), (), in_order(list(findings)))


def broken(case_id: str, place: Place, findings: Findings) -> BrokenCase:
    return BrokenCase(case_id, place, in_order(list(findings)))
