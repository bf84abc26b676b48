"""No test opens by a name of the submission what the submission could not read itself."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.languages.python.inside.apart.in_grader.files import told_names
from gradebox.graders.languages.python.inside.apart.in_grader.files.told_names import ToldNames


@pytest.fixture
def hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "grading").mkdir(mode=0o700)
    (tmp_path / "grading" / "golden.txt").write_text("x")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "grading" / "golden.txt"


@pytest.mark.parametrize(
    "tree",
    [
        ["=", 1, [], [], "grading/golden.txt"],
        ["=", 1, [], [], ["v", "pathlib.PosixPath", "./grading//golden.txt"]],
        ["=", 1, [], [], ["b", "Z3JhZGluZy9nb2xkZW4udHh0"]],
        ["=", 1, [], [], ["l", -1, "", {"a": "grading/golden.txt"}]],
        ["=", 1, [], [], "../../grading/golden.txt"],
        ["=", 1, [], [], "file:grading/golden%2etxt?mode=ro"],
        ["=", 1, [], [], "./" * 3000 + "grading/golden.txt"],
        ["=", 1, [], [], ["t", "./grading", "other.txt"]],
    ],
)
def test_a_hidden_file_that_was_named_is_not_opened(hidden: Path, tree: list[Any]) -> None:
    told = ToldNames()
    told.refuse(str(hidden))
    told.hear(tree, 100)
    with pytest.raises(PermissionError, match="cannot read itself"):
        told.refuse(str(hidden))


def test_what_is_named_below_another_directory_than_the_first_is_not_opened(hidden: Path) -> None:
    told = ToldNames()
    told.hear(["=", 1, [], [], "../grading/golden.txt"], 2 << 20)
    with pytest.raises(PermissionError):
        told.refuse(str(hidden))


def test_what_the_submission_could_read_is_opened(hidden: Path) -> None:
    told = ToldNames()
    told.hear(["=", 1, [], [], ["t", "golden.txt", str(hidden), "/tmp/", "/etc/passwd", "missing/a"]], 100)
    told.refuse("/etc/passwd")
    told.refuse(str(hidden.parent / "other.txt"))
    told.refuse(str(hidden.parents[1] / "missing" / "a"))
    told.readable.add(str(hidden.parent))
    told.refuse(str(hidden))


def test_a_name_without_a_slash_is_one_of_the_case(hidden: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(hidden.parent)
    told = ToldNames()
    told.hear(["=", 1, [], [], "golden.txt"], 2 << 20)
    told.refuse(str(hidden))
    told.names = frozenset({"golden.txt"})
    told.hear(["=", 1, [], [], "golden.txt"], 2 << 20)
    with pytest.raises(PermissionError):
        told.refuse(str(hidden))


def test_a_module_of_the_case_is_loaded_whatever_was_named(hidden: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = ToldNames()
    told.hear(["=", 1, [], [], str(hidden)], 100)
    monkeypatch.setattr(told_names, "BEING_LOADED", {str(hidden)})
    told.refuse(str(hidden))


def test_a_hidden_file_is_opened_as_often_as_with_the_reference(hidden: Path) -> None:
    recording, told = ToldNames(), ToldNames()
    for _ in range(2):
        recording.count(str(hidden))
    assert recording.opened == {str(hidden): 2}
    told.allow([f"open {count} {hidden}" for count in (1, 2)])
    told.count("/etc/passwd")
    for _ in range(2):
        told.count(str(hidden))
    with pytest.raises(PermissionError, match="more often than with the reference"):
        told.count(str(hidden))


def test_without_a_reference_nobody_counts(hidden: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = ToldNames()
    for _ in range(3):
        told.count(str(hidden))
    told.allow([])
    monkeypatch.setattr(told_names, "LOADED", {str(hidden)})
    told.count(str(hidden))


@pytest.mark.parametrize(
    "uri",
    ["file:{}?mode=ro", "file://{}", "file://localhost{}#part", "file:%2F{}", "file:%2f%2F%2E{}", "file:{}%00.other"],
)
@pytest.mark.parametrize("name", ["data.db", "d%C3%A4ta base.db"])
def test_the_path_of_a_uri_is_the_one_that_sqlite_opens(tmp_path: Path, uri: str, name: str) -> None:
    uri = uri.format(tmp_path / name)
    with sqlite3.connect(uri.replace("mode=ro", "mode=rwc"), uri=True) as database:
        ((_, _, opened),) = database.execute("pragma database_list")
        database.execute("create table made (number)")
    database.close()
    assert opened.startswith("/")
    assert Path(opened).samefile(told_names.path_of_uri(uri))
