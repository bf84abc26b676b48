"""Diffs are applied exactly, or refused."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest
from diff_bench import NO_NEWLINE, ONE_LINE, F, change, git, patched, refused
from hypothesis import strategies as st

from gradebox.graders.submissions.diff import Change, DiffError, apply, parse
from gradebox.graders.submissions.diff.application import MAX_RESULT_BYTES

row = pytest.param


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
        row(ONE_LINE + ONE_LINE, {"f": b"a\n"}, 6, "already patched at line 1", id="twice"),
        row(ONE_LINE + RENAME, {"f": b"a\n"}, 6, "already patched at line 1", id="change and rename"),
        row(RENAME + git("f h\nrename from f\nrename to h\n"), {"f": b""}, 4, "already", id="renamed twice"),
        row(NEW + b"d\n" + ADDED + NEW + b"d/e\n" + ADDED, {}, 5, "is a file too", id="file and directory"),
    ],
)  # fmt: skip
def test_what_does_not_apply_exactly_is_refused(diff: bytes, tree: dict[str, bytes], line: int, said: str) -> None:
    error = refused(diff, tree)
    assert error.line == line
    assert said in error.message


HEADERS = b"old mode 100644;new file mode 100644;deleted file mode 100644;rename from ;rename to ;index 1234..5678"
HUNKS = b"@@;@@ -1 +1 @@;@@ -1,2 +1,0 @@;@@ -0,0 +1 @@;\\ No newline;-;+; ;a;b"
NAMES = b'diff --git ;a/f; b/f;--- ;+++ ;f;/dev/null;";\\;../;\r;\0;\xff'
pieces = st.sampled_from([*HEADERS.split(b";"), *HUNKS.split(b";"), *NAMES.split(b";"), *[b"\n"] * 8])


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
