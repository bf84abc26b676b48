"""Files that must be there."""

from __future__ import annotations

from typing import Any

import pytest
from evidence_bench import judge, make, tree

from gradebox.graders.checks.files.file_exists import FileExists
from gradebox.graders.model.evidence import Evidence

FILES = {"src": None, "src/a.py": "import os\n", "src/b.py": "eval(x)\nimport os\n", "notes.md": "done", "empty": None}


@pytest.mark.parametrize(
    ("fields", "score"),
    [
        ({"paths": ("src/a.py",)}, 1.0),
        ({"paths": ("src/*.py", "notes.md")}, 1.0),
        ({"paths": ("src/a.py", "src/c.py")}, 0.5),
        ({"paths": ("a.py",)}, 0.0),
        ({"paths": ("empty",)}, 0.0),
        ({"paths": ("src",)}, 1.0),
        ({"paths": ("link",)}, 1.0),
        ({"paths": ("a.py",), "negate": True}, 1.0),
    ],
)
def test_the_score_is_the_share_of_the_globs(fields: Any, score: float) -> None:
    assert judge(make(FileExists, **fields), Evidence(tree=tree(FILES, link="/etc/passwd"))).score == score
