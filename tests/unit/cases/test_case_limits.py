"""The limits of a case are laid over those of its suite, field by field."""

from __future__ import annotations

from gradebox.graders.cases.case_limits import Limiting, LimitsEntry
from gradebox.graders.cases.execution_documents import ExecutionEntry
from gradebox.graders.documents.validators import Context
from gradebox.sandbox.limits import MIB, Network


def entry(model: type[LimitsEntry | ExecutionEntry], **fields: object) -> LimitsEntry | ExecutionEntry:
    return model.model_validate(fields, context=Context({}))


def test_limits_that_are_not_written_stay_and_written_ones_are_remembered() -> None:
    suite = Limiting().narrowed(entry(LimitsEntry, memory="64m", network="bridge"), None)
    case = suite.narrowed(entry(LimitsEntry, disk="2g"), entry(ExecutionEntry, timeout_seconds=5, threshold=0.0))
    assert (case.limits.memory_bytes, case.limits.disk_bytes) == (64 * MIB, 2048 * MIB)
    assert (case.limits.network, case.limits.stated) == (Network.BRIDGE, {"memory_bytes", "network", "disk_bytes"})
    # A larger workspace may hold a larger file.
    assert case.limits.file_bytes >= case.limits.disk_bytes
    assert (case.timeout_seconds, case.threshold) == (5, 0.0)
