"""Files that a command makes for the grader: nothing of them is followed, and too large ones are a problem."""

from __future__ import annotations

import pytest

from gradebox.graders.grading.artifacts import MAX_BYTES, artifact_of
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry


def test_a_file_is_returned_with_its_content() -> None:
    found = artifact_of([file_entry("r.json", b"{}"), file_entry("other", b"x")], "r.json")
    assert (found.data, found.problem, found.missing) == (b"{}", "", False)


@pytest.mark.parametrize(
    ("entries", "problem", "missing"),
    [
        ([], "it is missing", True),
        ([ArchiveEntry("r.json", EntryKind.LINK, target="/etc/passwd")], "it is a link, not a file", True),
        ([ArchiveEntry("r.json", EntryKind.DIRECTORY)], "it is a directory, not a file", True),
        ([file_entry("r.json", bytes(MAX_BYTES + 1))], "it is larger than 8 MiB", False),
    ],
)
def test_everything_else_is_a_problem_of_the_submission(
    entries: list[ArchiveEntry], problem: str, missing: bool
) -> None:
    found = artifact_of(entries, "r.json")
    assert (found.data, found.problem, found.missing) == (b"", problem, missing)
