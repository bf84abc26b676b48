"""One way to a plan: what is laid over what, and what a plan says of a submission that does not fit."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from grading_bench import Bench, check, command, write

from gradebox.graders.checks.items import Item, Items
from gradebox.graders.errors import CaseRefused, SubmissionRefused
from gradebox.graders.grading.prepare import prepare, read_files
from gradebox.graders.model.case import Hook, Place
from gradebox.graders.model.submission import UNTOUCHED, Form
from gradebox.graders.model.tree import content
from gradebox.graders.submissions.answer import read_answer
from gradebox.graders.submissions.notebook import MAX_CODE_CHARACTERS
from gradebox.graders.submissions.source import read_submission
from gradebox.graders.submissions.source_file import read_source_file
from gradebox.sandbox.archive import EntryKind


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_plan_holds_the_workspace_and_the_submission_over_it(bench: Bench) -> None:
    case = bench.case(check("judge", name="it"), files={"workspace/a": "1\n", "workspace/b": "2\n"})
    plan = prepare(case, bench.submission({"a": "3\n"}), image="image")
    assert (list(plan.workspace.entries), list(plan.laid.entries)) == (["a", "b"], ["a", "b"])
    assert "-1\n+3\n" in plan.changes
    assert (plan.problem, plan.image, [stage.check for stage in plan.every_stage]) == ("", "image", ["it"])


def test_the_code_of_an_answer_is_files_of_the_plan(bench: Bench) -> None:
    case = bench.case(check("judge"), language="python")
    plan = prepare(case, read_answer("it", "```python\nx = 1\n```\n"), image="image")
    assert plan.submission.form is Form.DIRECTORY
    assert list(plan.laid.entries) == ["solution.py"]


def test_a_diff_that_does_not_apply_is_the_problem_of_the_plan(bench: Bench) -> None:
    case = bench.case(check("judge"), files={"workspace/a": "1\n"})
    plan = prepare(case, bench.diff("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-2\n+3\n"), image="image")
    assert plan.problem.startswith("The diff does not apply")
    assert plan.laid == plan.workspace


@pytest.mark.parametrize(
    ("files", "notes"),
    [
        ({"a": "1\n"}, ("The submission changes nothing of the workspace.",)),
        ({}, ("The submission is empty: submit a.",)),
        ({"a": "2\n"}, ()),
    ],
)
def test_a_submission_that_changes_nothing_has_a_note(
    bench: Bench, files: dict[str, str], notes: tuple[str, ...]
) -> None:
    case = bench.case(check("judge"), files={"workspace/a": "1\n"})
    assert prepare(case, bench.submission(files), image="image").notes == notes


MISFIT = (
    "Nothing of the submission lies where the case looks for work (a.py): it has b/c/x, so rename or move what the "
    "case asks for."
)
ANSWER = {"language": "python", "answer_file": "a.py"}


def test_a_submission_of_which_nothing_fits_has_a_note_and_is_refused_where_that_is_wanted(bench: Bench) -> None:
    case = bench.case(check("judge"), files={"workspace/a.py": "1\n"}, **ANSWER)
    work = bench.submission({"b/c/x": "2\n"})
    plan = prepare(case, work, image="image")
    assert (plan.notes, plan.misfit, plan.problem) == ((MISFIT,), MISFIT, "")
    assert prepare(replace(case, strict_layout=True), work, image="image").problem == MISFIT


def test_what_is_moved_is_planned_as_if_it_had_been_there(bench: Bench) -> None:
    """Files that a submission must not decide are restored, removed and flagged after the layout was decided."""
    own = {"workspace/a.py": "1\n", "workspace/tests/test_a.py": "1\n", "grading/test_b.py": "1\n"}
    case = bench.case(check("pytest tests grading"), files=own, strict_layout=True)
    forged = ("a.py", "tests/test_a.py", "conftest.py", "sitecustomize.py", "grading/test_b.py", "grading/c.py")
    deep = bench.submission({**{f"deep/{path}": "2\n" for path in forged}, "deep/.git/hooks/x": "1"})
    (moved, flat) = (prepare(case, work, image="image") for work in (deep, read_submission(bench.root / "work/deep")))
    assert moved.notes == ("The files in deep were moved out of it.",)
    for part in ("restored", "removed_globs", "kept_files", "removed_paths", "tampering", "changes"):
        assert getattr(moved, part) == getattr(flat, part), part
    assert {path: content(entry) for path, entry in moved.laid.entries.items()} == {
        path: content(entry) for path, entry in flat.laid.entries.items()
    }
    assert "tests/test_a.py" in {entry.path for entry in moved.restored}
    assert moved.tampering


@pytest.mark.parametrize(
    ("name", "lies_at", "note"),
    [("a.py", "a.py", ()), ("b.py", "a.py", ("The file b.py was taken as a.py.",)), ("b.ipynb", None, ())],
)
def test_a_source_file_is_laid_at_its_place_or_unreadable(
    bench: Bench, name: str, lies_at: str | None, note: tuple[str, ...]
) -> None:
    case = bench.case(check("judge"), files={"workspace/a.py": "1\n"}, **ANSWER)
    plan = prepare(case, read_source_file("work", name, b"2\n"), image="image")
    assert plan.notes == note
    if lies_at is not None:
        assert content(plan.laid.entries[lies_at]) == b"2\n"
        return
    assert plan.problem.startswith("unreadable: The case case has no place for b.ipynb: ")
    assert not plan.submission.fault
    meant = prepare(replace(case, unreadable_is_error=True), read_source_file("work", name, b"2\n"), image="image")
    assert (meant.problem, meant.submission.fault) == ("", plan.problem)


def test_files_that_a_notebook_writes_are_handed_in_with_it(bench: Bench) -> None:
    case = bench.case(check("judge"), files={"workspace/a.py": "1\n"}, **ANSWER)
    cells = [{"cell_type": "code", "source": f"%%writefile {path}\nx"} for path in ("a.py", "b.py")]
    plan = prepare(case, read_source_file("work", "w.ipynb", json.dumps({"cells": cells}).encode()), image="image")
    assert [content(plan.laid.entries[path]) for path in ("a.py", "b.py")] == [b"x", b"x"]


def test_a_notebook_whose_code_is_too_long_is_unreadable(bench: Bench) -> None:
    case = bench.case(check("judge"), files={"workspace/a.py": "1\n"}, **ANSWER)
    cells = [{"cell_type": "code", "source": " " * MAX_CODE_CHARACTERS + "x"}]
    write(bench.root / "handed", {"hw/w.ipynb": json.dumps({"cells": cells})})
    plan = prepare(case, read_submission(bench.root / "handed"), image="image")
    assert plan.problem.startswith("unreadable: The notebook has more than 4194304 characters of code")


def test_a_reference_that_is_a_source_file_of_another_name_is_laid_where_an_answer_goes(bench: Bench) -> None:
    case = bench.case(check("judge"), files={"workspace/a.py": "1\n", "solved.py": "2\n"}, **ANSWER)
    assert read_files(replace(case, reference=bench.root / "case/solved.py")).solution == {"a.py"}


def test_a_reference_stays_as_it_lies(bench: Bench) -> None:
    case = bench.case(check("judge"), files={"workspace/a.py": "1\n", "reference/lib/a.py": "2\n"})
    case = replace(case, reference=bench.root / "case/reference")
    assert read_files(case).solution == {"lib/a.py"}
    plan = prepare(case, read_submission(bench.root / "case/reference"), image="image")
    assert ("lib/a.py" in plan.laid.entries, plan.notes) == (True, ())


def test_an_answer_without_code_has_a_note_where_code_is_wanted(bench: Bench) -> None:
    wanted = bench.case(check("judge"), files={"workspace/a.py": "1\n"}, answer_file="a.py", language="python")
    answer = read_answer("it", "Do it like this:\n```text\nsomehow\n```\n")
    (note,) = prepare(wanted, answer, image="image").notes
    assert note == "The submission changes nothing of the workspace: there is no code in the answer."
    assert not prepare(wanted, UNTOUCHED, image="image").notes
    assert not prepare(replace(wanted, workspace=None, answer_file=None, language=None), answer, image="image").notes


def test_graders_read_the_same_in_every_plan(bench: Bench) -> None:
    case = bench.case(check("judge"), files={"workspace/a": "1\n"})
    stdin = prepare(case, bench.submission({"a": "3\n"}), image="image").stages[0].steps[0].stdin
    assert b'"file_changes": "--- a/a' in stdin


def test_a_workspace_that_cannot_be_read_refuses_the_case(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def scan(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "workspace/secret")

    case = bench.case(check("judge"))
    monkeypatch.setattr("gradebox.graders.grading.prepare.scan", scan)
    with pytest.raises(CaseRefused, match=r"workspace/secret cannot be read: Permission denied\."):
        prepare(case, UNTOUCHED, image="image")


def names(tree: Any) -> set[str]:
    return {entry.path for entry in tree.files()}


def test_the_workspace_and_what_lies_beside_it_are_apart(tmp_path: Path) -> None:
    files = {"workspace/a/b.py": "", "grading/test.py": "", "helper.sh": "", "workspace/.git/config": ""}
    found = read_files(Bench(tmp_path).case(check("x"), files=files))
    assert names(found.workspace) == {"a/b.py"}
    assert names(found.own) == {"grading/test.py", "helper.sh"}


@pytest.mark.parametrize(
    "path",
    [
        "reference/a",
        "submissions/x/a",
        "case.yaml",
        "case.yml",
        "mutants.yaml",
        ".git/config",
        "__pycache__/a.pyc",
        "workspace/a",
    ],
)
def test_what_is_withheld_can_never_be_delivered(tmp_path: Path, path: str) -> None:
    found = read_files(Bench(tmp_path).case(check("x"), files={path: ""}))
    assert names(found.own) == set()


def test_a_workspace_or_a_solution_under_another_name_is_withheld_too(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    directory = tmp_path / "case"
    case = bench.case(check("x"), files={"start/a": "", "answer/deep/a": "", "kept": ""})
    found = read_files(bench.case(check("x"), workspace=directory / "start", reference=directory / "answer" / "deep"))
    assert case.directory == directory
    assert names(found.own) == {"kept"}
    assert names(found.workspace) == {"a"}


def test_without_a_workspace_a_case_starts_from_nothing(tmp_path: Path) -> None:
    assert read_files(Bench(tmp_path).case(check("x"), workspace=None)).workspace.entries == {}


def test_what_the_solution_changes_is_known(tmp_path: Path) -> None:
    workspace = {"workspace/main.py": "stub", "workspace/same.py": "same", "workspace/other.py": ""}
    solution = {"reference/main.py": "solved", "reference/same.py": "same", "reference/new.py": "new"}
    bench = Bench(tmp_path)
    case = bench.case(check("x"), files=workspace | solution, reference=tmp_path / "case" / "reference")
    assert read_files(case).solution == {"main.py", "new.py"}


def suite(tmp_path: Path, *checks: Any, **changes: Any) -> Any:
    """Return a case of a suite, whose directory is looked in after the case's."""
    directory = tmp_path / "case"
    return Bench(tmp_path).case(*checks, roots=(directory, tmp_path), **changes)


