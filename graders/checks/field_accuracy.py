"""The `field-accuracy` check: the answer is data, and its fields are compared with those of the expected output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from graders.checks.base import CheckSpec
from graders.checks.judging import (
    error,
    not_judged,
    scored,
    unfinished,
)
from graders.documents import strict_json
from graders.documents.strict_json import MISSING, Missing
from graders.model import scoring
from graders.model.case import Case, Message
from graders.model.evidence import (
    Evidence,
    TextUnreadable,
    answer_text,
)
from graders.model.plan import Stage
from graders.model.verdict import CheckResult

if TYPE_CHECKING:
    from graders.grading.planner import Planner

# Tried in this order after ISO 8601, so that 03/04/2026 is the 4th of March unless a field says otherwise.
DATE_FORMATS = ("DD-MMM-YYYY", "DD MMM YYYY", "MM/DD/YYYY", "DD/MM/YYYY", "MM-DD-YYYY", "DD-MM-YYYY", "YYYY/MM/DD")

_DATE_LENGTH = 64
_DATE_PARTS = {
    "YYYY": "%Y",
    "MMMM": "%B",
    "MMM": "%b",
    "MM": "%m",
    "DD": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
    "Z": "%z",
}
_DATE_PART = re.compile("|".join(sorted(_DATE_PARTS, key=len, reverse=True)))


@dataclass(frozen=True, slots=True)
class FieldRule:
    """How one field is compared.

    Attributes:
        path: Where it is, such as ``invoice.items[0].amount``.
        match: ``exact``, ``numeric_tolerance`` or ``date``.
        tolerance: How far a number may be off.
        relative: Whether `tolerance` is a share of the expected number.
        formats: In which a date may be written, such as ``DD.MM.YYYY`` or ``%d.%m.%Y``; ISO 8601 and DATE_FORMATS
            without any.
        weight: Its share of the score.
        required: Whether it must be there; a field that need not be counts only where it is.
    """

    path: str
    match: str = "exact"
    tolerance: float = 0.0
    relative: bool = False
    formats: tuple[str, ...] = ()
    weight: float = 1.0
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldAccuracy(CheckSpec):
    """Compare fields of the answer with the expected output.

    Attributes:
        fields: At least one.
        aggregation: ``weighted_average`` or ``all_or_nothing``.
    """

    type: ClassVar[str] = "field-accuracy"

    fields: tuple[FieldRule, ...]
    aggregation: str = "weighted_average"


class Compared(NamedTuple):
    """One field: whether it counts, whether it is right, and what is said where it is not."""

    rule: FieldRule
    counts: bool
    met: bool
    otherwise: str


def stages(_spec: FieldAccuracy, _case: Case, _planner: Planner) -> tuple[Stage, ...]:
    """Return nothing: no command is needed."""
    return ()


def judge(spec: FieldAccuracy, case: Case, evidence: Evidence) -> CheckResult:
    """Compare the fields of the answer."""
    expected = expected_data(case)
    absent = [rule.path for rule in spec.fields if strict_json.at(expected, rule.path) is MISSING]
    if absent:
        return error(spec, case, f"the case's expected output has no {', '.join(absent[:5])}")
    try:
        text = answer_text(evidence)
        if text is None:
            return not_judged(spec, case, "the submission brings no answer text")
        data = answer_data(text)
    except TextUnreadable as problem:
        return unfinished(spec, case, str(problem))
    except ValueError as problem:
        return unfinished(spec, case, f"the answer is not JSON: {problem}")
    compared = [
        compare(rule, strict_json.at(data, rule.path), strict_json.at(expected, rule.path)) for rule in spec.fields
    ]
    counted = [found for found in compared if found.counts]
    if not counted:
        return unfinished(spec, case, "the answer has none of the fields")
    reason = "; ".join(found.otherwise for found in counted if not found.met)
    if spec.aggregation == "all_or_nothing":
        return scored(spec, case, float(all(found.met for found in counted)), reason)
    score = scoring.mean(scoring.Weighed(float(found.met), found.rule.weight) for found in counted)
    if score is None:
        return error(spec, case, "no field that the answer has carries a weight")
    return scored(spec, case, score, reason)


def expected_data(case: Case) -> Any:
    """Return the data of the expected output: itself, or that of the last message that is data."""
    expected = case.expected_output
    written: Iterable[Any] = reversed(expected) if isinstance(expected, tuple) else [expected]
    return next((data for one in written if (data := _data(one)) is not MISSING), MISSING)


def _data(written: Message | Mapping[str, Any] | str | None) -> Any:
    match written:
        case str(text) | Message(content=str(text)):
            try:
                return answer_data(text)
            except ValueError:
                return MISSING
        case Message(content=tuple(blocks)):
            return next((block["value"] for block in reversed(blocks) if block.get("type") == "json"), MISSING)
        case None:
            return MISSING
        case _:
            return written


def answer_data(text: str) -> Any:
    """Return the JSON that an answer is, or that its only fenced block holds.

    Raises:
        ValueError: If there is none, or more than one.
    """
    try:
        return strict_json.loads(text)
    except ValueError as problem:
        blocks = list(_fenced(text))
        if len(blocks) > 1:
            raise ValueError(f"it has {len(blocks)} fenced blocks, and one of them must be the answer") from problem
        if not blocks:
            raise
    return strict_json.loads(blocks[0])


def _fenced(text: str) -> Iterator[str]:
    """Yield what the fenced blocks hold that say they are JSON, or nothing; one that is never closed is none."""
    block: list[str] | None = None
    for line in text.split("\n"):
        mark = line.rstrip(" \t")
        if block is None:
            block = [] if mark in {"```", "```json"} else None
        elif mark == "```":
            yield "\n".join(block)
            block = None
        else:
            block.append(line)


def compare(rule: FieldRule, value: Any, expected: Any) -> Compared:
    """Compare one field of an answer with what is expected."""
    if isinstance(value, Missing):
        return Compared(rule, rule.required, False, f"{rule.path} is missing")
    match rule.match:
        case "numeric_tolerance":
            met = _close(rule, value, expected)
        case "date":
            met = _same_day(rule, value, expected)
        case _:
            met = strict_json.same(value, expected)
    return Compared(rule, True, met, f"{rule.path} is {value!r:.60}, not {expected!r:.60}")


def _close(rule: FieldRule, value: Any, expected: Any) -> bool:
    one, other = _number(value), _number(expected)
    if one is None or other is None:
        return False
    size = abs(other)
    allowed = rule.tolerance * size if rule.relative and size else rule.tolerance
    return abs(one - other) <= allowed + scoring.EPSILON * max(1.0, min(size, 1.0 / scoring.EPSILON))


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < float("inf") else None


def _same_day(rule: FieldRule, value: Any, expected: Any) -> bool:
    one, other = (read_date(each, rule.formats) for each in (value, expected))
    return one is not None and one == other


def read_date(value: Any, formats: Iterable[str] = ()) -> date | None:
    """Return the day that a value names, None where it names none in these formats."""
    if isinstance(value, date):
        return value.date() if isinstance(value, datetime) else value
    text = str(value).strip()
    if len(text) > _DATE_LENGTH:
        return None
    return next(_readings(text, tuple(formats)), None)


def _readings(text: str, formats: tuple[str, ...]) -> Iterator[date]:
    if not formats:
        with suppress(ValueError):
            yield datetime.fromisoformat(text).date()
    for form in formats or DATE_FORMATS:
        written = form if "%" in form else _DATE_PART.sub(lambda found: _DATE_PARTS[found.group()], form)
        try:
            yield datetime.strptime(text, written).date()  # noqa: DTZ007 - a day is compared, not a moment
        except ValueError:
            continue
