"""What cannot be graded as it is meant is said when a case is loaded: its place, its path, and a remedy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from refused_cases import REFUSALS, Refusal

from gradebox.graders.cases import load
from gradebox.graders.documents.diagnostics import Severity

Tree = Callable[[Mapping[str, str | bytes]], Path]


@pytest.mark.parametrize("refusal", REFUSALS, ids=[refusal.name for refusal in REFUSALS])
def test_what_cannot_be_graded_is_said_at_its_place(refusal: Refusal, tree: Tree) -> None:
    root = tree({"repository/.git/": "", **{f"repository/{name}": text for name, text in refusal.files.items()}})
    root /= "repository"
    loaded = load(root / next(name for name in refusal.files if name.endswith(("case.yaml", ".eval.yaml"))), environ={})
    said = [found for found in loaded.diagnostics if found.severity is refusal.severity]
    assert [(str(found.place.file.relative_to(root)), found.line, found.column, found.path) for found in said] == [
        (*((part if n == 0 else int(part)) for n, part in enumerate(refusal.place.split(":"))), refusal.path)
    ]
    assert refusal.says in said[0].message
    assert refusal.hint in said[0].hint
    assert bool(loaded.cases) == (refusal.severity is Severity.WARNING)
