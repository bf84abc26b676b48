"""Parsed diffs as data."""

from __future__ import annotations

import pytest
from diff_bench import git

from gradebox.graders.submissions.diff import Operation, parse

row = pytest.param


def test_a_parsed_diff_says_what_it_does() -> None:
    (patch,) = parse(
        git("a/f b/g\nold mode 100644\nnew mode 100755\nsimilarity index 100%\nrename from f\nrename to g\n")
    )
    assert (patch.operation, patch.old, patch.new, patch.mode, patch.line) == (Operation.RENAME, "f", "g", 0o755, 1)
