"""Headers of diffs: names are understood however they are written, and refused where they lead elsewhere."""

from __future__ import annotations

import pytest
from diff_bench import git, patched, refused

from gradebox.graders.submissions.diff import apply, parse

row = pytest.param


@pytest.mark.parametrize(
    "names_lines",
    [
        b"--- a/f\n+++ b/f\n",
        b"--- f\n+++ f\n",
        b"--- before/f\n+++ after/f\n",
        b"--- a/f\t2024-01-01 10:00:00.000000000 +0100\n+++ b/f\t2024-01-01 10:00:00.000000000 +0100\n",
        b'--- "a/\\146"\n+++ "b/f"\t2024\n',
        b"diff --git a/f b/f\nindex 7898192..6178079 100644\n--- a/f\n+++ b/f\n",
        b"diff --git f f\n--- f\n+++ f\n",
        b"diff --git old/f newer/f\n--- old/f\n+++ newer/f\n",
        b"diff -u a/f b/f\n--- a/f\n+++ b/f\n",
        b"Index: f\n====\n--- f\t(revision 1)\n+++ f\t(working copy)\n",
        b"From 1234 Mon Sep 17\nSubject: [PATCH] x\n\n---\n f | 2 +-\n\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n",
        b"--- a/f\r\n+++ b/f\r\n",
    ],
)
def test_names_are_understood_however_they_are_written(names_lines: bytes) -> None:
    body = b"@@ -1 +1 @@ heading\n-a\n+b\n"
    assert patched(names_lines + body, {"f": b"a\n"}) == {"f": b"b\n"}
    signature = b"-- \n2.43.0\n\n"
    assert patched(names_lines + body + signature, {"f": b"a\n"}) == {"f": b"b\n"}


def test_quoted_names_are_bytes() -> None:
    diff = git('"a/\\303\\274 \\"\\t\\377" "b/\\303\\274 \\"\\t\\377"\nnew file mode 100644\n')
    (made,) = apply(parse(diff), lambda _: None)
    assert made.path == 'ü "\t\udcff'


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd", "../f", "a/../../f", "./f", "f/.", "f//g", "f/", ".git/hooks/pre-commit", "sub/.GIT/config",
        "\\000", "f\\000", "n" * 256, "/".join("d" * 65), "x/" * 40 + "n" * 200 + "/" + "/".join(["n" * 250] * 20),
    ],
)  # fmt: skip
def test_paths_that_lead_elsewhere_are_refused(path: str) -> None:
    body = "@@ -0,0 +1 @@\n+x\n"
    quoted = '"' + path + '"'
    for diff in (
        f"--- {quoted}\n+++ {quoted}\n{body}",
        f"--- /dev/null\n+++ {quoted}\n{body}",
        f'--- "a/{path}"\n+++ "b/{path}"\n{body}',
        f"diff --git {quoted} {quoted}\nnew file mode 100644\n",
        f"diff --git a/f b/f\nrename from f\nrename to {quoted}\n",
        f"diff --git a/f b/f\ncopy from {quoted}\ncopy to f\n",
    ):
        assert refused(diff.encode(), {"f": b""}).line == 1
