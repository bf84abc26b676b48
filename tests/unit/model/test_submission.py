"""What submissions bring, compared by their digests."""

from __future__ import annotations

from typing import Any

import pytest

from gradebox.graders.model.submission import Form, HandIn, Submission, digest
from gradebox.graders.model.tree import Tree
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
