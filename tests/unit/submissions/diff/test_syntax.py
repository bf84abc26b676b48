"""Diffs are parsed, or refused at a line; no bytes raise anything else, and none take long."""

from __future__ import annotations

from contextlib import suppress

import pytest
from diff_bench import NO_NEWLINE, ONE_LINE, F, change, git, refused
from hypothesis import given, settings
from hypothesis import strategies as st

from gradebox.graders.submissions.diff import DiffError, apply, parse
from gradebox.graders.submissions.diff.syntax import MAX_BYTES, MAX_FILES, MAX_HUNKS

row = pytest.param


@pytest.mark.parametrize(
    ("diff", "line", "said"),
    [
        row(b"", 0, "no patch", id="empty"),
        row(b"I changed nothing.\n", 0, "no patch", id="prose only"),
        row(b"*** a/f\n--- b/f\n***************\n*** 1 ****\n! a\n", 0, "no patch", id="context diff"),
        row(b"@@ -1 +1 @@\n-a\n+b\n", 1, "without the", id="hunk without a name"),
        row(ONE_LINE + b"\n@@ -4 +4 @@\n-a\n+b\n", 7, "without the", id="hunk behind prose"),
        row(ONE_LINE + b"+c\n", 6, "more lines", id="uncounted added line"),
        row(ONE_LINE + b" c\n", 6, "more lines", id="uncounted context"),
        row(ONE_LINE + b"-- c\n", 6, "more lines", id="uncounted deleted line"),
        row(F + b"@@ -1,2 +1,2 @@\n-a\n+b\n", 3, "1 old and 1 new lines are missing", id="truncated"),
        row(F + b"@@ -1,2 +1,2 @@\n-a\n+b\nprose\n", 6, "still missing", id="interrupted"),
        row(F + b"@@ -1,2 +1,2 @@\n-a\n+b\r\n\r\n", 6, "'\\r'", id="blank line with a carriage return"),
        row(F + b"@@ -1 +1,2 @@\n-a\n-b\n+c\n+d\n", 5, "other lines", id="too many old lines"),
        row(F + b"@@ -0 +1 @@\n-a\n+b\n", 3, "do not exist", id="line zero"),
        row(F + b"@@ -1,0 +1,0 @@\n", 3, "do not exist", id="no lines at all"),
        row(F + b"@@ -a +b @@\n", 3, "cannot be understood", id="no numbers"),
        row(F + b"@@ -1 +1 @@x\n-a\n+b\n", 3, "cannot be understood", id="no blank before the heading"),
        row(F + b"@@ -1234567890 +1 @@\n", 3, "cannot be understood", id="huge number"),
        row(F + b"@@ -5 +5 @@\n-a\n+b\n@@ -5 +5 @@\n-a\n+b\n", 6, "before the one above", id="overlap"),
        row(F + b"@@ -5 +5 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n", 6, "before the one above", id="disorder"),
        row(F + b"@@ -5 +7 @@\n-a\n+b\n", 3, "at 5, not at 7", id="a hunk is missing"),
        row(F, 3, "must come a hunk", id="no hunk"),
        row(F + b"prose\n", 3, "must come a hunk", id="prose for a hunk"),
        row(b"--- f\n+++ g\n@@ -1 +1 @@\n-a\n+b\n", 1, "two files", id="two names"),
        row(b"--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", 1, "Both names", id="no name"),
        row(b"--- /dev/null\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", 3, "declared as new", id="new file with old lines"),
        row(b"--- f\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", 3, "declared as deleted", id="deleted file with new lines"),
        row(b'--- "f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n', 1, "does not end", id="open quote"),
        row(b'--- "f"x\n+++ f\n@@ -1 +1 @@\n-a\n+b\n', 1, "stands 'x'", id="text behind a quote"),
        row(b'--- "\\q"\n+++ f\n@@ -1 +1 @@\n-a\n+b\n', 1, "unknown escape", id="unknown escape"),
        row(F + b"@@ -1 +1 @@\n" + NO_NEWLINE + b"-a\n+b\n", 4, "does not follow", id="early marker"),
        row(F + b"@@ -1 +1 @@\n-a\n" + 2 * NO_NEWLINE + b"+b\n", 6, "does not follow", id="two markers"),
        row(F + b"@@ -1 +1 @@\n-\n" + NO_NEWLINE + b"+b\n", 5, "does not follow", id="marked empty line"),
        row(F + b"@@ -1,2 +1 @@\n-a\n" + NO_NEWLINE + b"-b\n+c\n", 6, "the last", id="line behind the end"),
        row(b"diff --cc f\nindex 1,2..3\n--- a/f\n+++ b/f\n@@@ -1 -1 +1 @@@\n", 1, "merge", id="combined diff"),
        row(b"Binary files a/f and b/f differ\n", 1, "Binary", id="binary, plain"),
        row(b"diff -ru a b\nOnly in b: f\n", 2, "diff -N", id="one-sided"),
        row(change("index 1234..5678 100644\nBinary files a/f and b/f differ\n"), 3, "Binary", id="binary"),
        row(change("index 1234..5678\nGIT binary patch\nliteral 0\n"), 3, "Binary", id="git binary patch"),
        row(change("new file mode 120000\n--- /dev/null\n+++ b/f\n"), 2, "Symbolic links", id="new link"),
        row(change("index 1234..5678 120000\n--- a/f\n+++ b/f\n"), 2, "Symbolic links", id="changed link"),
        row(change("old mode 100644\nnew mode 120000\n"), 3, "Symbolic links", id="made a link"),
        row(change("new file mode 160000\n"), 2, "Submodules", id="submodule"),
        row(change("new file mode 104755\n"), 2, "'104755'", id="setuid"),
        row(change("new file mode \n"), 2, "''", id="empty mode"),
        row(change("new file mode 100644\nnew file mode 100755\n"), 3, "twice", id="said twice"),
        row(change("new file mode 100644\ndeleted file mode 100644\n"), 1, "contradicts", id="new and deleted"),
        row(change("old mode 100644\n"), 1, "incomplete", id="half a mode"),
        row(git("a/f b/g\nrename from f\n"), 1, "incomplete", id="half a rename"),
        row(git("a/f b/g\nrename from f\ncopy to g\n"), 1, "contradicts", id="rename and copy"),
        row(change("index 1234..5678 100644\n"), 1, "changes nothing", id="nothing"),
        row(change(""), 1, "changes nothing", id="nothing at all"),
        row(change("new fiel mode 100644\n"), 2, "is not valid", id="misspelt header"),
        row(change("--- a/f\n"), 2, "is not valid", id="half of the names"),
        row(git("a/f b/g\nold mode 100644\nnew mode 100755\n"), 1, "does not name one file", id="unclear name"),
        row(git('"a/f"x"b/f"\nold mode 100644\nnew mode 100755\n'), 1, "does not name one file", id="unclear quotes"),
        row(change("--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n"), 1, "another file", id="inconsistent names"),
        row(git("a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/h\n@@ -1 +1 @@\n-a\n+b\n"), 1, "another file",
                     id="inconsistent rename"),
        row(change("new file mode 100644\n--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+b\n"), 1, "contradict it",
                     id="new file with an old name"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_refused_at_its_line(diff: bytes, line: int, said: str) -> None:
    error = refused(diff, {"f": b"a\n"})
    assert said in error.message
    assert error.line == line


@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_but_a_diff_error(data: bytes) -> None:
    with suppress(DiffError):
        apply(parse(data), lambda _: None)


HEADERS = b"old mode 100644;new file mode 100644;deleted file mode 100644;rename from ;rename to ;index 1234..5678"
HUNKS = b"@@;@@ -1 +1 @@;@@ -1,2 +1,0 @@;@@ -0,0 +1 @@;\\ No newline;-;+; ;a;b"
NAMES = b'diff --git ;a/f; b/f;--- ;+++ ;f;/dev/null;";\\;../;\r;\0;\xff'
pieces = st.sampled_from([*HEADERS.split(b";"), *HUNKS.split(b";"), *NAMES.split(b";"), *[b"\n"] * 8])


@settings(max_examples=500)
@given(st.lists(pieces, max_size=40).map(b"".join))
def test_no_pieces_of_diffs_raise_anything_but_a_diff_error(data: bytes) -> None:
    try:
        changes = apply(parse(data), {"f": b"a\n"}.get)
    except DiffError:
        return
    assert changes
    assert not any(".." in change.path for change in changes)


@pytest.mark.parametrize(
    "data",
    [
        b"Files " + b" and " * 200_000,
        b"Only in " + b": " * 500_000,
        b"--- " + b'"\\' * 500_000,
        b'--- "' + b"\\\\" * 500_000 + b"\n+++ f\n",
        b"diff --git " + b'"' * 1_000_000,
        b"--- \n" * 200_000,
        b"--- x\n+++ x\n@@ -1 +1 @@ " + b"@@ " * 300_000,
        b"--- /dev/null\n+++ " + b"d/" * 500_000 + b"\n@@ -0,0 +1 @@\n+x\n",
        b"\n" * 1_000_000,
    ],
    ids=range(9),
)
@pytest.mark.timeout(60)
def test_no_line_takes_more_than_linear_time(data: bytes) -> None:
    with pytest.raises(DiffError):
        parse(data)


def test_sizes_are_capped() -> None:
    assert f"at most {MAX_BYTES}" in refused(b"x" * (MAX_BYTES + 1)).message
    files = b"".join(git(f"a/f{n} b/f{n}\nnew file mode 100644\n") for n in range(MAX_FILES + 1))
    assert str(MAX_FILES) in refused(files).message
    hunks = b"".join(b"@@ -%d +%d @@\n-\n+\n" % (n, n) for n in range(1, MAX_HUNKS + 2))
    assert str(MAX_HUNKS) in refused(b"--- f\n+++ f\n" + hunks).message
