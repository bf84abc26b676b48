"""The `field-accuracy` check: the answer is data, and its fields are compared with those of the expected output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field

from gradebox.graders.checks.base import Check, Reading
from gradebox.graders.checks.results import error, not_judged, scored, unfinished
from gradebox.graders.checks.text import patterns
from gradebox.graders.checks.text.patterns import PatternFault
from gradebox.graders.documents import strict_json
from gradebox.graders.documents.diagnostics import shown
from gradebox.graders.documents.entries import Entry, optional
from gradebox.graders.documents.fields import Flag, Name, Number, Several, Texts, Weight
from gradebox.graders.documents.strict_json import MISSING, Missing
from gradebox.graders.model import scoring
from gradebox.graders.model.case import Case, Message
from gradebox.graders.model.evidence import Evidence, TextUnreadable, answer_text
from gradebox.graders.model.verdict import CheckResult

# Tried in this order after ISO 8601, so 03/04/2026 is the 4th of March unless the field has `formats`.
DATE_FORMATS = ("DD-MMM-YYYY", "DD MMM YYYY", "MM/DD/YYYY", "DD/MM/YYYY", "MM-DD-YYYY", "DD-MM-YYYY", "YYYY/MM/DD")

_DATE_LENGTH = 64
_DATE_PARTS = {
    "YYYY": "%Y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "DD": "%d", "HH": "%H", "mm": "%M", "ss": "%S", "Z": "%z",
}  # fmt: skip
_DATE_PART = re.compile("|".join(sorted(_DATE_PARTS, key=len, reverse=True)))


class FieldRule(Entry):
    """How one field of the answer is compared with the same field of the expected output."""

    path: Name = Field(description="The path of the field, such as `invoice.items[0].amount`.")
    match: Literal["exact", "contains", "regex", "numeric_tolerance", "date"] = optional(
        "How the two values are compared; for `regex`, the expected one is a pattern.", default="exact"
    )
    tolerance: Annotated[Number, Field(ge=0)] = optional("The largest difference between the two numbers.", default=0.0)
    relative: Flag = optional("Whether `tolerance` is a share of the expected number.", default=False)
    # Empty for ISO 8601 and DATE_FORMATS.
    formats: Texts = optional("Accepted date formats, such as `DD.MM.YYYY` or `%d.%m.%Y`.", default=())
    weight: Weight = optional("Its weight in the check's score.", default=1.0)
    required: Flag = optional("Whether the field must exist. If `false`, it counts only where it exists.", default=True)


# Fields of a rule that belong to one value of `match`.
_OF_MATCH: Mapping[str, str] = {"tolerance": "numeric_tolerance", "relative": "numeric_tolerance", "formats": "date"}


class FieldAccuracy(Check):
    """Compares fields of a JSON answer with the expected output."""

    type = "field-accuracy"

    fields: Annotated[Several[FieldRule], Field(min_length=1)] = Field(
        description="The fields that are compared with the expected output."
    )
    aggregation: Literal["weighted_average", "all_or_nothing", "minimum"] = optional(
        "The weighted mean; or all or nothing, for which `minimum` is another name.", default="weighted_average"
    )

    def completed(self, reading: Reading) -> Self | None:
        """Refuse fields that are listed twice, and fields that all have the weight 0."""
        errors = reading.reader.findings.errors
        seen: set[str] = set()
        for index, rule in enumerate(self.fields):
            if rule.path in seen:
                message = f"the field `{shown(rule.path)}` is listed twice"
                reading.error(("fields", index, "path"), message, "Keep one.")
            seen.add(rule.path)
            for name, match in _OF_MATCH.items():
                if getattr(rule, name) and rule.match != match:
                    message = f"`{name}` has no effect where `match` is `{rule.match}`"
                    reading.warning(("fields", index, name), message, f"Add `match: {match}`.")
        if not any(rule.weight for rule in self.fields) and self.aggregation == "weighted_average":
            reading.error(("fields",), "the weights of all fields are 0", "Give one of them a weight.")
        return self if reading.reader.findings.errors == errors else None

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        expected = expected_data(case)
        absent = [rule.path for rule in self.fields if strict_json.at(expected, rule.path) is MISSING]
        # A check of a suite also applies to cases whose expected output has only some of its fields.
        of_suite = self.place.file != case.place.file or self.place.line < case.place.line
        if absent and not of_suite:
            return error(self, case, f"the case's expected output has no {', '.join(absent[:5])}")
        if len(absent) == len(self.fields):
            return not_judged(self, case, "the case expects none of its fields")
        rules = [rule for rule in self.fields if rule.path not in absent]
        try:
            # Compiled before the answer is read: a bad pattern is not the fault of the answer.
            _ = [patterns.compiled(str(strict_json.at(expected, one.path))) for one in rules if one.match == "regex"]
            text = answer_text(evidence)
            if text is None:
                return not_judged(self, case, "the submission brings no answer text")
            data = answer_data(text)
            compared = [
                compare(one, strict_json.at(data, one.path), strict_json.at(expected, one.path)) for one in rules
            ]
        except TextUnreadable as problem:
            return unfinished(self, case, str(problem))
        except ValueError as problem:
            return unfinished(self, case, f"the answer is not JSON: {problem}")
        except PatternFault as problem:
            return error(self, case, f"a pattern of the expected output cannot be used: {problem}")
        counted = [found for found in compared if found.counts]
        if not counted:
            return unfinished(self, case, "the answer has none of the fields")
        reason = "; ".join(found.otherwise for found in counted if not found.met)
        if self.aggregation != "weighted_average":
            return scored(self, case, float(all(found.met for found in counted)), reason)
        score = scoring.mean(scoring.Weighed(float(found.met), found.rule.weight) for found in counted)
        if score is None:
            return error(self, case, "no field that the answer has carries a weight")
        return scored(self, case, score, reason)


class Compared(NamedTuple):
    """The comparison of one field: whether it counts, whether it is right, and why not."""

    rule: FieldRule
    counts: bool
    met: bool
    otherwise: str


def expected_data(case: Case) -> Any:
    """Return the data of the expected output: the output itself, or the data of the last message that has any."""
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
    """Return the JSON value of an answer, or of the only fenced JSON block in it.

    Raises ValueError if there is none, or more than one block.
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
    """Yield the contents of closed fenced blocks that are marked as JSON or not marked."""
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
    """Compare one field of an answer with its expected value."""
    if isinstance(value, Missing):
        return Compared(rule, rule.required, False, f"{rule.path} is missing")
    match rule.match:
        case "numeric_tolerance":
            met = _close(rule, value, expected)
        case "date":
            met = _same_day(rule, value, expected)
        case "contains":
            met = isinstance(value, str) and str(expected) in value
        case "regex":
            met = isinstance(value, str) and patterns.found(str(expected), value)
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
    """Return the date in a value; None if it is not a date in one of these formats."""
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
