"""What cases share with their suite is merged field by field, and the case wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.cases.shared import looked_up_from, merged


def test_mappings_are_merged_deeply_and_other_values_replaced() -> None:
    below = {"a": {"b": 1, "c": [1]}, "d": 1}
    assert merged(below, {"a": {"c": [2]}, "d": {"e": 2}}) == {"a": {"b": 1, "c": [2]}, "d": {"e": 2}}
    assert below == {"a": {"b": 1, "c": [1]}, "d": 1}


@pytest.mark.parametrize(("written", "hint"), [("tsk.md", "Did you mean"), ("nothing-alike", "It is looked up from")])
def test_a_path_that_does_not_exist_gets_a_suggestion_or_its_origin(tmp_path: Path, written: str, hint: str) -> None:
    (tmp_path / "task.md").write_text("x")
    assert looked_up_from((tmp_path,), written).startswith(hint)
