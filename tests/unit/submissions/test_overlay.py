"""Submissions are laid over the workspace of a case."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.model.submission import UNTOUCHED, Form, Submission
from gradebox.graders.model.tree import Tree, content
from gradebox.graders.submissions import source
from gradebox.graders.submissions.overlay import lay
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry

CHANGE = b"--- a/greet.py\n+++ b/greet.py\n@@ -1,2 +1,2 @@\n def greet():\n-    return 1\n+    return 2\n"
NEW = b"--- /dev/null\n+++ b/src/new.py\n@@ -0,0 +1 @@\n+new\n"
GONE = (
    b"diff --git a/d/old.py b/d/old.py\ndeleted file mode 100644\n--- a/d/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n"
)
EXECUTABLE = b"diff --git a/run.sh b/run.sh\nnew file mode 100755\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+true\n"


def workspace(**files: bytes) -> Tree:
    found = {path: file_entry(path, data) for path, data in files.items()}
    found["greet.py"] = file_entry("greet.py", b"def greet():\n    return 1\n", mode=0o755)
    found["d"] = ArchiveEntry("d", EntryKind.DIRECTORY, 0o755)
    found["d/old.py"] = file_entry("d/old.py", b"old\n")
    return Tree({path: found[path] for path in sorted(found)})


def diff_in(directory: Path, data: bytes) -> Submission:
    (directory / "fix.diff").write_bytes(data)
    return read_submission(directory / "fix.diff")


def files(tree: Tree) -> dict[str, bytes]:
    return {entry.path: content(entry) for entry in tree.files()}


def test_a_directory_is_laid_over_the_workspace_without_its_repository(tmp_path: Path) -> None:
    (tmp_path / "work" / ".git").mkdir(parents=True)
    (tmp_path / "work" / "greet.py").write_bytes(b"mine")
    found = read_submission(tmp_path / "work")
    assert (found.name, found.form, found.problem) == ("work", Form.DIRECTORY, "")
    assert files(lay(workspace(), found).tree) == {"greet.py": b"mine", "d/old.py": b"old\n"}


def test_a_diff_is_applied_to_the_workspace(tmp_path: Path) -> None:
    found = lay(workspace(), diff_in(tmp_path, CHANGE + NEW + GONE + EXECUTABLE))
    assert found.problem == ""
    assert files(found.tree) == {
        "greet.py": b"def greet():\n    return 2\n",
        "src/new.py": b"new\n",
        "run.sh": b"true\n",
    }
    assert {path: found.tree.entries[path].mode for path in ("greet.py", "src/new.py", "run.sh")} == {
        "greet.py": 0o755,
        "src/new.py": 0o644,
        "run.sh": 0o755,
    }
    assert "d" not in found.tree.entries


def test_a_file_may_take_the_place_of_a_directory_that_the_diff_empties(tmp_path: Path) -> None:
    found = lay(workspace(), diff_in(tmp_path, GONE + b"--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+file\n"))
    assert files(found.tree)["d"] == b"file\n"


def test_a_renamed_file_keeps_its_permissions(tmp_path: Path) -> None:
    moved = b"diff --git a/greet.py b/hello.py\nsimilarity index 100%\nrename from greet.py\nrename to hello.py\n"
    found = lay(workspace(), diff_in(tmp_path, moved)).tree
    assert "greet.py" not in found.entries
    assert found.entries["hello.py"].mode == 0o755


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (CHANGE.replace(b"return 1", b"return 3"), "does not apply"),
        (CHANGE.replace(b"greet.py", b"missing.py"), "does not apply"),
        (b"--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+file\n", "does not apply"),
        (NEW.replace(b"src/new.py", b"../new.py"), "cannot be read"),
        (b"--- a/x\n+++ b/x\nThis is not a hunk.\n", "cannot be read"),
        (b"@@ -1 +1 @@\n-a\n+b\n", "cannot be read"),
        (CHANGE + b"GIT binary patch\n" + b"\0\xff" * 50, "cannot be read"),
    ],
)
def test_a_bad_diff_is_the_candidates_problem_and_changes_nothing(tmp_path: Path, data: bytes, said: str) -> None:
    found = lay(workspace(), diff_in(tmp_path, data))
    assert said in found.problem
    assert files(found.tree) == files(workspace())


def test_an_empty_diff_changes_nothing(tmp_path: Path) -> None:
    found = lay(workspace(), diff_in(tmp_path, b"\n"))
    assert (files(found.tree), found.problem) == (files(workspace()), "")


def test_a_link_of_the_workspace_is_never_patched_through(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"def greet():\n    return 1\n")
    linked = Tree({"greet.py": ArchiveEntry("greet.py", EntryKind.LINK, target=str(tmp_path / "secret"))})
    assert "There is no file" in lay(linked, diff_in(tmp_path, CHANGE)).problem


@pytest.mark.parametrize(
    ("path", "said"), [("link", "'link' is a link"), ("link/a", "beyond it"), ("d", "a directory")]
)
def test_a_diff_makes_no_file_where_something_else_is(tmp_path: Path, path: str, said: str) -> None:
    entries = {"d": ArchiveEntry("d", EntryKind.DIRECTORY), "link": ArchiveEntry("link", EntryKind.LINK, target="d")}
    patch = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+new\n"
    found = lay(Tree(entries), diff_in(tmp_path, patch.encode()))
    assert said in found.problem
    assert found.tree.entries == entries


def test_without_a_submission_the_workspace_is_as_it_was() -> None:
    assert lay(workspace(), UNTOUCHED).tree == workspace()


@given(st.binary(max_size=200))
def test_no_bytes_make_reading_a_diff_fail(data: bytes) -> None:
    found = source._diff("x", data)
    assert found.problem or lay(workspace(), found).tree is not None
