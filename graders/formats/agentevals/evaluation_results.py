"""A verdict as a result of AgentEvals: one line of its JSON lines. Pure.

The specification has no word for an `error`, so its `score` and `verdict` are null, and `error` says why.
"""

from __future__ import annotations

from typing import Any

from gradebox.graders.formats.agentv.assertions import judged_assertions
from gradebox.graders.formats.agentv.run_directory import Graded, timestamp
from gradebox.graders.model import scoring
from gradebox.graders.model.transcript import Transcript
from gradebox.graders.model.verdict_document import CheckDocument


def result(graded: Graded) -> dict[str, Any]:
    """Return the line of a verdict; its own verdict goes by the score alone, as the specification has it."""
    verdict = graded.verdict
    found: dict[str, Any] = {
        "timestamp": timestamp(verdict.started),
        "evalId": verdict.case,
        "dataset": verdict.suite,
        "score": None if graded.is_error else graded.score,
        "verdict": None if graded.is_error else scoring.band(graded.score).value,
        **_told(graded.verdict.checks),
        "candidateAnswer": graded.answer or "",
        "target": graded.target,
        "evaluatorResults": [_evaluator(check) for check in verdict.checks],
    }
    if graded.is_error:
        found["error"] = "; ".join(verdict.reasons)
    return {**found, "traceSummary": _trace(graded.transcript)} if graded.transcript is not None else found


def _told(checks: list[CheckDocument]) -> dict[str, list[str]]:
    judged = judged_assertions(checks)
    return {
        "hits": [one.text for one in judged if one.passed],
        "misses": [one.text for one in judged if not one.passed],
    }


def _evaluator(check: CheckDocument) -> dict[str, Any]:
    return {
        "name": check.name,
        "type": check.type,
        "score": check.score,
        "weight": check.weight,
        **_told([check]),
        "reasoning": check.reason,
    }


def _trace(transcript: Transcript) -> dict[str, Any]:
    numbers = {"costUsd": transcript.cost_usd, "durationMs": transcript.duration_ms}
    return {
        "eventCount": len(transcript.tool_calls),
        "toolNames": sorted({call.name for call in transcript.tool_calls}),
        **{name: number for name, number in numbers.items() if number is not None},
    }
