"""What a file is, its content says first."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.submissions.kind import Kind, recognise

DIFF = b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
FENCED = b"The fix:\n\n```python\nprint(1)\n```\n"


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("work.diff", DIFF, Kind.DIFF),
        ("", DIFF, Kind.DIFF),
        ("model-4.5", DIFF, Kind.DIFF),
        ("fix.py", b"\xef\xbb\xbf\ndiff --git a/x b/x\n", Kind.DIFF),
        ("fix.md", DIFF, Kind.DIFF),
        ("fix.diff", b"Subject: a fix\n\n" + DIFF, Kind.DIFF),
        ("fix.patch", b"From " + b"a" * 40 + b" Mon Sep 17\n\n---\n x | 2 +-\n" + DIFF, Kind.DIFF),
        ("mail", b"Hello,\n\n" + DIFF + FENCED, Kind.DIFF),
        ("fix.diff", b"Binary files a/x and b/x differ\n", Kind.DIFF),
        ("fix.diff", b"@@ -1 +1 @@\n-a\n+b\n", Kind.DIFF),
        ("fix.diff", DIFF + b"\0", Kind.DIFF),
        ("fix.diff", b"This is no diff.\n", None),
        ("fix.diff", FENCED, None),
        ("fix.diff", b"\n", Kind.EMPTY),
        ("", b"", Kind.EMPTY),
        ("answer.md", b"Change line 3.\n", Kind.ANSWER),
        ("answer.MD", b"", Kind.ANSWER),
        ("answer.txt", b"42\n", Kind.ANSWER),
        ("answer", FENCED, Kind.ANSWER),
        ("answer.out", FENCED, Kind.ANSWER),
        ("", FENCED, Kind.ANSWER),
        ("", b"```diff\n" + DIFF + b"```\n", Kind.ANSWER),
        ("chat.json", b'[{"role": "user", "content": "x"}]', Kind.TRANSCRIPT),
        ("chat.jsonl", b'{"role": "user"}\n', Kind.TRANSCRIPT),
        ("", b'{"messages": []}', Kind.TRANSCRIPT),
        ("app.py", b'"""\n--- a\n+++ b\n"""\n', Kind.SOURCE_FILE),
        ("app.py", b'"""\n```\nx\n```\n"""\n', Kind.SOURCE_FILE),
        ("app.py", b"", Kind.SOURCE_FILE),
        ("Makefile", b"all:\n\ttrue\n", Kind.SOURCE_FILE),
        ("main.rs", b"fn main() {}\n", Kind.SOURCE_FILE),
        ("", b"Only words.\n", None),
        ("logo.png", b"\x89PNG\r\n\x1a\n\0\0", None),
        ("app.pyc", b"\xa7\r\r\n\0\0\0\0", None),
        ("work.bin", gzip.compress(b"x"), Kind.ARCHIVE),
        ("answer.md", b"PK\x03\x04", Kind.ARCHIVE),
    ],
)
def test_a_file_is_what_its_content_says(name: str, data: bytes, kind: Kind | None) -> None:
    assert recognise(name, data) is kind


@given(st.binary(max_size=200), st.sampled_from(["", "a", "a.py", "a.md", "a.diff", "a.txt", "a.json", "a.zip"]))
def test_any_bytes_are_something_or_refused(data: bytes, name: str) -> None:
    assert recognise(name, data) in {None, *Kind}
