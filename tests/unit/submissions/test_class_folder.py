"""The folder of a class: which of its entries are submissions, and whose."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hand_ins import zipped

from gradebox.graders.errors import SubmissionRefused, UsageRefused
from gradebox.graders.grading.fingerprint import key_for
from gradebox.graders.submissions.class_folder import hand_ins
from gradebox.graders.submissions.source import submission_readers


def make(root: Path, *paths: str) -> Path:
    for path in paths:
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(zipped({"a": b"1"}) if path.endswith(".zip") else b"1")
    return root


def named(root: Path, **options: Any) -> dict[str, str]:
    return {one.name: str(Path(one.path).relative_to(root)) for one in hand_ins(root, **options)}


def test_each_entry_is_a_submission_that_is_named_after_it(tmp_path: Path) -> None:
    paths = "anna/words.py", "ben.zip", "cleo.tar.gz", "dora.py", "emil.ipynb", "Jörg Müller/x/words.py"
    litter = ".DS_Store", "__MACOSX/x", "._ben.zip", "Thumbs.db", ".git/config"
    make(tmp_path, *paths, *litter)
    assert named(tmp_path) == {
        "Jörg Müller": "Jörg Müller", "anna": "anna", "ben": "ben.zip", "cleo": "cleo.tar.gz", "dora": "dora.py",
        "emil": "emil.ipynb",
    }  # fmt: skip


def test_the_directory_of_runs_is_no_submission(tmp_path: Path) -> None:
    make(tmp_path, "anna/words.py", "runs/20261130-1/run.json", "results/words.py")
    assert named(tmp_path, runs=tmp_path / "anna" / ".." / "runs") == {"anna": "anna", "results": "results"}
    assert named(tmp_path, runs=tmp_path / "elsewhere") == {"anna": "anna", "results": "results", "runs": "runs"}


def test_names_are_in_one_normal_form(tmp_path: Path) -> None:
    make(tmp_path, unicodedata.normalize("NFD", "Jörg.zip"), "b.zip")
    assert list(named(tmp_path)) == ["Jörg", "b"] or list(named(tmp_path)) == ["b", "Jörg"]


def test_one_directory_with_files_is_the_submission_of_one(tmp_path: Path) -> None:
    make(tmp_path, "anna/words.py", "anna/notes.txt")
    assert named(tmp_path) == {"anna": "anna"}


def test_entries_lie_as_deep_as_is_said(tmp_path: Path) -> None:
    make(tmp_path, "group-1/anna/words.py", "group-2/ben/words.py")
    assert named(tmp_path, strip=1) == {"anna": "group-1/anna", "ben": "group-2/ben"}


def test_a_directory_with_one_archive_or_notebook_is_that_file(tmp_path: Path) -> None:
    make(tmp_path, "Anna B_17_file/hw.zip", "Ben C_18_file/hw.ipynb", "Cleo D_19_file/hw.py", "Cleo D_19_file/._hw.py")
    found = named(tmp_path, name_from=r"^(?P<name>[^_]+)_")
    assert found == {"Anna B": "Anna B_17_file/hw.zip", "Ben C": "Ben C_18_file/hw.ipynb", "Cleo D": "Cleo D_19_file"}


def test_attempts_of_one_student_are_numbered_by_their_times(tmp_path: Path) -> None:
    make(tmp_path, "anna-b.zip", "anna-a.zip", "ben-a.zip")
    for name, seconds in (("anna-b.zip", 1_000_000), ("anna-a.zip", 2_000_000)):
        os.utime(tmp_path / name, (seconds, seconds))
    found = hand_ins(tmp_path, name_from=r"(\w+)-")
    assert [(one.name, one.student, one.attempt) for one in found] == [
        ("anna (1)", "anna", "1"),
        ("anna (2)", "anna", "2"),
        ("ben", "ben", ""),
    ]
    assert found[0].submitted == "1970-01-12T13:46:40+00:00"
    assert found[0].origin == {"student": "anna", "attempt": "1", "submitted": "1970-01-12T13:46:40+00:00"}
    own = hand_ins(tmp_path, name_from=r"(?P<name>\w+)-(?P<attempt>\w)")
    assert [one.name for one in own] == ["anna (a)", "anna (b)", "ben (a)"]


def test_each_name_is_that_of_one_submission_also_in_documents(tmp_path: Path) -> None:
    make(tmp_path, "eve/a", "eve.py", "eve (1).py", "eve (2) (2).py")
    assert named(tmp_path) == {
        "eve (1)": "eve (1).py",
        "eve (2) (2)": "eve (2) (2).py",
        "eve (2)": "eve",
        "eve (3)": "eve.py",
    }
    (one, other) = hand_ins(
        make(tmp_path / "own", "eve_1.py", "eve (1)_.py"), name_from=r"(?P<name>.+)_(?P<attempt>\d?)"
    )
    assert [one.name, other.name] == ["eve (1) (2)", "eve (1)"]


def test_names_that_are_not_utf_8_stay_different_and_are_found_again(tmp_path: Path) -> None:
    make(tmp_path, "M\udcfcller.py", "M\udcf6ller.py", "M\\xf6ller.py", "m\udcff.py", "m\udcff.txt")
    found = hand_ins(tmp_path)
    assert {one.name for one in found} == {"M\\xf6ller", "M\\xf6ller (2)", "M\\xfcller", "m\\xff (1)", "m\\xff (2)"}
    assert {key_for("case", None, one.name, 1).submission for one in found} == {one.name for one in found}
    readers = submission_readers([one.path for one in found], str)
    assert len({key_for("case", None, name, 1) for name, _ in readers}) == len(found)


def test_the_newest_file_of_a_directory_says_when_it_was_submitted(tmp_path: Path) -> None:
    make(tmp_path, "anna/old", "anna/deep/new", "anna/._new")
    for name, seconds in (("old", 1000), ("deep/new", 5000), ("._new", 9000)):
        os.utime(tmp_path / "anna" / name, (seconds, seconds))
    (one,) = hand_ins(tmp_path)
    assert one.submitted == "1970-01-01T01:23:20+00:00"


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("(", "not a regular expression"),
        (r"^\d+", "does not match anna.zip, ben.zip"),
        (r"(?P<name>)(?P<attempt>)", "not match"),
    ],
)
def test_an_expression_that_does_not_fit_is_refused(tmp_path: Path, pattern: str, says: str) -> None:
    make(tmp_path, "anna.zip", "ben.zip")
    with pytest.raises(UsageRefused, match=says):
        hand_ins(tmp_path, name_from=pattern)


def test_two_submissions_of_one_attempt_are_refused(tmp_path: Path) -> None:
    make(tmp_path, "anna-1.zip", "anna-1.tar")
    with pytest.raises(UsageRefused, match="attempt 1 of anna"):
        hand_ins(tmp_path, name_from=r"(?P<name>\w+)-(?P<attempt>\d)")


def test_a_folder_that_holds_nothing_or_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for place, says in (
        (tmp_path / "empty", "no submissions"),
        (tmp_path / "x", "cannot be read"),
        (make(tmp_path, "f") / "f", "is a file"),
    ):
        with pytest.raises(SubmissionRefused, match=says):
            hand_ins(place)


def test_no_link_in_an_entry_leads_to_the_work_of_somebody_else(tmp_path: Path) -> None:
    make(tmp_path / "all", "ada/hw.zip", "eve/mean.py", "group/ada/a.py", "group/zoe.py")
    (tmp_path / "all" / "ben").mkdir()
    (tmp_path / "all" / "ben" / "hw.zip").symlink_to("../ada/hw.zip")
    (tmp_path / "all" / "cid").symlink_to("eve")
    found = hand_ins(tmp_path / "all")
    assert {one.name: Path(one.path).name for one in found} == {
        "ada": "hw.zip", "ben": "ben", "cid": "cid", "eve": "eve", "group": "group",
    }  # fmt: skip
    read = {name: read() for name, read in submission_readers([one.path for one in found], str, found)}
    assert not read["ben"].unreadable
    assert list(read["ben"].tree.entries) == ["hw.zip"]
    assert list(read["cid"].tree.entries) == ["mean.py"]
    (tmp_path / "all" / "group" / "dan").symlink_to("ada")
    (tmp_path / "all" / "group" / "fay.py").symlink_to("zoe.py")
    found = hand_ins(tmp_path / "all", strip=1)
    read = {name: read() for name, read in submission_readers([one.path for one in found], str, found)}
    assert read["dan"].unreadable.startswith("It is a link")
    assert read["dan"].origin["student"] == "dan"
    assert read["fay"].unreadable.startswith("It is a link")
    assert not read["zoe"].unreadable


@pytest.mark.parametrize("seconds", [-(10**11), 10**14])
def test_no_time_of_a_file_keeps_the_others_from_being_graded(
    tmp_path: Path, seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "anna/words.py", "ben.zip")
    # Few file systems store such times, but memory, XFS and Btrfs do.
    real = Path.lstat
    monkeypatch.setattr(Path, "lstat", lambda path: Lasting(real(path), seconds))
    assert [one.submitted[:4] for one in hand_ins(tmp_path)] == ["9999" if seconds > 0 else "1970"] * 2


class Lasting:
    """The status of a file that was changed at an odd time."""

    def __init__(self, real: os.stat_result, seconds: int) -> None:
        self.st_mode, self.st_mtime = real.st_mode, float(seconds)


@pytest.mark.parametrize("strip", [0, 1])
def test_what_cannot_be_read_is_one_submission(tmp_path: Path, strip: int, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "anna/hw.zip", "ben/hw.zip")
    (tmp_path / "cleo").symlink_to("nowhere")
    real = Path.iterdir

    def iterdir(path: Path) -> Iterator[Path]:
        if path.name == "anna":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    found = {one.name: Path(one.path).name for one in hand_ins(tmp_path, strip=strip, runs=tmp_path / "ben" / "..")}
    assert found == ({"anna": "anna", "hw": "hw.zip"} if strip else {"anna": "anna", "ben": "hw.zip", "cleo": "cleo"})
