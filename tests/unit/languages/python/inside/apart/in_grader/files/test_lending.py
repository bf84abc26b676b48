"""Files that tests name are the candidate's while its code runs, and taken back before a test opens one."""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.languages.python.inside.apart.in_grader.files import lending
from gradebox.graders.languages.python.inside.apart.in_grader.files.lending import Lending

LEND, RECLAIM = 2, 3


class _Supervised(Lending):
    """Writes down what the supervisor is asked for, which refuses some of it."""

    def __init__(self, *refused: str) -> None:
        super().__init__("")
        self.asked: list[tuple[int, str]] = []
        self.refused = refused

    def _request(self, what: int, path: str) -> int:
        self.asked.append((what, path))
        return int(path in self.refused)


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory for temporary files, outside of the working directory."""
    monkeypatch.setattr(sys, "addaudithook", lambda _: None)
    for name in ("work", "tmp"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(lending, "_SHARED", (f"{tmp_path}/tmp/",))
    return tmp_path / "tmp"


def test_what_a_request_names_below_the_temporary_directory_is_lent(directory: Path) -> None:
    (directory / "a.txt").write_text("")
    (directory / "deep").mkdir()
    files = _Supervised()
    files.find(["x", (directory / "a.txt", [f"{directory}/deep/new.txt"]), "/etc/passwd", f"{directory}/../work/x"])
    files.lend()
    files.reclaim()
    files.reclaim()
    lent = [str(directory / "a.txt"), str(directory / "deep")]
    assert files.asked == [*((LEND, path) for path in lent), *((RECLAIM, path) for path in lent)]


@pytest.mark.parametrize(
    "named", ["--out={}", "cat {} | wc", ("a", {"path": "{}"}), "see ({}).", "{0}/a {0}/b"], ids=str
)
def test_a_path_within_a_text_or_a_dict_is_lent(directory: Path, named: Any) -> None:
    (directory / "own").mkdir()
    text = str(directory / "own")
    value = (named[0], {"path": text}) if isinstance(named, tuple) else named.format(text)
    files = _Supervised()
    files.find(("call", value))
    assert [*files.paths] == [text]


def test_all_files_of_one_request_are_lent_and_few_of_others(directory: Path) -> None:
    paths = [str(directory / f"{number}.txt") for number in range(12)]
    for path in paths:
        Path(path).write_text("")
    files = _Supervised()
    for _ in range(2):
        files.find(paths)
        assert [*files.paths] == paths
    files.find((paths[0],))
    assert [*files.paths] == [paths[0], *paths[5:]]


def test_what_the_supervisor_refuses_is_lent_no_more(directory: Path) -> None:
    refused = str(directory / "refused")
    files = _Supervised(refused)
    files.add(refused, str(directory))
    files.lend()
    files.lend()
    assert files.asked == [(LEND, refused)]


def test_a_link_is_not_followed(directory: Path) -> None:
    (directory / "link").symlink_to("/etc")
    files = _Supervised()
    files.add(f"{directory}/link/deep/passwd", str(directory))
    assert files.paths == {}


@pytest.mark.parametrize("event", ["open", "os.listdir", "os.stat"])
def test_what_the_candidate_made_is_taken_before_it_is_opened(
    directory: Path, monkeypatch: pytest.MonkeyPatch, event: str
) -> None:
    made, files = str(directory / "made"), _Supervised()
    Path(made).write_text("")
    monkeypatch.setattr(os, "geteuid", lambda: 65534)
    monkeypatch.setattr(lending, "_lstat", lambda path: type("Status", (), {"st_uid": 7 if path == made else 0}))
    files.take(event, (made,))
    assert files.asked == []
    files.has_begun = True
    files.take(event, (f"{made}/below",))
    files.take("socket.connect", (made,))
    files.take(event, (5,))
    assert files.asked == [(RECLAIM, made)]
    files.lend()
    assert files.asked[1:] == [(LEND, made)]


@pytest.mark.parametrize(
    ("event", "arguments", "looked"),
    [
        ("os.stat", ("{}/left.txt",), True),
        ("open", ("{}/library/json.py",), False),
        ("os.stat", ("{}/library",), False),
        ("open", ("/etc/hostname",), False),
        ("subprocess.Popen", ("ls", ["ls"], None, None), True),
        ("socket.connect", (None, ("localhost", 80)), True),
        ("socket.connect", (None, "the supervisor's"), False),
    ],
)
@pytest.mark.parametrize("is_written", [True, False])
def test_a_test_looks_at_more_than_answers_if_a_submission_may_have_made_it(
    directory: Path, monkeypatch: pytest.MonkeyPatch, event: str, arguments: Any, looked: bool, is_written: bool
) -> None:
    files = _Supervised()
    files.socket, files.has_begun = "the supervisor's", True
    monkeypatch.setattr(sys, "prefix", f"{directory}/library")
    files.told.readable.add(f"{directory}/left.txt")
    learned: list[str] = []
    files.observed.told, files.is_kept = lambda event, *content: learned.append(event), is_written
    files.take(event, tuple(each.format(directory) if type(each) is str else each for each in arguments))
    is_of_file = event == "os.stat" and looked
    assert learned == [event] * (is_of_file and not is_written)
    assert files.observed.end(is_in_test=True) is (looked and (is_written or not is_of_file))


def test_a_text_of_another_class_is_no_other_path(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Name(str):
        __slots__ = ()

        def startswith(self, *_: Any) -> bool:
            raise AssertionError

        split = __fspath__ = startswith  # type: ignore[assignment]

    made, files = str(directory / "made"), _Supervised()
    Path(made).write_text("")
    monkeypatch.setattr(lending, "_lstat", lambda path: type("Status", (), {"st_uid": 7 if path == made else 0}))
    files.has_begun = True
    files.take("open", (Name(made),))
    assert files.asked == [(RECLAIM, made)]


def test_a_file_of_the_case_is_counted(directory: Path) -> None:
    counted: list[Any] = []
    Path("hidden.txt").write_text("")
    files = _Supervised()
    files.has_begun, files.of_case = True, lambda path: f"the case's {Path(path).name}"
    files.told.count = lambda *told: counted.append(told)  # type: ignore[method-assign]
    files.take("open", ("hidden.txt",))
    files.is_serving = lambda: True
    for name in (
        Path("hidden.txt"),
        "file:hidden.txt?mode=ro",
        "file://localhost" + str(Path("hidden%2Etxt").absolute()),
    ):
        files.take("sqlite3.connect", (name,))
    assert counted == [("the case's hidden.txt", False), *[("the case's hidden.txt", True)] * 3]


def test_a_database_is_counted_before_a_statement_attaches_it(directory: Path) -> None:
    counted: list[Any] = []
    limits: list[str] = []
    files = _Supervised()
    files.has_begun, files.limits, files.of_case = True, limits.append, lambda path: Path(path).name
    files.told.count = lambda *told: counted.append(told)  # type: ignore[method-assign]
    Path("golden.db").touch()
    connection = sqlite3.connect(":memory:")
    connection.set_authorizer(files.attach)
    connection.execute("attach 'golden.db' as golden")
    connection.execute("vacuum")
    assert counted == [("golden.db", False)]
    with pytest.raises(sqlite3.DatabaseError):
        connection.execute("attach 'gold' || 'en.db' as other")
    assert len(limits) == 1


@pytest.mark.parametrize("env", [{"PATH": "/workspace:/.candidate"}, {}])
def test_candidate_is_not_looked_up_elsewhere(directory: Path, env: dict[str, str]) -> None:
    files = _Supervised()
    files.take("subprocess.Popen", ("candidate", ["candidate"], None, env))
    files.has_begun = True
    files.take("subprocess.Popen", ("candidate", ["candidate"], None, {"PATH": "/.candidate:/workspace"}))
    files.take("subprocess.Popen", ("cat", ["cat"], None, env))
    with pytest.raises(PermissionError, match="PATH must begin"):
        files.take("subprocess.Popen", ("candidate", ["candidate"], None, env))


@pytest.mark.parametrize("is_told", [True, False])
@pytest.mark.parametrize(("name", "text"), [("NOCASE", "ADA"), ("RTRIM", "ada  ")])
def test_a_collation_makes_texts_equal_only_as_with_the_reference(is_told: bool, name: str, text: str) -> None:
    words: list[str] = []
    held = Lending.__new__(Lending)
    held.is_told = lambda paths, word: words.append(word) or is_told
    with sqlite3.connect(":memory:") as made:
        held.have_collations(made)
        made.execute(f"create table of (name text unique collate {name})")
        made.executemany("insert into of values (?)", [("Bo",), ("ada",), ("cy",), ("Zoe",)])
        found = [
            made.execute("select count(*) from of where name = ?", (each,)).fetchone()[0] for each in ("ada", text)
        ]
    assert found == [1, int(is_told)]
    assert set(words) == {f"collate {name}"}
