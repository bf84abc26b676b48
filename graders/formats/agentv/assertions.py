"""The statements behind a check's score, as AgentV and AgentEvals list them: a text, and whether it holds. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from gradebox.graders.model import scoring
from gradebox.graders.model.verdict_document import CheckDocument

_JUDGED = ("passed", "failed")


class Assertion(NamedTuple):
    """One statement about a submission."""

    text: str
    passed: bool
    evidence: str = ""


def assertions_of(check: CheckDocument) -> tuple[Assertion, ...]:
    """Return what a check states: what its grader listed, its members, rubrics or items, otherwise the check itself."""
    whole = Assertion(check.name, check.verdict == "passed", check.reason)
    if check.verdict not in _JUDGED or check.negate:
        # What a grader lists says the opposite of a negated check.
        return (whole,)
    return tuple(_listed(check)) or (whole,)


def judged_assertions(checks: Iterable[CheckDocument]) -> list[Assertion]:
    """Return what checks state, without those that could not be judged."""
    return [one for check in checks if check.verdict in _JUDGED for one in assertions_of(check)]


def _listed(check: CheckDocument) -> Iterator[Assertion]:
    details = check.details
    for one in _mappings(details.get("assertions")):
        if isinstance(one.get("passed"), bool):
            yield Assertion(str(one.get("text", "")), one["passed"], str(one.get("evidence") or ""))
    for key, passed in (("hits", True), ("misses", False)):
        yield from (Assertion(text, passed) for text in _list(details.get(key)) if isinstance(text, str))
    for member in _mappings(details.get("members")):
        yield Assertion(str(member.get("name", "")), member.get("verdict") == "passed", str(member.get("reason") or ""))
    for rubric in _mappings(details.get("rubrics")):
        score = rubric.get("score")
        passed = isinstance(score, int | float) and scoring.reaches(score, scoring.PASS_BAND)
        text = str(rubric.get("expected_outcome") or rubric.get("id", ""))
        yield Assertion(text, passed, str(rubric.get("reason") or ""))
    for step in check.steps:
        if step.role == "item":
            yield Assertion(step.name, step.passed, step.reason)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    return (one for one in _list(value) if isinstance(one, dict))
