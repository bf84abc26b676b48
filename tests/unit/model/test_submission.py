"""What submissions bring, compared by their digests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.model.submission import Form, HandIn, Submission, digest
from gradebox.graders.model.transcript import Transcript, TranscriptMessage
from gradebox.graders.model.tree import Tree, scan
from gradebox.graders.submissions.diff import parse
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry


@pytest.mark.parametrize(
    "other",
    [
        {"form": Form.NOTHING},
        {"tree": Tree({"a": file_entry("a", b"y")})},
        {"tree": Tree({"b": file_entry("b", b"x")})},
        {"tree": Tree({"a": file_entry("a", b"x", mode=0o755)})},
        {"tree": Tree({"a": ArchiveEntry("a", EntryKind.LINK, target="x")})},
        {"tree": Tree({"a": file_entry("a", b"x"), "b": file_entry("b", b"")})},
        {"problem": "It was too large."},
        {"fault": "It is gone."},
        {"unreadable": "It is gone."},
    ],
)
def test_the_digest_tells_submissions_apart_by_what_they_bring(other: dict[str, Any]) -> None:
    plain: dict[str, Any] = {"form": Form.DIRECTORY, "tree": Tree({"a": file_entry("a", b"x")})}
    assert digest(Submission("one", **plain)) == digest(Submission("two", **plain))
    assert digest(Submission("one", **plain)) != digest(Submission("one", **(plain | other)))


def test_the_digest_tells_where_the_target_of_a_link_ends() -> None:
    one, other = (
        Tree({"a": ArchiveEntry("a", EntryKind.LINK, target=target), name: file_entry(name, b"x")})
        for target, name in (("t", "b.py"), ("tb", ".py"))
    )
    assert digest(Submission("one", Form.DIRECTORY, one)) != digest(Submission("one", Form.DIRECTORY, other))


def test_what_is_not_known_of_a_hand_in_is_not_recorded() -> None:
    one = HandIn("/x/ada.zip", "ada", "ada", "", "2026-01-31T00:00:00+00:00")
    assert one.origin == {"student": "ada", "submitted": "2026-01-31T00:00:00+00:00"}


def test_what_is_in_memory_counts_and_what_is_on_disk_does_not(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    (patch,) = parse(b"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+1\n")
    assert Submission("one", Form.DIRECTORY, scan(tmp_path)).memory_bytes == 0
    assert Submission("one", Form.DIRECTORY, Tree({"a": file_entry("a", b"12")})).memory_bytes == 2
    assert Submission("one", Form.DIFF, patches=(patch,)).memory_bytes == 3
    said = Transcript((TranscriptMessage("assistant", "1234"),))
    assert Submission("one", output="1", transcript=said).memory_bytes == 5
