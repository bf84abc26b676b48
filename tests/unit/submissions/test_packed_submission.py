"""Submissions as bytes and back: nothing is lost, and no bytes make a submission that could not have been handed in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mixed_submissions import mixed_submissions

from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.model.submission import UNTOUCHED, Submission, digest, identity
from gradebox.graders.model.tree import read
from gradebox.graders.submissions.packed_submission import packed, unpacked
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry, pack

WORDS, FILES = packed(UNTOUCHED)


def test_every_form_comes_back_as_it_was(tmp_path: Path) -> None:
    for path in mixed_submissions(tmp_path / "work", 10):
        submission = read_submission(path)
        found = unpacked(*packed(submission))
        assert identity(found, digest(found)) == identity(submission, digest(submission))
        assert found.tree.left_out == submission.tree.left_out
        assert [(e.path, e.kind, e.mode, e.mtime, e.target) for e in found.tree.entries.values()] == [
            (e.path, e.kind, e.mode, e.mtime, e.target) for e in submission.tree.entries.values()
        ]


def test_names_and_texts_that_are_not_utf_8_come_back() -> None:
    submission = Submission("s", output="\ud800", deleted=("a\udcff",), problem="\udc80")
    assert unpacked(*packed(submission)) == submission


def archive(*entries: ArchiveEntry) -> bytes:
    return b"".join(pack(entries, read))


LINK = ArchiveEntry("a", EntryKind.LINK, 0o777, target="/etc")
INSIDE = file_entry("a/passwd", b"x")
CLIMBING = archive(file_entry("xx/x", b"")).replace(b"xx/x", b"../x")


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (b"x" * 1024, "It is not a submission"),
        (archive(LINK, INSIDE), "below what is not a directory"),
        (archive(file_entry("a", b""), INSIDE), "below what is not a directory"),
        (archive(file_entry("a", b""), file_entry("a", b"")), "twice"),
        (archive(file_entry("/".join("d" * 300), b"")), "too deep"),
        (CLIMBING, "It is not a submission"),
    ],
)
def test_files_that_no_submission_has_are_refused(files: bytes, why: str) -> None:
    with pytest.raises(SubmissionRefused, match=why):
        unpacked(WORDS, files)


def diff_with(**changes: object) -> bytes:
    hunk = {"line": 3, "old_start": 0, "old_count": 0, "new_start": 1, "new_count": 1, "body": "K3gK"}
    patch = {"line": 1, "operation": "create", "old": None, "new": "a", "mode": None, "hunks": [], "explicit": True}
    hunk |= {key: value for key, value in changes.items() if key in hunk}
    patch |= {"hunks": [hunk], **{key: value for key, value in changes.items() if key in patch}}
    return json.dumps({**json.loads(WORDS), "form": "diff", "patches": [patch]}).encode()


def test_a_diff_that_is_sound_is_taken() -> None:
    assert unpacked(diff_with(), FILES).patches[0].hunks[0].body == b"+x\n"


@pytest.mark.parametrize(
    "words",
    [
        b"", b"[]", b"{}", b"[" * 100_000, WORDS.replace(b'"nothing"', b'"other"'),
        WORDS.replace(b'"nothing"', b'"source-file"'), diff_with(new="../a"),
        diff_with(new=None), diff_with(new_start=-1), diff_with(body="K3g"), diff_with(mode=0o4755),
    ],
)  # fmt: skip
def test_words_that_are_of_no_submission_are_refused(words: bytes) -> None:
    with pytest.raises(SubmissionRefused):
        unpacked(words, FILES)
