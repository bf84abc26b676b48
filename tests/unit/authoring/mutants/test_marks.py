"""Marks of equivalent mutants."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.authoring.mutants.marks import MARKS_FILE, Mark, idle_marks, read_marks
from gradebox.graders.authoring.mutants.mutation import mutants_of
from gradebox.graders.errors import CaseRefused

WRITTEN = '- {file: a.py, from: "c = a < b", to: "c = a <= b", reason: They are never equal.}\n'


def test_without_a_file_there_are_no_marks(tmp_path: Path) -> None:
    assert read_marks(tmp_path) == ()


def test_a_mark_fits_its_line_wherever_it_is(tmp_path: Path) -> None:
    (tmp_path / MARKS_FILE).write_text(WRITTEN)
    marks = read_marks(tmp_path)
    assert marks == (Mark("a.py", "c = a < b", "c = a <= b", "They are never equal."),)
    moved = list(mutants_of("a.py", "x = 1\n\nif x:\n    c = a < b\n", {4}))
    assert [m.after for m in moved if marks[0].fits(m)] == ["c = a <= b"]
    assert idle_marks(marks, moved) == ()


def test_a_mark_that_fits_nothing_any_more_is_named(tmp_path: Path) -> None:
    (tmp_path / MARKS_FILE).write_text(WRITTEN)
    marks = read_marks(tmp_path)
    assert idle_marks(marks, mutants_of("a.py", "c = a > b\n", {1})) == marks


@pytest.mark.parametrize("text", ["- {file: a.py}\n", "text\n", WRITTEN.replace("They are never equal.", "' '"), "[\n"])
def test_a_mark_without_all_fields_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / MARKS_FILE).write_text(text)
    with pytest.raises(CaseRefused):
        read_marks(tmp_path)
