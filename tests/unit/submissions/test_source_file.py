"""A source file is laid where the case has a place for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graders.errors import SubmissionRefused
from graders.model.case import Case, Place
from graders.model.submission import Form
from graders.model.tree import content
from graders.submissions import source_file
from graders.submissions.answer import extract_code
from graders.submissions.source import refuse_unplaced
from graders.submissions.source_file import placed, read_source_file


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for path in ("app.py", "src/parser.ts", "a/same.py", "b/same.py", "Makefile"):
        file = tmp_path / "workspace" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("stub")
    return tmp_path / "workspace"


def a_case(workspace: Path | None, **changes: Any) -> Case:
    place = Place(Path("case.yaml"))
    return Case(id="fix", place=place, directory=Path(), roots=(), checks=(), workspace=workspace, **changes)


@pytest.mark.parametrize(
    ("file_name", "case", "path"),
    [
        ("app.py", {"answer_file": "solution.py"}, "app.py"),
        ("Makefile", {}, "Makefile"),
        ("model-a.py", {"answer_file": "out/solution.py"}, "out/solution.py"),
        ("solution.py", {"answer_file": "out/solution.py"}, "out/solution.py"),
        ("model-a.py", {"answer_file": "run"}, "run"),
        ("model-a.mjs", {"answer_file": "x.js"}, "x.js"),
        ("main.rs", {"answer_file": "src/lib.rs"}, "src/lib.rs"),
        ("parser.ts", {}, "src/parser.ts"),
        ("model-a.py", {"language": "python"}, "solution.py"),
        ("model-a.jl", {"language": "julia"}, "solution.jl"),
    ],
)
def test_a_file_has_its_place(workspace: Path, file_name: str, case: dict[str, Any], path: str) -> None:
    found = placed(a_case(workspace, **case), read_source_file("work", file_name, b"x = 1\r\n"))
    assert (found.form, found.output) == (Form.DIRECTORY, "x = 1\n")
    assert {entry.path: content(entry) for entry in found.tree.entries.values()} == {path: b"x = 1\r\n"}


@pytest.mark.parametrize(
    ("file_name", "case", "said"),
    [
        ("model-a.py", {}, "it has no `answer_file`"),
        ("same.py", {}, "has no place for the submission same.py"),
        ("model-a.py", {"answer_file": "solution.jl"}, "`answer_file` is solution.jl"),
        ("model-a.py", {"language": "julia"}, "no place"),
        ("notes.rst", {"language": "python"}, "no place"),
    ],
)
def test_a_file_without_a_place_is_refused(workspace: Path, file_name: str, case: dict[str, Any], said: str) -> None:
    submission = read_source_file("work", file_name, b"x")
    with pytest.raises(SubmissionRefused, match="The case fix") as refused:
        refuse_unplaced(a_case(workspace, **case), submission)
    assert said in str(refused.value)
    # Where it is seen late, it is no fault of the submission's and never a zero.
    assert "no place" in extract_code(a_case(workspace, **case), submission).fault


def test_a_script_can_be_executed() -> None:
    (entry,) = read_source_file("work", "run.sh", b"#!/bin/sh\n").tree.entries.values()
    assert entry.executable


def test_a_file_that_is_too_large_for_an_answer_is_the_submissions_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_file, "MAX_SOURCE_BYTES", 3)
    assert "larger than 3 bytes" in read_source_file("work", "a.py", b"x=12").problem


def test_julia_that_is_read_as_a_whole_stays_one_answer() -> None:
    case = a_case(None, language="julia", whole_answer=True)
    found = extract_code(case, read_source_file("work", "model.jl", b"# ```julia\nf(x) = x"))
    assert (found.form, list(found.tree.entries)) == (Form.ANSWER, ["answer.jl"])
