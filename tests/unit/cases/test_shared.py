"""What cases share with their suite is merged field by field, and the case wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.cases.execution_documents import ExecutionEntry, LimitsEntry
from gradebox.graders.cases.shared import Limiting, looked_up_from, merged
from gradebox.graders.documents.validators import Context
from gradebox.sandbox.limits import MIB, Network


def entry(model: type[LimitsEntry | ExecutionEntry], **fields: object) -> LimitsEntry | ExecutionEntry:
    return model.model_validate(fields, context=Context({}))


def test_mappings_are_merged_deeply_and_other_values_replaced() -> None:
    below = {"a": {"b": 1, "c": [1]}, "d": 1}
    assert merged(below, {"a": {"c": [2]}, "d": {"e": 2}}) == {"a": {"b": 1, "c": [2]}, "d": {"e": 2}}
    assert below == {"a": {"b": 1, "c": [1]}, "d": 1}


def test_limits_that_are_not_written_stay_and_written_ones_are_remembered() -> None:
    suite = Limiting().narrowed(entry(LimitsEntry, memory="64m", network="bridge"), None)
    case = suite.narrowed(entry(LimitsEntry, disk="2g"), entry(ExecutionEntry, timeout_seconds=5, threshold=0.0))
    assert (case.limits.memory_bytes, case.limits.disk_bytes) == (64 * MIB, 2048 * MIB)
    assert (case.limits.network, case.limits.stated) == (Network.BRIDGE, {"memory_bytes", "network", "disk_bytes"})
    # A larger workspace may hold a larger file.
    assert case.limits.file_bytes >= case.limits.disk_bytes
    assert (case.timeout_seconds, case.threshold) == (5, 0.0)


@pytest.mark.parametrize(("written", "hint"), [("tsk.md", "Did you mean"), ("nothing-alike", "It is looked up from")])
def test_a_path_that_does_not_exist_gets_a_suggestion_or_its_origin(tmp_path: Path, written: str, hint: str) -> None:
    (tmp_path / "task.md").write_text("x")
    assert looked_up_from((tmp_path,), written).startswith(hint)
