"""Checks of files, and the globs that say which."""

from __future__ import annotations

from typing import Any

import pytest
from evidence_bench import judge, make, tree

from graders.checks.files.file_changes import FileChanges, changed_files
from graders.checks.files.file_contains import FileContains
from graders.checks.files.file_exists import FileExists
from graders.model.evidence import MAX_TEXT_BYTES, Evidence
from graders.model.tree import Tree
from graders.model.verdict import Status
from sandbox.archive import ArchiveEntry, EntryKind

FILES = {"src": None, "src/a.py": "import os\n", "src/b.py": "eval(x)\nimport os\n", "notes.md": "done", "empty": None}


@pytest.mark.parametrize(
    ("kind", "fields", "score"),
    [
        (FileExists, {"paths": ("src/a.py",)}, 1.0),
        (FileExists, {"paths": ("src/*.py", "notes.md")}, 1.0),
        (FileExists, {"paths": ("src/a.py", "src/c.py")}, 0.5),
        (FileExists, {"paths": ("a.py",)}, 0.0),
        (FileExists, {"paths": ("empty",)}, 0.0),
        (FileExists, {"paths": ("src",)}, 1.0),
        (FileExists, {"paths": ("link",)}, 1.0),
        (FileExists, {"paths": ("a.py",), "negate": True}, 1.0),
        (FileContains, {"paths": ("src/b.py",), "value": ("eval", "import")}, 1.0),
        (FileContains, {"paths": ("src/*.py",), "value": ("eval",)}, 1.0),
        (FileContains, {"paths": ("src/a.py",), "value": ("import", "eval")}, 0.0),
        (FileContains, {"paths": ("src/*.py", "notes.md"), "value": ("import",)}, 0.5),
        (FileContains, {"paths": ("gone",), "value": ("x",)}, 0.0),
        (FileContains, {"paths": ("link",), "value": ("x",)}, 0.0),
        (FileContains, {"paths": ("src/*.py",), "value": ("exec(",), "negate": True}, 1.0),
        (FileContains, {"paths": ("src/*.py",), "value": ("eval(",), "negate": True}, 0.0),
    ],
)
def test_what_is_there_and_what_it_holds(kind: Any, fields: Any, score: float) -> None:
    assert judge(make(kind, **fields), Evidence(tree=tree(FILES, link="/etc/passwd"))).score == score


@pytest.mark.parametrize("path", ["big", "link"])
def test_what_cannot_be_read_is_taken_to_hold_what_it_must_not(path: str) -> None:
    files = tree({"big": b" " * (MAX_TEXT_BYTES + 1)}, link="/etc/passwd")
    spec = make(FileContains, paths=(path,), value=("eval(",), negate=True)
    assert judge(spec, Evidence(tree=files)).score == 0.0


BEFORE = {"src/a.py": "1", "src/b.py": "2", "tests/t.py": "3", "gone.txt": "4"}
AFTER = {"src/a.py": "1!", "src/b.py": "2", "tests/t.py": "3", "src/new.py": "5", "dir": None}


@pytest.mark.parametrize(
    ("fields", "score"),
    [
        ({"paths": ("src/a.py",)}, 1.0),
        ({"paths": ("gone.txt",)}, 1.0),
        ({"paths": ("src/new.py", "src/b.py")}, 0.5),
        ({"only": ("src", "gone.txt")}, 1.0),
        ({"only": ("src/**",)}, 0.0),
        ({"forbidden": ("tests/**",)}, 1.0),
        ({"forbidden": ("*.txt",)}, 0.0),
        ({"min_files": 3, "max_files": 3}, 1.0),
        ({"min_files": 4}, 0.0),
        ({"max_files": 2}, 0.0),
        ({"paths": ("src/a.py",), "max_files": 2}, 0.5),
    ],
)
def test_what_was_changed(fields: Any, score: float) -> None:
    evidence = Evidence(before=tree(BEFORE), tree=tree(AFTER))
    assert judge(make(FileChanges, **fields), evidence).score == score


def test_a_file_is_changed_by_its_content_its_kind_and_its_bit_to_execute() -> None:
    before = tree({"same": "1", "mode": "1", "kind": "1", "dir": None})
    after = {**tree({"same": "1"}, kind="1").entries, "mode": ArchiveEntry("mode", EntryKind.FILE, 0o755, 1, data=b"1")}
    assert changed_files(before, Tree(after)) == ["kind", "mode"]


def test_to_ask_for_nothing_is_the_authors_mistake() -> None:
    assert judge(make(FileChanges)).status is Status.ERROR


def test_a_file_that_vanishes_from_disk_is_nobodys_failure(tmp_path: Any) -> None:
    gone = ArchiveEntry("a.txt", EntryKind.FILE, size=3, source=tmp_path / "a.txt")
    found = judge(make(FileContains, paths=("a.txt",), value=("x",)), Evidence(tree=Tree({"a.txt": gone})))
    assert found.status is Status.ERROR
    assert "cannot be read any more" in found.reason
