"""Files that submissions name: regular ones, up to a limit, and none outside their directory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.submissions import limited_files
from gradebox.graders.submissions.limited_files import limited, stays_below, text_of_file


def test_a_file_is_read_up_to_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(b"12345")
    assert limited(file) == b"12345"
    monkeypatch.setattr(limited_files, "MAX_BYTES", 4)
    with pytest.raises(SubmissionRefused, match="is larger than 4 bytes"):
        limited(file)


def test_only_a_regular_file_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, message in (
        (tmp_path, "neither a directory nor a file"),
        (tmp_path / "pipe", "neither a directory nor a file"),
        (tmp_path / "missing", "cannot be read: No such file"),
        (Path("a\0b"), "cannot be read: "),
    ):
        with pytest.raises(SubmissionRefused, match=message):
            limited(path)


def test_line_ends_and_a_mark_at_the_begin_are_no_part_of_a_text() -> None:
    assert text_of_file(b"\xef\xbb\xbfa\r\nb\xff") == "a\nb\ufffd"


def test_a_link_leads_out_of_a_directory(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret").touch()
    (inside / "link").symlink_to(tmp_path / "secret")
    (inside / "file").touch()
    assert stays_below(inside, inside / "file")
    assert not stays_below(inside, inside / "link")
    assert not stays_below(inside, inside / "missing")
