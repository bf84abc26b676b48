"""A source file is read as it is; its place is decided where the case is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.submission import Form
from gradebox.graders.submissions import source_file
from gradebox.graders.submissions.answer import extract_code
from gradebox.graders.submissions.source_file import read_source_file


def test_line_ends_of_an_editor_are_no_part_of_the_text() -> None:
    found = read_source_file("work", "app.py", b"x = 1\r\n")
    assert (found.form, found.output, list(found.tree.entries)) == (Form.SOURCE_FILE, "x = 1\n", ["app.py"])


def test_a_script_can_be_executed() -> None:
    (entry,) = read_source_file("work", "run.sh", b"#!/bin/sh\n").tree.entries.values()
    assert entry.executable


def test_a_file_that_is_too_large_for_an_answer_is_the_submissions_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_file, "MAX_SOURCE_BYTES", 3)
    assert "larger than 3 bytes" in read_source_file("work", "a.py", b"x=12").problem


def test_julia_that_is_read_as_a_whole_stays_one_answer() -> None:
    case = Case("fix", Place(Path("case.yaml")), Path(), (), language="julia", whole_answer=True)
    found = extract_code(case, read_source_file("work", "model.jl", b"# ```julia\nf(x) = x"))
    assert (found.form, list(found.tree.entries)) == (Form.ANSWER, ["answer.jl"])
