"""Files of the tests change only where the reference changes some of that name."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gradebox.graders.languages.python.inside.apart.in_grader.files.kept_files import KeptFiles


def _of_tests(directory: Path) -> None:
    (directory / "inner").mkdir()
    (directory / "in.txt").write_text("a")
    (directory / "inner" / "deep.txt").write_text("b")
    (directory / "tmp0123_abc.json").write_text("{}")


def _changed(directory: Path, change: Callable[[Path], object], *allowed: str) -> tuple[str, list[str]]:
    """Return the name of a file that the submission must not change, and the words that were asked for."""
    files, asked = KeptFiles(), list[str]()

    def may_change(paths: object, word: str) -> bool:
        asked.append(word)
        assert paths == (("#files",),)
        return word in allowed

    files.keep([str(directory)])
    change(directory)
    return files.changed(may_change), asked


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda place: (place / "in.txt").write_text(""), "in.txt"),
        (lambda place: (place / "inner" / "deep.txt").unlink(), "deep.txt"),
        (lambda place: shutil.rmtree(place / "inner"), "deep.txt"),
        (lambda place: (place / "in.txt").rename(place / "other.txt"), "in.txt"),
        (lambda place: (place / "tmp0123_abc.json").write_text("[]"), "tmp.json"),
    ],
)
def test_a_file_of_the_tests_stays_unless_the_reference_changes_one_of_its_name(
    tmp_path: Path, change: Callable[[Path], object], name: str
) -> None:
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        _of_tests(tmp_path / place)
    assert _changed(tmp_path / "a", change) == (name, [f"change {name}"])
    assert _changed(tmp_path / "b", change, f"change {name}") == ("", [f"change {name}"])


def test_it_may_be_read_and_written_with_the_same_content(tmp_path: Path) -> None:
    _of_tests(tmp_path)
    assert _changed(tmp_path, lambda place: (place / "in.txt").write_text("a")) == ("", [])


def test_what_the_submission_has_made_is_its_own_until_a_test_writes_it(tmp_path: Path) -> None:
    files = KeptFiles()
    for content, of_test, refused in (("1", False, ""), ("2", False, ""), ("3", True, "out.txt")):
        if of_test:
            (tmp_path / "out.txt").write_text("of the test")
        files.keep([str(tmp_path)])
        (tmp_path / "out.txt").write_text(content)
        assert files.changed(lambda *_: False) == refused
