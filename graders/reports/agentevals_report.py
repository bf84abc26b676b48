"""A run as results of AgentEvals: one line of JSON for each verdict, made by `formats.agentevals`."""

from __future__ import annotations

import json
from collections.abc import Iterator

from gradebox.graders.formats.agentevals.evaluation_results import result
from gradebox.graders.reports.agentv_report import graded
from gradebox.graders.runs.saved_run import SavedRun


def report(run: SavedRun) -> Iterator[str]:
    yield from (f"{json.dumps(result(one))}\n" for one in graded(run))
