"""Diffs are understood however they are written, or refused at a line; no bytes raise anything else."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress

import pytest
from diff_bench import NO_NEWLINE, ONE_LINE, F, change, git, patched, refused
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.submissions.diff import (
    Change,
    DiffError,
    Operation,
    apply,
    parse,
)
from graders.submissions.diff.application import MAX_RESULT_BYTES
from graders.submissions.diff.errors import shown
from graders.submissions.diff.syntax import MAX_BYTES, MAX_FILES, MAX_HUNKS

row = pytest.param

# Headers


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


def test_files_are_created_deleted_emptied_and_changed_in_one_diff() -> None:
    diff = (
        git("a/new b/new\nnew file mode 100755\nindex 0000000..1\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+x\n+y\n")
        + git("a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n")
        + git("a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-o\n")
        + git("a/hollow b/hollow\ndeleted file mode 100644\nindex e69de29..0000000\n")
        + git("a/emptied b/emptied\n--- a/emptied\n+++ b/emptied\n@@ -1 +0,0 @@\n-e\n")
        + git("a/run b/run\nold mode 100644\nnew mode 100755\n")
    )
    tree = {"old": b"o\n", "hollow": b"", "emptied": b"e\n", "run": b"r\n"}
    assert apply(parse(diff), tree.get) == (
        Change("old", None),
        Change("hollow", None),
        Change("new", b"x\ny\n", 0o755),
        Change("empty", b"", 0o644),
        Change("emptied", b""),
        Change("run", b"r\n", 0o755),
    )


def test_plain_diffs_create_and_delete_by_dev_null_or_by_the_epoch() -> None:
    made = b"--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"
    assert patched(made, {}) == {"f": b"a\n"}
    gone = b"--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    assert patched(gone, {"f": b"a\n"}) == {}
    epoch = b"--- a/f\t2024-02-02 02:02:02 +0000\n+++ b/f\t1970-01-01 05:30:00.000000000 +0530\n@@ -1 +0,0 @@\n-a\n"
    assert patched(epoch, {"f": b"a\n"}) == {}
    emptied = epoch.replace(b"05:30:00.0", b"05:30:01.0")
    assert patched(emptied, {"f": b"a\n"}) == {"f": b""}
    unannounced = b"--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"
    assert patched(unannounced, {}) == {"f": b"a\n"}


def test_renames_and_copies_read_what_was_there_before_the_diff() -> None:
    diff = (
        git("a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n")
        + git("a/b b/a\nsimilarity index 50%\nrename from b\nrename to a\n--- a/b\n+++ b/a\n@@ -1 +1 @@\n-B\n+C\n")
        + git("a/s b/t\nsimilarity index 100%\ncopy from s\ncopy to t\n")
        + git("a/s b/s\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-S\n+T\n")
    )
    tree = {"a": b"A\n", "b": b"B\n", "s": b"S\n"}
    assert patched(diff, tree) == {"a": b"C\n", "b": b"A\n", "s": b"T\n", "t": b"S\n"}
    origins = {change.path: change.origin for change in apply(parse(diff), tree.get)}
    assert origins == {"b": "a", "a": "b", "t": "s", "s": None}


def test_a_deleted_file_makes_room_for_a_directory() -> None:
    diff = git("a/d/f b/d/f\nnew file mode 100644\n") + git("a/d b/d\ndeleted file mode 100644\n")
    assert [change.path for change in apply(parse(diff), {"d": b""}.get)] == ["d", "d/f"]


def test_quoted_names_are_bytes() -> None:
    diff = git('"a/\\303\\274 \\"\\t\\377" "b/\\303\\274 \\"\\t\\377"\nnew file mode 100644\n')
    (made,) = apply(parse(diff), lambda _: None)
    assert made.path == 'ü "\t\udcff'


# Contents


def test_carriage_returns_are_part_of_lines() -> None:
    diff = b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+2\n"
    assert patched(diff, {"f": b"one\r\ntwo\r\n"}) == {"f": b"one\r\n2\n"}
    assert "'one\\r'" in refused(diff, {"f": b"one\ntwo\n"}).message


def test_a_line_stripped_of_its_blank_and_a_diff_stripped_of_its_last_newline_are_taken() -> None:
    diff = b"--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c"
    assert patched(diff, {"f": b"a\n\nb\n"}) == {"f": b"a\n\nc\n"}


def test_a_missing_newline_is_kept_added_and_removed() -> None:
    def diff(body: bytes) -> bytes:
        return b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n" + body

    kept = diff(b"-a\n+b\n z\n" + NO_NEWLINE)
    assert patched(kept, {"f": b"a\nz"}) == {"f": b"b\nz"}
    assert "newline" in refused(kept, {"f": b"a\nz\n"}).message
    assert "newline" in refused(diff(b"-a\n+b\n z\n"), {"f": b"a\nz"}).message
    added = diff(b" a\n-z\n" + NO_NEWLINE + b"+z\n")
    assert patched(added, {"f": b"a\nz"}) == {"f": b"a\nz\n"}
    removed = diff(b" a\n-z\n+z\n" + NO_NEWLINE)
    assert patched(removed, {"f": b"a\nz\n"}) == {"f": b"a\nz"}
    assert "goes on" in refused(removed, {"f": b"a\nz\nmore\n"}).message


def test_a_line_cannot_be_put_behind_one_without_a_newline() -> None:
    diff = b"--- a/f\n+++ b/f\n@@ -1,0 +2 @@\n+b\n"
    assert patched(diff, {"f": b"a\n"}) == {"f": b"a\nb\n"}
    assert "no newline" in refused(diff, {"f": b"a"}).message


# What does not apply

RENAME = git("f g\nrename from f\nrename to g\n")
NEW = b"--- /dev/null\n+++ "
ADDED = b"@@ -0,0 +1 @@\n+b\n"


@pytest.mark.parametrize(
    ("diff", "tree", "line", "said"),
    [
        row(ONE_LINE, {"f": b"x\n"}, 4, "Line 1 of 'f' must be 'a', but is 'x'", id="deleted line"),
        row(ONE_LINE, {"f": b"\na\n"}, 4, "but is ''", id="offset"),
        row(ONE_LINE, {"f": b""}, 4, "has only 0", id="too short"),
        row(ONE_LINE, {"f": b"a \n"}, 4, "but is 'a '", id="blank at the end"),
        row(ONE_LINE, {"f": b"ab\n"}, 4, "but is 'ab'", id="longer line"),
        row(ONE_LINE, {}, 1, "no file 'f'", id="no file"),
        row(F + b"@@ -3 +3 @@\n-a\n+b\n", {"f": b"a\n"}, 3, "has only 1", id="behind the end"),
        row(F + b"@@ -1,2 +1,2 @@\n c\n-a\n+b\n", {"f": b"d\na\n"}, 4, "'c', but is 'd'", id="context"),
        row(b"--- /dev/null\n+++ f\n@@ -0,0 +1 @@\n+b\n", {"f": b""}, 1, "exists", id="new file exists"),
        row(b"--- /dev/null\n+++ f/g\n@@ -0,0 +1 @@\n+b\n", {"f": b""}, 1, "'f' is a file", id="below a file"),
        row(b"--- f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", {"f": b"a\nb\n"}, 1, "not all", id="deletes a part"),
        row(change("deleted file mode 100644\n"), {"f": b"a\n"}, 1, "not all", id="deletes without lines"),
        row(RENAME, {"f": b"", "g": b""}, 1, "exists", id="rename onto a file"),
        row(git("f g\ncopy from f\ncopy to g\n"), {"f": b"", "g": b""}, 1, "exists", id="copy onto a file"),
        row(change("--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+b\n"), {}, 1, "no file", id="git announces new files"),
        row(ONE_LINE + ONE_LINE, {"f": b"a\n"}, 6, "already at line 1", id="twice"),
        row(ONE_LINE + RENAME, {"f": b"a\n"}, 6, "already at line 1", id="change and rename"),
        row(RENAME + git("f h\nrename from f\nrename to h\n"), {"f": b""}, 4, "already", id="renamed twice"),
        row(NEW + b"d\n" + ADDED + NEW + b"d/e\n" + ADDED, {}, 5, "is a file too", id="file and directory"),
    ],
)  # fmt: skip
def test_what_does_not_apply_exactly_is_refused(diff: bytes, tree: dict[str, bytes], line: int, said: str) -> None:
    error = refused(diff, tree)
    assert error.line == line
    assert said in error.message


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
        row(change("new fiel mode 100644\n"), 2, "cannot be understood", id="misspelt header"),
        row(change("--- a/f\n"), 2, "cannot be understood", id="half of the names"),
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


# Hostile input


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


@given(st.text())
def test_what_is_quoted_in_messages_is_short_and_has_no_control_characters(raw: str) -> None:
    for value in (raw, raw.encode("utf-8", "surrogatepass")):
        quoted = shown(value)
        assert quoted.isprintable()
        assert len(quoted) < 900


def seconds(diff: bytes, tree: Mapping[str, bytes]) -> float:
    begin = time.process_time()
    apply(parse(diff), tree.get)
    return time.process_time() - begin


def test_time_grows_with_the_size_and_no_faster() -> None:
    def many_hunks(count: int) -> tuple[bytes, dict[str, bytes]]:
        hunks = [b"@@ -%d +%d @@\n-%d\n+x\n" % (n, n, n) for n in range(1, 2 * count, 2)]
        return b"--- f\n+++ f\n" + b"".join(hunks), {"f": b"".join(b"%d\n" % n for n in range(1, 2 * count + 1))}

    assert patched(*many_hunks(100_000))["f"].count(b"x") == 100_000
    # Ten times the input: 100 times the time if it were quadratic.
    assert seconds(*many_hunks(100_000)) < 40 * max(seconds(*many_hunks(10_000)), 0.01)


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
def test_no_line_takes_more_than_linear_time(data: bytes) -> None:
    begin = time.process_time()
    with pytest.raises(DiffError):
        parse(data)
    assert time.process_time() - begin < 5


def test_sizes_are_capped() -> None:
    assert f"at most {MAX_BYTES}" in refused(b"x" * (MAX_BYTES + 1)).message
    files = b"".join(git(f"a/f{n} b/f{n}\nnew file mode 100644\n") for n in range(MAX_FILES + 1))
    assert str(MAX_FILES) in refused(files).message
    hunks = b"".join(b"@@ -%d +%d @@\n-\n+\n" % (n, n) for n in range(1, MAX_HUNKS + 2))
    assert str(MAX_HUNKS) in refused(b"--- f\n+++ f\n" + hunks).message


def test_copies_cannot_multiply_memory() -> None:
    big = b"x" * 1_000_000 + b"\n"
    diff = b"".join(git(f"a/f b/f{n}\ncopy from f\ncopy to f{n}\n") for n in range(MAX_RESULT_BYTES // len(big) + 1))
    reads = []

    def read(path: str) -> bytes | None:
        reads.append(path)
        return big if path == "f" else None

    with pytest.raises(DiffError, match="more than"):
        apply(parse(diff), read)
    assert reads.count("f") == 1


def test_a_parsed_diff_says_what_it_does() -> None:
    (patch,) = parse(
        git("a/f b/g\nold mode 100644\nnew mode 100755\nsimilarity index 100%\nrename from f\nrename to g\n")
    )
    assert (patch.operation, patch.old, patch.new, patch.mode, patch.line) == (Operation.RENAME, "f", "g", 0o755, 1)