SHARED = {
    "scripts/run.sh": "the suite's",
    "scripts/other.sh": "",
    "all.sh": "",
    "secret/key": "",
    "case2/reference/a": "",
}


def test_of_a_suite_only_what_commands_name_is_taken(tmp_path: Path) -> None:
    write(tmp_path, SHARED)
    hook = Hook("before_each", "suite", command("bash all.sh"), tmp_path)
    asked = check("run", setup=(command("bash scripts/run.sh"),))
    found = read_files(suite(tmp_path, asked, hooks=(hook,)))
    assert names(found.own) == {"scripts/run.sh", "all.sh"}
    assert content(found.own.entries["scripts/run.sh"]) == b"the suite's"


@pytest.mark.parametrize(
    "asked",
    [
        check("bash scripts/run.sh"),
        check("x", setup=(command("bash scripts/run.sh"),)),
        check("x", teardown=(command("bash scripts/run.sh"),)),
        check("x", control=command("bash scripts/run.sh")),
        Items(name="i", place=check("x").place, language="bash", items=(Item(name="#1", code="bash scripts/run.sh"),)),
    ],
)
def test_every_command_of_a_check_can_name_a_file_of_the_suite(tmp_path: Path, asked: Any) -> None:
    write(tmp_path, SHARED)
    assert "scripts/run.sh" in names(read_files(suite(tmp_path, asked)).own)


