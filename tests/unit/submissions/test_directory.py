"""Directories that are handed in: scanned without trust."""

from __future__ import annotations

import os
from pathlib import Path

from gradebox.graders.model.submission import digest
from gradebox.graders.model.tree import Tree
from gradebox.graders.submissions.directory import MAX_DIRECTORY_BYTES
from gradebox.graders.submissions.source import read_submission


def test_more_than_any_workspace_may_hold_is_a_problem_of_that_submission_alone(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as stream:
        stream.truncate(MAX_DIRECTORY_BYTES + 1)
    found = read_submission(tmp_path)
    assert (found.problem, found.tree) == (f"It holds more than {MAX_DIRECTORY_BYTES} bytes.", Tree())


def test_paths_that_are_too_long_are_a_problem_of_that_submission_alone(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(25):
        os.mkdir("d" * 200, dir_fd=here)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    found = read_submission(tmp_path)
    assert (found.problem, found.tree) == (f"It holds paths that are too long, below {'d' * 200!r}.", Tree())


def test_a_huge_sparse_file_is_refused_before_anything_of_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 40)
    found = read_submission(tmp_path)
    assert (found.problem, list(found.tree.entries)) == (f"It holds more than {MAX_DIRECTORY_BYTES} bytes.", [])
    assert digest(found)
