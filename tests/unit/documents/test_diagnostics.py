"""Diagnostics: how they read, how they are collected, and how document paths are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.documents.diagnostics import (
    MOST_ERRORS,
    MOST_WARNINGS,
    Diagnostic,
    DocumentPath,
    Findings,
    Severity,
    shown,
    written_path,
)
from gradebox.graders.model.case import Place

HERE = Place(Path("case.yaml"), 3, 5)


def test_a_diagnostic_reads_as_place_message_path_and_hint() -> None:
    diagnostic = Diagnostic(Path("case.yaml"), 3, 5, "id", "`id` is missing", "Write one.")
    assert str(diagnostic) == "case.yaml:3:5: error: `id` is missing (at id). Write one."
    assert str(Diagnostic(Path("x"), 0, 0, "", "does not exist")) == "x: error: does not exist."


def test_findings_keep_each_diagnostic_once_and_count_errors() -> None:
    findings = Findings()
    for _ in range(2):
        findings.error(HERE, "wrong")
        findings.warning(HERE, "odd")
    assert [found.severity for found in findings] == [Severity.ERROR, Severity.WARNING]
    assert (findings.errors, findings.failed) == (1, True)


@pytest.mark.parametrize(("most", "is_error"), [(MOST_ERRORS, True), (MOST_WARNINGS, False)])
def test_limited_findings_stop_with_one_that_says_so(most: int, is_error: bool) -> None:
    findings = Findings(limited=True)
    report = findings.error if is_error else findings.warning
    for number in range(most + 10):
        report(HERE, f"message {number}")
    found = list(findings)
    assert len(found) == most + 1
    assert "before this; the rest is not reported" in found[-1].message
    assert findings.full is is_error


@pytest.mark.parametrize(
    ("path", "text"),
    [((), ""), (("execution", "targets", 0, "name"), "execution.targets[0].name"), (("a b", 1), "['a b'][1]")],
)
def test_paths_are_written_as_people_write_them(path: DocumentPath, text: str) -> None:
    assert written_path(path) == text


def test_what_is_quoted_from_a_document_is_short_and_printable() -> None:
    assert shown("a\nb\u202e") == "a\\nb\\u202e"
    assert shown("x" * 100) == "x" * 57 + "..."
