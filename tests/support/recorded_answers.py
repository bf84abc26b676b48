"""A run whose submissions say how their answers came about, for the reports of foreign formats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fabricated import check, graded, step, write

from gradebox.graders.model.result import Result
from gradebox.graders.model.transcript import ToolCall, Transcript, TranscriptMessage
from gradebox.graders.model.verdict import Status
from gradebox.graders.runs.saved_run import SavedRun

CALL = ToolCall("Read", {"path": "parser.ts"}, "text", "ok", 12.0, "c1")
TRANSCRIPT = Transcript(
    messages=(
        TranscriptMessage("user", "Fix it."),
        TranscriptMessage("assistant", tool_calls=(CALL,)),
        TranscriptMessage("assistant", "Fixed."),
    ),
    tool_calls=(CALL,),
    input_tokens=100,
    output_tokens=20,
    total_tokens=120,
    cost_usd=0.25,
    duration_ms=900,
    llm_calls=2,
    output="Fixed.",
)
_LISTED = {"assertions": [{"text": "runs", "passed": True}, {"text": "is fast", "passed": False, "evidence": "3 s"}]}


def results() -> list[Result]:
    """Return a verdict of each kind, one of them of a second target."""
    tests = check("tests", 0.5, "1 of 2", details=_LISTED)
    items = check("items", 1.0, "", step("first", role="item"), step("second", role="item"), type="unit-tests")
    words = replace(check("words", None, "no judge is configured"), status=Status.NOT_JUDGED, type="llm-grader")
    shared = {"suite": "benchmark", "target": "baseline", "submission": "baseline"}
    return [
        graded("add-auth", items, words, transcript=TRANSCRIPT, answer="Fixed.\n", category="web", **shared),
        graded("fix-null", tests, items, **shared),
        graded("fix-null", faults=("no engine",), **{**shared, "target": "candidate", "submission": "candidate"}),
    ]


def saved(root: Path) -> SavedRun:
    """Write the run and read it again."""
    return write(root, results())
