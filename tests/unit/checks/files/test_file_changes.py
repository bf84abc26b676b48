"""What a submission changed, added or removed."""

from __future__ import annotations

from typing import Any

import pytest
from evidence_bench import judge, make, tree

from gradebox.graders.checks.files.file_changes import FileChanges
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.tree import Tree, changed_paths
from gradebox.graders.model.verdict import Status
from gradebox.sandbox.archive import ArchiveEntry, EntryKind

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
    assert list(changed_paths(before, Tree(after))) == ["kind", "mode"]


def test_to_ask_for_nothing_is_the_authors_mistake() -> None:
    assert judge(make(FileChanges)).status is Status.ERROR
