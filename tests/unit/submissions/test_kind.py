"""What a file is, its content says first."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.submissions.kind import FileKind, recognise

DIFF = b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
FENCED = b"The fix:\n\n```python\nprint(1)\n```\n"


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("work.diff", DIFF, FileKind.DIFF),
        ("", DIFF, FileKind.DIFF),
        ("model-4.5", DIFF, FileKind.DIFF),
        ("fix.py", b"\xef\xbb\xbf\ndiff --git a/x b/x\n", FileKind.DIFF),
        ("fix.md", DIFF, FileKind.DIFF),
        ("fix.diff", b"Subject: a fix\n\n" + DIFF, FileKind.DIFF),
        ("fix.patch", b"From " + b"a" * 40 + b" Mon Sep 17\n\n---\n x | 2 +-\n" + DIFF, FileKind.DIFF),
        ("mail", b"Hello,\n\n" + DIFF + FENCED, FileKind.DIFF),
        ("fix.diff", b"Binary files a/x and b/x differ\n", FileKind.DIFF),
        ("fix.diff", b"@@ -1 +1 @@\n-a\n+b\n", FileKind.DIFF),
        ("fix.diff", DIFF + b"\0", FileKind.DIFF),
        ("fix.diff", b"This is not a diff.\n", None),
        ("fix.diff", FENCED, None),
        ("fix.diff", b"\n", FileKind.EMPTY),
        ("", b"", FileKind.EMPTY),
        ("answer.md", b"Change line 3.\n", FileKind.ANSWER),
        ("answer.MD", b"", FileKind.ANSWER),
        ("answer.txt", b"42\n", FileKind.ANSWER),
        ("answer", FENCED, FileKind.ANSWER),
        ("answer.out", FENCED, FileKind.ANSWER),
        ("", FENCED, FileKind.ANSWER),
        ("", b"```diff\n" + DIFF + b"```\n", FileKind.ANSWER),
        ("chat.json", b'[{"role": "user", "content": "x"}]', FileKind.TRANSCRIPT),
        ("chat.jsonl", b'{"role": "user"}\n', FileKind.TRANSCRIPT),
        ("", b'{"messages": []}', FileKind.TRANSCRIPT),
        ("app.py", b'"""\n--- a\n+++ b\n"""\n', FileKind.SOURCE_FILE),
        ("app.py", b'"""\n```\nx\n```\n"""\n', FileKind.SOURCE_FILE),
        ("app.py", b"", FileKind.SOURCE_FILE),
        ("Makefile", b"all:\n\ttrue\n", FileKind.SOURCE_FILE),
        ("main.rs", b"fn main() {}\n", FileKind.SOURCE_FILE),
        ("", b"Only words.\n", None),
        ("logo.png", b"\x89PNG\r\n\x1a\n\0\0", None),
        ("app.pyc", b"\xa7\r\r\n\0\0\0\0", None),
        ("work.bin", gzip.compress(b"x", mtime=0), FileKind.ARCHIVE),
        ("answer.md", b"PK\x03\x04", FileKind.ARCHIVE),
        ("", b"Only in b: new\n" + DIFF, FileKind.DIFF),
        ("fix.patch", b"Only in b: new\n", FileKind.DIFF),
        ("", b"commit 1234567 (HEAD -> main)\n\n    A fix.\n\n" + DIFF, FileKind.DIFF),
        ("", b"Index: x\n" + b"=" * 67 + b"\n" + DIFF, FileKind.DIFF),
        ("answer.md", b"Only in Python 3.12: this works.\n\n" + FENCED, FileKind.ANSWER),
        ("", b"Only in Python 3.12: this works.\n\n" + FENCED, FileKind.ANSWER),
        ("answer.md", b"Files are read where results differ\n" + FENCED, FileKind.ANSWER),
        ("answer.md", b"commit 1234567 broke it.\n```diff\n" + DIFF + b"```\n", FileKind.ANSWER),
        ("answer.md", b"Index: see below\n```diff\n" + DIFF + b"```\n", FileKind.ANSWER),
    ],
)
def test_a_file_is_what_its_content_says(name: str, data: bytes, kind: FileKind | None) -> None:
    assert recognise(name, data) is kind


@given(st.binary(max_size=200), st.sampled_from(["", "a", "a.py", "a.md", "a.diff", "a.txt", "a.json", "a.zip"]))
def test_any_bytes_are_something_or_refused(data: bytes, name: str) -> None:
    assert recognise(name, data) in {None, *FileKind}
