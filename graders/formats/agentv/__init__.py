"""AgentV: recorded runs to read, and run directories to write that its `compare` and `results` read.

What a plug-in of a format offers is here and imports the rest when it is used.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradebox.graders.formats.agentv.recorded_runs import RecordedRuns
    from gradebox.graders.model.case import Case


def recorded_run(path: Path, cases: Iterable[Case], left_out: Container[str]) -> RecordedRuns | None:
    """Return the answers of recorded runs, None if a path holds none."""
    from gradebox.graders.formats.agentv import recorded_runs  # noqa: PLC0415 - as above

    files = recorded_runs.files_of(path)
    return recorded_runs.read_recorded_runs(files, cases, left_out) if files else None
