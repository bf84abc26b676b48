"""What the leaderboard writes of a graded answer: its keys, in its order, and its score. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from graders.checks.definition import Executed, ExecutedExamples, Parsed, PassedUnitTests
from graders.formats.julia_leaderboard.recorded import Conversation, Recording
from graders.model.case import Case
from graders.model.result import Result
from graders.model.verdict import CheckResult, Status

POINTS = 100.0
# Fields that were not recorded, with the leaderboard's own values for them.
_UNKNOWN: Mapping[str, Any] = {"device": "UNKNOWN", "schema": "-", "version_pt": "", "parameters": {}, "experiment": ""}


def recording_of(case: Case, graded: Result, model: str | None = None) -> Recording:
    """Return the names for an answer that was not recorded before: those of the submission and of now."""
    name = str(case.metadata.get("name", case.id))
    number = 100 + int(graded.id[:8], 16) % 900
    timestamp = f"{graded.started:%Y%m%d_%H%M%S}__{number}"
    return Recording(name, model or graded.submission, "AsIs", "1SHOT", timestamp)


def conversation_of(case: Case, answer: str) -> Conversation:
    """Return the conversation of an answer that was not recorded before: the prompt and the answer."""
    prompt = case.input[0].content if case.input else ""
    request: dict[str, Any] = {"content": prompt, "variables": [], "_type": "usermessage"}
    reply: dict[str, Any] = {
        "content": answer,
        "status": None,
        "tokens": [-1, -1],
        "elapsed": -1.0,
        "_type": "aimessage",
    }
    return Conversation((request, reply))


def evaluation_of(
    case: Case,
    graded: Result,
    recording: Recording,
    conversation: Conversation,
    before: Mapping[str, Any] | None = None,
) -> dict[str, Any] | None:
    """Return the evaluation of a graded answer, None if it could not be judged: an error is no zero.

    Args:
        case: A definition's.
        graded: What came of it.
        recording: What names it.
        conversation: Its last message has the tokens, time and cost of the model.
        before: An earlier evaluation of the same answer: its fields about the model are kept.
    """
    spec = next((check for check in case.checks if isinstance(check, Parsed)), None)
    if spec is None or graded.verdict.status is Status.ERROR:
        return None
    before = before or {}
    last = conversation.last
    found = {check.type: check for check in graded.verdict.checks}
    kept = {key: before.get(key, default) for key, default in _UNKNOWN.items()}
    return {
        "name": str(case.metadata.get("name", case.id)),
        "parsed": _true(found.get(Parsed.type)),
        "executed": _true(found.get(Executed.type)),
        "unit_tests_count": len(spec.unit_tests),
        "examples_count": len(spec.examples),
        "unit_tests_passed": _passed(found.get(PassedUnitTests.type)),
        "examples_executed": _passed(found.get(ExecutedExamples.type)),
        "tokens": before.get("tokens", last.get("tokens", [-1, -1])),
        "elapsed_seconds": before.get("elapsed_seconds", last.get("elapsed", -1.0)),
        "cost": before.get("cost", last.get("cost", 0.0)),
        "model": before.get("model", recording.model),
        "timestamp": recording.timestamp,
        "prompt_strategy": recording.strategy,
        "prompt_label": recording.prompt,
        "device": kept["device"],
        "version_prompt": str(case.metadata.get("version", "")),
        "schema": kept["schema"],
        "version_pt": kept["version_pt"],
        "parameters": kept["parameters"],
        "experiment": kept["experiment"],
    }


def score(evaluation: Mapping[str, Any]) -> float:
    """Return the score from 0 to 100: a quarter each for parsed, executed, the unit tests and the examples."""
    shares = (
        float(bool(evaluation["parsed"])),
        float(bool(evaluation["executed"])),
        _share(evaluation["unit_tests_passed"], evaluation["unit_tests_count"]),
        _share(evaluation["examples_executed"], evaluation["examples_count"]),
    )
    return POINTS * sum(shares) / len(shares)


def _share(passed: float, count: float) -> float:
    share = passed / count if count else 0.0
    return share if isfinite(share) else 0.0


def _true(check: CheckResult | None) -> bool:
    return check is not None and check.score == 1.0


def _passed(check: CheckResult | None) -> int:
    """Return how many items of a check passed."""
    return sum(step.passed for step in check.steps) if check is not None else 0
