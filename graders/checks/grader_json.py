"""Reads the JSON that code graders print: for the protocol `json`, and to lower a pass of the protocol `exit`.

The protocol `json` requires exit status 0, and one JSON object with the score on stdout. The object may be
``{score, assertions, reasoning, details}``, the older ``{score, hits, misses}``, or ``{pass, reason, checks}``. Without
a score, the share of passed assertions is the score. Any other output is an error of the grader and never a pass.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from gradebox.graders.documents import strict_json
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import Outcome


class GraderOutputInvalid(Exception):
    """A grader's output does not follow the protocol; the message says why."""


@dataclass(frozen=True, slots=True)
class GraderReport:
    """The report of a grader."""

    # In [0, 1].
    score: float
    reasoning: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)  # The complete printed object, for the record.


def parse(outcome: Outcome) -> GraderReport:
    """Return the report of a grader that exited.

    Raises GraderOutputInvalid if its exit status is not 0, or stdout is not one such JSON object.
    """
    if outcome.exit_code != 0:
        raise GraderOutputInvalid(
            f"the grader ended with exit status {outcome.exit_code}, and its protocol asks for 0 and a JSON object"
        )
    if not outcome.stdout.complete:
        raise GraderOutputInvalid("the grader printed more than is kept, so its JSON cannot be read")
    try:
        printed = strict_json.loads(outcome.stdout.content(), unique=True)
    except ValueError as error:
        raise GraderOutputInvalid(f"the grader's stdout is not one JSON object: {error}") from error
    if not isinstance(printed, dict):
        raise GraderOutputInvalid("the grader's stdout is JSON, but not an object")
    reasoning = next((printed[name] for name in ("reasoning", "reason") if printed.get(name) is not None), "")
    return GraderReport(_score(printed), reasoning if isinstance(reasoning, str) else json.dumps(reasoning), printed)


def score_of(outcome: Outcome) -> float | None:
    """Return the score that a grader reported; None if it reported none."""
    try:
        return parse(outcome).score
    except GraderOutputInvalid:
        return None


def lowered_score(outcome: Outcome) -> float | None:
    """Return a score below 1 that a command of the protocol `exit` printed; None if it printed no such score.

    The whole stdout must be one JSON object, with a number as `score` or with another form of a score. A negative
    number counts as 0.
    """
    if outcome.exit_code != 0 or not outcome.stdout.complete:
        return None
    try:
        printed = strict_json.loads(outcome.stdout.content(), unique=True)
    except ValueError:
        return None
    if not isinstance(printed, dict):
        return None
    try:
        score = printed["score"] if "score" in printed else _score(printed)
    except GraderOutputInvalid:
        return None
    if isinstance(score, bool) or not isinstance(score, int | float) or score >= 1:
        return None
    return max(0.0, float(score))


def _score(printed: Mapping[str, Any]) -> float:
    if "score" in printed:
        score = printed["score"]
        if isinstance(score, bool) or not isinstance(score, int | float):
            raise GraderOutputInvalid(f"the grader's score is not a number: {score!r:.80}")
        if not 0 <= score <= 1:
            raise GraderOutputInvalid(f"the grader's score {score!r:.40} is not between 0 and 1")
        return float(score)
    if "pass" in printed:
        if not isinstance(printed["pass"], bool):
            raise GraderOutputInvalid(f'the grader\'s "pass" is neither true nor false: {printed["pass"]!r:.80}')
        return float(printed["pass"])
    if "assertions" in printed:
        return _share(printed["assertions"])
    if "hits" in printed or "misses" in printed:
        hits, misses = (_length(printed.get(name, [])) for name in ("hits", "misses"))
        if hits + misses:
            return hits / (hits + misses)
    raise GraderOutputInvalid("the grader's JSON holds no score")


def _share(assertions: object) -> float:
    if not isinstance(assertions, Sequence) or isinstance(assertions, str) or not assertions:
        raise GraderOutputInvalid("the grader's assertions are not a list with something in it")
    passed = 0
    for assertion in assertions:
        if not isinstance(assertion, dict) or not isinstance(assertion.get("passed"), bool):
            raise GraderOutputInvalid("an assertion of the grader does not say whether it passed")
        passed += assertion["passed"]
    return passed / len(assertions)


def _length(listed: object) -> int:
    if not isinstance(listed, list):
        raise GraderOutputInvalid("the grader's hits and misses are not lists")
    return len(listed)
