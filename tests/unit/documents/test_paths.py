"""Paths that a case file wrote, and names of files for any text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.documents.paths import (
    checkout_root,
    exists,
    file_name,
    is_directory,
    is_file,
    named_file,
    open_regular,
)

# Surrogates too: names of files that are not UTF-8 hold them.
TEXTS = st.text(max_size=300)


@pytest.mark.parametrize("name", ["x" * 5000, "nul\0byte", "not-there"])
def test_a_path_that_cannot_be_is_not_there(tmp_path: Path, name: str) -> None:
    assert not is_directory(tmp_path / name)
    assert not is_file(tmp_path / name)


def test_a_dangling_link_exists_and_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    assert exists(tmp_path / "link")
    assert not is_file(tmp_path / "link")


def test_only_a_regular_file_is_opened_and_no_pipe_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    with open_regular(tmp_path / "file") as stream:
        assert stream.read() == b"text"
    os.mkfifo(tmp_path / "pipe")
    for other in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(OSError, match="not a regular file"):
            open_regular(other)


@given(TEXTS)
def test_a_file_name_is_safe_whatever_the_text(text: str) -> None:
    name = file_name(text)
    assert 0 < len(name) <= 120
    assert name.isascii()
    assert name.isprintable()
    assert not name.startswith(".")
    assert not set(name) & set('/\\:*?"<>| \0')


@given(TEXTS, TEXTS)
def test_different_texts_have_different_file_names(one: str, other: str) -> None:
    assert (file_name(one) == file_name(other)) == (one == other)


@given(st.text(min_size=120, max_size=140), TEXTS.filter(bool))
def test_texts_that_differ_only_where_they_are_cut_have_different_file_names(text: str, end: str) -> None:
    assert file_name(text) != file_name(text + end)


def test_no_text_has_the_file_name_of_one_that_was_cut() -> None:
    cut = file_name("a" * 200)
    assert file_name(cut) != cut


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("add-auth", "add-auth"),
        ("(untouched)", "(untouched)"),
        ("my work", "my+work"),
        ("a+b", "a%2Bb"),
        ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd"),
        ("..", "%2E."),
        (".git", "%2Egit"),
        ("a\nb", "a%0Ab"),
        ("gemüse", "gem%C3%BCse"),
        ("", "%"),
    ],
)
def test_file_names_stay_readable(text: str, name: str) -> None:
    assert file_name(text) == name


def test_a_path_with_a_leading_slash_begins_at_the_root_of_the_checkout(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "task.md").write_text("x")
    below = tmp_path / "cases" / "a"
    below.mkdir(parents=True)
    assert checkout_root(below) == tmp_path
    assert named_file("/task.md", (below,)) == tmp_path / "task.md"
    assert named_file("../../task.md", (below,)) == tmp_path / "task.md"
    assert named_file("nothing.md", (below,)) is None
    assert named_file("x" * 5000, (below,)) is None


def test_a_file_is_looked_up_in_the_directories_above_as_far_as_the_repository_goes(tmp_path: Path) -> None:
    below = tmp_path / "repository" / "evals" / "a"
    below.mkdir(parents=True)
    (tmp_path / "outside.md").write_text("x")
    (tmp_path / "repository" / "task.md").write_text("x")
    assert named_file("task.md", (below,)) is None
    (tmp_path / "repository" / ".agentv").mkdir()
    assert named_file("task.md", (below,)) == tmp_path / "repository" / "task.md"
    assert named_file("outside.md", (below,)) is None
    (below / "task.md").write_text("x")
    assert named_file("task.md", (below,)) == below / "task.md"
