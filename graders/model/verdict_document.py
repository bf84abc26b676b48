"""Converts a result to JSON and back: one line of the output of ``--json`` and of ``results.jsonl``.

For two gradings of the same submission, only ``id``, ``run``, ``started`` and the keys that end in ``seconds`` differ.
Data that naturally varies (output, memory) is kept in separate evidence files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from gradebox.graders.model.result import Result
from gradebox.graders.model.scoring import Band
from gradebox.graders.model.submission import encodable
from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.graders.model.verdict import HIDDEN, CheckResult, OwnDetails, Seen, Status, StepRecord, Verdict
from gradebox.sandbox.types import Ending, Outcome, ResourceUsage

SCHEMA_VERSION = 1
DETAILS_MAX_CHARACTERS = 64 * 1024
EVIDENCE_MAX_CHARACTERS = 2000
DETAILS_MAX_DEPTH = 100
# Limits that let reports compute with every document, whoever wrote it.
_Number = Annotated[float, Field(ge=-1e9, le=1e9)]
_Time = Annotated[AwareDatetime, Field(gt=datetime(2000, 1, 1, tzinfo=UTC), lt=datetime(9000, 1, 1, tzinfo=UTC))]


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class StepDocument(_Document):
    role: str
    name: str
    argv: list[str]
    passed: bool
    reason: str
    ending: Ending
    exit_code: int | None
    signal: int | None
    wall_seconds: _Number
    cpu_seconds: _Number = 0.0
    held_up_seconds: _Number = 0.0


class TamperingDocument(_Document):
    """One finding of tampering; `check` is empty if it belongs to no check."""

    kind: TamperingKind
    check: str
    what: str
    evidence: str

    def as_value(self) -> Tampering:
        """Return the finding in the form that a `Verdict` has."""
        return Tampering(self.kind, self.what, self.evidence, self.check)


class CheckDocument(_Document):
    name: str
    type: str
    verdict: Literal["passed", "failed", "error", "not_judged"]
    score: _Number | None
    min_score: float
    weight: float
    required: bool
    negate: bool
    reason: str
    judged: Literal["", "apart", "in-process"] = ""
    seen: Seen = HIDDEN
    details: dict[str, Any]
    tampering: list[TamperingDocument]
    steps: list[StepDocument]


class VerdictDocument(_Document):
    """One line of ``results.jsonl``."""

    schema_version: int = SCHEMA_VERSION
    id: str
    run: str
    case: str
    target: str | None
    submission: str
    repeat: int = 1
    number: int = 0
    tags: list[str] = []
    category: str = ""
    suite: str = ""
    trials: str = ""
    about: dict[str, Any] = {}
    origin: dict[str, Any] = {}
    case_hash: str = ""
    submission_hash: str = ""
    content: str = ""
    reused: str = ""
    verdict: Literal["passed", "failed", "error", "not_judged"]
    score: _Number | None
    gated_score: _Number | None
    band: Literal["pass", "borderline", "fail"] | None
    partial_score: _Number | None = None
    threshold: float
    missed: list[str]
    reasons: list[str]
    tampering: list[TamperingDocument]
    restored: list[str]
    removed: list[str]
    removed_count: int
    left_out: list[str]
    notes: list[str] = []
    told: list[str] = []
    image: str
    image_id: str
    services: Mapping[str, str] = {}
    profile: str
    runtime: str
    machine: Mapping[str, str] = {}
    not_enforced: list[str]
    checks: list[CheckDocument]
    setup: list[StepDocument]
    judging: Mapping[str, float] = {}
    started: _Time
    wall_seconds: _Number

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_versions(cls, data: Any) -> Any:
        """Accept documents of earlier versions: drop a retired key, and treat the score of an error as partial."""
        if not isinstance(data, dict):
            return data
        data = {key: value for key, value in data.items() if key != "defences_off"}
        if data.get("verdict") == Status.ERROR and "partial_score" not in data:
            data |= {"partial_score": data.get("score"), "score": None, "gated_score": None, "band": None}
        return data


# Fields that a document shares with a `Result`.
_OF_RESULT = (
    "id", "case", "target", "submission", "repeat", "number", "tags", "category", "suite", "trials", "content",
    "case_hash", "submission_hash", "told",
    "reused", "restored", "removed", "removed_count", "left_out", "notes", "image", "image_id", "services", "profile",
    "runtime", "machine", "not_enforced", "judging", "started",
)  # fmt: skip
_OF_VERDICT = ("score", "gated_score", "partial_score", "threshold", "missed", "reasons")
_OF_CHECK = ("name", "type", "score", "weight", "required", "negate", "reason", "judged")
_OF_STEP = ("role", "name", "passed", "reason")
_TIMES = ("wall_seconds", "cpu_seconds", "held_up_seconds")


def document(result: Result, run: str = "") -> VerdictDocument:
    """Return the document of a result."""
    verdict = result.verdict
    return VerdictDocument(
        **_written(result, _OF_RESULT),
        **_written(verdict, _OF_VERDICT),
        run=run,
        about=_details(result.about),
        origin=_details(result.origin),
        verdict=verdict.status.value,
        band=verdict.band.value if verdict.band else None,
        tampering=[_tampering_document(found) for found in verdict.tampering],
        checks=[_check_document(check) for check in verdict.checks],
        setup=[step_document(step) for step in result.own_steps],
        wall_seconds=round(result.wall_seconds, 3),
    )


def result_of(document: VerdictDocument) -> Result:
    """Return the result that a document describes, without the output of its commands."""
    verdict = Verdict(
        **_read(document, _OF_VERDICT),
        status=Status(document.verdict),
        band=Band(document.band) if document.band else None,
        checks=tuple(map(_check_result, document.checks)),
        tampering=tuple(found.as_value() for found in document.tampering),
    )
    return Result(
        **_read(document, _OF_RESULT),
        about=document.about,
        origin=document.origin,
        verdict=verdict,
        own_steps=tuple(map(_step_record, document.setup)),
        wall_seconds=document.wall_seconds,
    )


def _written(source: object, names: Iterable[str]) -> dict[str, Any]:
    """Return the values of fields for a document: texts that any writer can encode, and lists of them."""
    return {name: _encodable(getattr(source, name)) for name in names}


def _read(document: BaseModel, names: Iterable[str]) -> dict[str, Any]:
    values = ((name, getattr(document, name)) for name in names)
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values}


def _encodable(value: Any) -> Any:
    if isinstance(value, tuple):
        return [encodable(text) for text in value]
    return encodable(value) if isinstance(value, str) else value


def _check_document(check: CheckResult) -> CheckDocument:
    return CheckDocument(
        **_written(check, _OF_CHECK),
        verdict=check.status.value,
        seen=_seen(check.seen),
        min_score=check.wanted,
        details=_details(check.details),
        tampering=[_tampering_document(found) for found in check.tampering],
        steps=[step_document(step) for step in check.steps],
    )


def _seen(seen: Seen) -> Seen:
    parts = ({encodable(name): _seen(one) for name, one in of.items()} for of in (seen.tests, seen.groups))
    return Seen(seen.visibility, seen.show, *parts)


def _check_result(check: CheckDocument) -> CheckResult:
    return CheckResult(
        **_read(check, _OF_CHECK),
        status=Status(check.verdict),
        wanted=check.min_score,
        seen=check.seen,
        steps=tuple(map(_step_record, check.steps)),
        details=check.details,
        tampering=tuple(found.as_value() for found in check.tampering),
    )


def step_document(step: StepRecord) -> StepDocument:
    return StepDocument(
        **_written(step, _OF_STEP),
        argv=_short(step.argv),
        ending=step.outcome.ending,
        exit_code=step.outcome.exit_code,
        signal=step.outcome.signal,
        **{name: round(getattr(step.outcome.usage, name), 3) for name in _TIMES},
    )


def _step_record(step: StepDocument) -> StepRecord:
    usage = ResourceUsage(**{name: getattr(step, name) for name in _TIMES})
    outcome = Outcome(step.ending, step.exit_code, step.signal, usage=usage)
    return StepRecord(**_read(step, _OF_STEP), argv=tuple(step.argv), outcome=outcome)


def _tampering_document(found: Tampering) -> TamperingDocument:
    texts = _written(found, ("check", "what"))
    return TamperingDocument(kind=found.kind, **texts, evidence=encodable(found.evidence[:EVIDENCE_MAX_CHARACTERS]))


def _details(details: Mapping[str, Any]) -> dict[str, Any]:
    """Return a grader's details in a form that can be written: limited in size, without unencodable characters."""
    try:
        text = json.dumps(details, ensure_ascii=False, default=str)
        if len(text) > DETAILS_MAX_CHARACTERS and not isinstance(details, OwnDetails):
            return {"omitted_characters": len(text)}
        found: dict[str, Any] = json.loads(encodable(text, backslash=r"\\"))
    except (ValueError, RecursionError) as error:
        return {"omitted": str(error)}
    return {"omitted": "it is nested too deeply"} if _is_deep(found) else found


def _is_deep(value: Any) -> bool:
    """Return whether lists and mappings are nested deeper than DETAILS_MAX_DEPTH, since readers may recurse."""
    level = [value]
    for _ in range(DETAILS_MAX_DEPTH + 1):
        held = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        level = [inner for values in held for inner in values]
    return bool(level)


def _short(argv: tuple[str, ...]) -> list[str]:
    """Return a command for the record. Long words are cut, such as an item runner's source, the same for all items."""
    return [
        encodable(word) if len(word) <= 500 else f"{encodable(word[:200])}[... {len(word)} characters]" for word in argv
    ]


def as_json(result: Result, run: str = "") -> str:
    """Return the one-line JSON object of a result; ASCII, so that every stream and terminal accepts it."""
    return json.dumps(document(result, run).model_dump(mode="json"), separators=(",", ":"))


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a verdict document."""
    return VerdictDocument.model_json_schema()
