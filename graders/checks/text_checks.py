"""Checks of text: of the answer, or of a file of the workspace. Each scores 1 or 0.

The texts of `equals`, `starts-with` and `ends-with` are compared without the white space around them, as a model ends
its answer with a newline or not as it likes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from graders.checks import json_schema, patterns
from graders.checks.base import CheckSpec
from graders.checks.judging import (
    error,
    not_judged,
    scored,
    unfinished,
)
from graders.documents import strict_json
from graders.model.case import Case
from graders.model.evidence import (
    Evidence,
    TextUnreadable,
    answer_text,
    file_text,
)
from graders.model.plan import Stage
from graders.model.verdict import CheckResult

if TYPE_CHECKING:
    from graders.grading.planner import Planner


@dataclass(frozen=True, slots=True, kw_only=True)
class TextCheck(CheckSpec):
    """A check of text.

    Attributes:
        file: The workspace file whose text it is, None for the answer.
    """

    file: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contains(TextCheck):
    """The text holds `value`."""

    type: ClassVar[str] = "contains"

    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IContains(Contains):
    """The same, whatever the case of letters."""

    type: ClassVar[str] = "icontains"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartsWith(Contains):
    """The text begins with `value`."""

    type: ClassVar[str] = "starts-with"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndsWith(Contains):
    """The text ends with `value`."""

    type: ClassVar[str] = "ends-with"


@dataclass(frozen=True, slots=True, kw_only=True)
class Equals(Contains):
    """The text is `value`."""

    type: ClassVar[str] = "equals"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainsAny(TextCheck):
    """The text holds one of the values at least."""

    type: ClassVar[str] = "contains-any"

    value: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainsAll(ContainsAny):
    """The text holds every value."""

    type: ClassVar[str] = "contains-all"


@dataclass(frozen=True, slots=True, kw_only=True)
class IContainsAny(ContainsAny):
    """The text holds one of the values at least, whatever the case of letters."""

    type: ClassVar[str] = "icontains-any"


@dataclass(frozen=True, slots=True, kw_only=True)
class IContainsAll(ContainsAny):
    """The text holds every value, whatever the case of letters."""

    type: ClassVar[str] = "icontains-all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Regex(TextCheck):
    """A regular expression matches anywhere in the text.

    Attributes:
        value: The expression.
        flags: Letters out of ``i``, ``m``, ``s``, ``x``; ``g`` and ``u`` change nothing.
    """

    type: ClassVar[str] = "regex"

    value: str
    flags: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IsJson(TextCheck):
    """The text is one JSON value.

    Attributes:
        schema: A JSON Schema (draft-07) that it must meet, None for any JSON.
    """

    type: ClassVar[str] = "is-json"

    schema: Mapping[str, Any] | bool | None = None


def stages(_spec: TextCheck, _case: Case, _planner: Planner) -> tuple[Stage, ...]:
    """Return nothing: no command is needed."""
    return ()


def judge(spec: TextCheck, case: Case, evidence: Evidence) -> CheckResult:
    """Look at the text."""
    try:
        text = answer_text(evidence) if spec.file is None else file_text(evidence.tree, spec.file)
    except TextUnreadable as problem:
        return unfinished(spec, case, str(problem))
    if text is None:
        return not_judged(spec, case, "the submission brings no answer text")
    try:
        missing = unmet(spec, text)
    except (patterns.PatternFault, json_schema.SchemaFault) as problem:
        return error(spec, case, str(problem))
    return scored(spec, case, 0.0 if missing else 1.0, missing or ("the text meets it" if spec.negate else ""))


def unmet(spec: TextCheck, text: str) -> str:
    """Say what is not as the check wants it, before `negate`; empty when all is.

    Raises:
        PatternFault: If the pattern of a `Regex` cannot be used on this text.
        SchemaFault: If the schema of an `IsJson` cannot be used on this text.
    """
    return _TESTS[type(spec)](spec, text)


def _contains(spec: Contains, text: str) -> str:
    return "" if spec.value in text else f"it does not contain {_quoted(spec.value)}"


def _icontains(spec: IContains, text: str) -> str:
    return "" if spec.value.casefold() in text.casefold() else f"it does not contain {_quoted(spec.value)}"


def _starts_with(spec: StartsWith, text: str) -> str:
    return "" if text.strip().startswith(spec.value.strip()) else f"it does not start with {_quoted(spec.value)}"


def _ends_with(spec: EndsWith, text: str) -> str:
    return "" if text.strip().endswith(spec.value.strip()) else f"it does not end with {_quoted(spec.value)}"


def _equals(spec: Equals, text: str) -> str:
    return "" if text.strip() == spec.value.strip() else f"it is not {_quoted(spec.value)}"


def _any(spec: ContainsAny, text: str) -> str:
    return "" if any(value in text for value in spec.value) else f"it contains none of {_listed(spec.value)}"


def _all(spec: ContainsAll, text: str) -> str:
    missing = [value for value in spec.value if value not in text]
    return f"it does not contain {_listed(missing)}" if missing else ""


def _iany(spec: IContainsAny, text: str) -> str:
    folded = text.casefold()
    met = any(value.casefold() in folded for value in spec.value)
    return "" if met else f"it contains none of {_listed(spec.value)}"


def _iall(spec: IContainsAll, text: str) -> str:
    folded = text.casefold()
    missing = [value for value in spec.value if value.casefold() not in folded]
    return f"it does not contain {_listed(missing)}" if missing else ""


def _regex(spec: Regex, text: str) -> str:
    return "" if patterns.found(spec.value, text, spec.flags) else f"it does not match {_quoted(spec.value)}"


def _is_json(spec: IsJson, text: str) -> str:
    try:
        data = strict_json.loads(text)
    except ValueError as problem:
        return f"it is not JSON: {problem}"
    return "" if spec.schema is None else json_schema.violation(spec.schema, data)


def _listed(values: Iterable[str]) -> str:
    return ", ".join(_quoted(value) for value in list(values)[:8])


def _quoted(value: str) -> str:
    return f"{value!r:.80}"


_TESTS: Mapping[type[TextCheck], Callable[[Any, str], str]] = {
    Contains: _contains,
    IContains: _icontains,
    ContainsAny: _any,
    ContainsAll: _all,
    IContainsAny: _iany,
    IContainsAll: _iall,
    StartsWith: _starts_with,
    EndsWith: _ends_with,
    Equals: _equals,
    Regex: _regex,
    IsJson: _is_json,
}
TYPES: tuple[type[TextCheck], ...] = tuple(_TESTS)