def test_a_directory_of_the_suite_comes_whole_and_the_cases_files_win(tmp_path: Path) -> None:
    write(tmp_path, SHARED)
    found = read_files(suite(tmp_path, check("ls scripts"), files={"scripts/run.sh": "the case's"})).own
    assert names(found) == {"scripts/run.sh", "scripts/other.sh"}
    assert content(found.entries["scripts/run.sh"]) == b"the case's"
    assert found.entries["scripts"].kind is EntryKind.DIRECTORY


def test_no_link_of_the_suite_is_followed_and_what_does_not_exist_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc")
    assert names(read_files(suite(tmp_path, check("cat link nothing link/passwd"))).own) == set()


def test_a_directory_that_is_gone_is_said_with_the_place_of_the_case(tmp_path: Path) -> None:
    case = Bench(tmp_path).case(check("x"), workspace=tmp_path / "gone")
    with pytest.raises(CaseRefused, match=r"case\.yaml: .*gone cannot be read: No such file or directory\."):
        read_files(case)


def test_a_reference_that_is_gone_is_said(tmp_path: Path) -> None:
    with pytest.raises(SubmissionRefused, match="gone"):
        read_files(Bench(tmp_path).case(check("x"), reference=tmp_path / "gone"))


def test_special_files_of_a_case_are_left_out(tmp_path: Path) -> None:
    case = Bench(tmp_path).case(check("x"))
    os.mkfifo(tmp_path / "case" / "pipe")
    assert read_files(case).own.left_out == ("pipe",)


@pytest.mark.parametrize("place", ["", "hw/"])
def test_an_answer_of_a_notebook_is_a_file_where_the_case_names_it(bench: Bench, place: str) -> None:
    item = Item(name="one", code="assert squares(1) == [1]", setup="from cells.squares import squares")
    judge = Items(name="items", place=Place(Path("case.yaml")), language="python", items=(item,))
    case = bench.case(judge, language="python")
    cells = [
        {"cell_type": "code", "source": "a = 1", "metadata": {"nbgrader": {"grade_id": name, "solution": True}}}
        for name in ("squares", "cubes")
    ]
    file = bench.root / "handed" / f"{place}one.ipynb"
    write(bench.root / "handed", {f"{place}one.ipynb": json.dumps({"cells": cells})})
    plan = prepare(case, read_submission(bench.root / "handed" if place else file), image="image")
    assert "cells/squares.py" in plan.laid.entries
    assert "cells/cubes.py" not in plan.laid.entries
