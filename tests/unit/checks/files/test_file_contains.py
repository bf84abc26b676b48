"""Files that must hold texts."""

from __future__ import annotations

from typing import Any

import pytest
from evidence_bench import judge, make, tree

from gradebox.graders.checks.files.file_contains import FileContains
from gradebox.graders.model.evidence import MAX_TEXT_BYTES, Evidence
from gradebox.graders.model.tree import Tree
from gradebox.graders.model.verdict import Status
from gradebox.sandbox.archive import ArchiveEntry, EntryKind

FILES = {"src": None, "src/a.py": "import os\n", "src/b.py": "eval(x)\nimport os\n", "notes.md": "done", "empty": None}


@pytest.mark.parametrize(
    ("fields", "score"),
    [
        ({"paths": ("src/b.py",), "value": ("eval", "import")}, 1.0),
        ({"paths": ("src/*.py",), "value": ("eval",)}, 1.0),
        ({"paths": ("src/a.py",), "value": ("import", "eval")}, 0.0),
        ({"paths": ("src/*.py", "notes.md"), "value": ("import",)}, 0.5),
        ({"paths": ("gone",), "value": ("x",)}, 0.0),
        ({"paths": ("link",), "value": ("x",)}, 0.0),
        ({"paths": ("src/*.py",), "value": ("exec(",), "negate": True}, 1.0),
        ({"paths": ("src/*.py",), "value": ("eval(",), "negate": True}, 0.0),
    ],
)
def test_the_score_is_the_share_of_the_globs(fields: Any, score: float) -> None:
    assert judge(make(FileContains, **fields), Evidence(tree=tree(FILES, link="/etc/passwd"))).score == score


@pytest.mark.parametrize("path", ["big", "link"])
def test_what_cannot_be_read_is_taken_to_hold_what_it_must_not(path: str) -> None:
    files = tree({"big": b" " * (MAX_TEXT_BYTES + 1)}, link="/etc/passwd")
    spec = make(FileContains, paths=(path,), value=("eval(",), negate=True)
    assert judge(spec, Evidence(tree=files)).score == 0.0


def test_a_file_that_vanishes_from_disk_is_nobodys_failure(tmp_path: Any) -> None:
    gone = ArchiveEntry("a.txt", EntryKind.FILE, size=3, source=tmp_path / "a.txt")
    found = judge(make(FileContains, paths=("a.txt",), value=("x",)), Evidence(tree=Tree({"a.txt": gone})))
    assert found.status is Status.ERROR
    assert "cannot be read any more" in found.reason
