"""What a grader's process is told of the files of the case."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.grading.apart import told_files
from gradebox.graders.grading.planner import make_plan
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.model.plan import Files, Plan
from gradebox.graders.model.tree import Tree, overlay, parents
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry

OWN = {"grading/test_app.py": b"import app\n", "grading/helpers.py": b"X = 1\n"}
OURS = "grading/gradebox_candidate.py"
WORKSPACE = {"app.py": b"", "settings.py": b"S = 1\n", "tests/test_own.py": b"T = 1\n"}


def tree(files: dict[str, bytes], *more: ArchiveEntry) -> Tree:
    listed = [*(file_entry(path, data) for path, data in files.items()), *more]
    above = {top: ArchiveEntry(top, EntryKind.DIRECTORY, 0o755) for one in listed for top in parents(one.path)}
    entries = above | {one.path: one for one in listed}
    return Tree({path: entries[path] for path in sorted(entries)})


def link(path: str, target: str) -> ArchiveEntry:
    return ArchiveEntry(path, EntryKind.LINK, 0o777, target=target)


def plan(*argv: str, own: Tree | None = None, laid: dict[str, bytes] | None = None, **changes: Any) -> Plan:
    asked = {"name": "check", "place": Place(Path("case.yaml")), "command": CommandSpec(argv), "isolation": "apart"}
    check = CodeGrader(**(asked | {name: changes.pop(name) for name in ("isolation",) if name in changes}))
    case = Case("case", check.place, Path("/case"), (check,), **changes)
    workspace = tree(WORKSPACE)
    files = Files(workspace, own or tree(OWN), frozenset({"app.py"}))
    return make_plan(case, files, overlay(workspace, tree(laid or {})), image="image")


def told(made: Plan) -> dict[str, Any]:
    directory, file = told_files.entries(made, made.stages[0])
    assert (directory.path, file.path) == (".gradebox", ".gradebox/apart.json")
    assert file.data is not None
    found: dict[str, Any] = json.loads(file.data)
    return found


def test_files_that_are_delivered_have_their_digests() -> None:
    found = told(plan("pytest", "grading"))
    assert {path: found["files"][path] for path in OWN} == {p: sha256(data).hexdigest() for p, data in OWN.items()}
    assert (found["contract"], found["exact"], found["record"]) == (None, False, False)


def test_what_a_submission_can_change_is_not_listed() -> None:
    laid = {"app.py": b"A = 1\n", "test_mine.py": b"", "grading/test_mine.py": b"", "tests/test_mine.py": b""}
    assert set(told(plan("pytest", "grading", laid=laid))["files"]) == {*OWN, OURS}


def test_a_file_that_is_restored_has_the_digest_of_the_case() -> None:
    made = plan("pytest", "tests", laid={"tests/test_own.py": b"changed\n"})
    assert told(made)["files"] == {"tests/test_own.py": sha256(WORKSPACE["tests/test_own.py"]).hexdigest()}
    protected = told(plan("pytest", "grading", protect=("settings.py",)))
    assert "settings.py" in protected["files"]
    assert "settings.py" not in told(plan("pytest", "grading"))["files"]


def test_a_link_of_the_case_is_another_path_of_its_files() -> None:
    own = tree(OWN, link("grading/again.py", "helpers.py"), link("grading/all", "."), link("grading/out", "/etc"))
    found = told(plan("pytest", "grading", own=own))["files"]
    assert found["grading/again.py"] == found["grading/helpers.py"] == found["grading/all/helpers.py"]
    assert not any(path.startswith("grading/out") for path in found)


@pytest.mark.parametrize(("argv", "isolation"), [(["pytest", "grading"], "in-process"), (["sh", "x.sh"], "apart")])
def test_only_runners_of_ours_that_run_apart_are_told(argv: list[str], isolation: str) -> None:
    made = plan(*argv, isolation=isolation)
    assert told_files.entries(made, made.stages[0]) == ()


def test_a_file_that_changes_has_another_digest(tmp_path: Path) -> None:
    place = tmp_path / "test_app.py"
    for number, text in enumerate((b"1\n", b"2\n")):
        place.write_bytes(text)
        os.utime(place, ns=(number, number))
        own = tree({}, ArchiveEntry("grading/test_app.py", size=2, source=place))
        assert told(plan("pytest", "grading", own=own))["files"]["grading/test_app.py"] == sha256(text).hexdigest()
