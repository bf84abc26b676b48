"""What tests learn of files is told to the answers, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.languages.python.inside.apart.in_grader.files import seen_files
from gradebox.graders.languages.python.inside.apart.in_grader.files.seen_files import SeenFiles


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> tuple[SeenFiles, list[Any]]:
    found = SeenFiles()
    told: list[Any] = []
    monkeypatch.setattr(found, "told", lambda *parts: told.append(parts))
    return found, told


def _learned(seen: tuple[SeenFiles, list[Any]], event: str, path: Path) -> Any:
    files, told = seen
    files.look(event, str(path))
    return told.pop() if told else None


@pytest.mark.parametrize("event", ["open", "os.stat"])
def test_the_mode_and_the_size_of_a_file_are_learned(
    seen: tuple[SeenFiles, list[Any]], tmp_path: Path, event: str
) -> None:
    file = tmp_path / "a"
    file.write_text("one")
    first = _learned(seen, event, file)
    assert _learned(seen, event, file) == first
    file.chmod(0o640)
    other = _learned(seen, event, file)
    file.write_text("longer")
    assert len({first, other, _learned(seen, event, file)}) == 3


def test_the_content_is_learned_by_who_opens_the_file(seen: tuple[SeenFiles, list[Any]], tmp_path: Path) -> None:
    file = tmp_path / "a"
    found = []
    for text in ("one", "two"):
        file.write_text(text)
        found.append([_learned(seen, event, file) for event in ("open", "os.stat")])
    assert found[0][0] != found[1][0]
    assert found[0][1] == found[1][1]


def test_names_are_learned_by_who_lists_a_directory_in_one_order(
    seen: tuple[SeenFiles, list[Any]], tmp_path: Path
) -> None:
    for name in ("b", "a"):
        (tmp_path / name).touch()
    _, _, _, *names = _learned(seen, "os.listdir", tmp_path)
    assert [name for name, *_ in names] == ["a", "b"]


def test_a_missing_file_and_the_text_of_a_link_are_learned(seen: tuple[SeenFiles, list[Any]], tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("nowhere")
    assert _learned(seen, "os.readlink", link) == ("os.readlink", "nowhere")
    assert _learned(seen, "open", tmp_path / "none") == _learned(seen, "open", link) == ("open", 2)


def test_what_cannot_be_compared_is_said_at_the_end_of_a_part(
    seen: tuple[SeenFiles, list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, told = seen
    file = tmp_path / "a"
    file.write_text("one")
    monkeypatch.setattr(seen_files, "_MOST_READ_BYTES", 2)
    os.mkfifo(tmp_path / "pipe")
    for event, path, is_written in (
        ("sqlite3.connect", file, False),
        ("open", file, False),
        ("open", tmp_path / "pipe", False),
        ("os.stat", file, True),
    ):
        files.look(event, str(path), is_written=is_written)
        assert files.end(is_in_test=True)
        assert not files.end(is_in_test=True)
    assert not told


def test_the_list_of_the_workspace_counts_in_tests_alone() -> None:
    files = SeenFiles()
    for is_in_test in (True, False):
        files.has_listed = True
        assert files.end(is_in_test=is_in_test) is is_in_test


def test_a_test_runner_learns_nothing(
    seen: tuple[SeenFiles, list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seen_files, "INSTALLED", ("/", "<"))
    assert _learned(seen, "os.stat", tmp_path) is None


def test_files_that_are_read_to_be_compared_are_not_learned_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, found = SeenFiles(), []
    monkeypatch.setattr(seen_files, "_content", lambda event, path: found.append(files.is_reading()) or [])
    files.look("open", str(tmp_path))
    assert [*found, files.is_reading()] == [True, False]
