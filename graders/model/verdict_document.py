"""A result as JSON, and back: what ``--json`` prints and what ``results.jsonl`` holds, a line each.

Two gradings of the same submission agree in all of it but ``id``, ``run``, ``started`` and the keys that end in
``seconds``; what varies by nature (output, memory) is kept beside it as evidence, not in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from graders.model.result import Result
from graders.model.scoring import Band
from graders.model.tampering import Tampering, TamperingKind
from graders.model.verdict import CheckResult, Status, StepRecord, Verdict
from sandbox.types import Ending, Outcome, ResourceUsage

SCHEMA_VERSION = 1
DETAILS_MAX_CHARACTERS = 64 * 1024
EVIDENCE_MAX_CHARACTERS = 2000
DETAILS_MAX_DEPTH = 100


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class StepDocument(_Document):
    role: str
    name: str
    argv: list[str]
    passed: bool
    reason: str
    ending: str
    exit_code: int | None
    signal: int | None
    wall_seconds: float
    cpu_seconds: float = 0.0
    held_up_seconds: float = 0.0


class TamperingDocument(_Document):
    """One finding of tampering; `check` is empty where it was seen outside any check."""

    kind: TamperingKind
    check: str
    what: str
    evidence: str

    def as_value(self) -> Tampering:
        """Return it in the form in which a verdict has it."""
        return Tampering(self.kind, self.what, self.evidence, self.check)


class CheckDocument(_Document):
    name: str
    type: str
    verdict: Literal["passed", "failed", "error", "not_judged"]
    score: float | None
    min_score: float
    weight: float
    required: bool
    negate: bool
    reason: str
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
    content: str = ""
    reused: str = ""
    verdict: Literal["passed", "failed", "error", "not_judged"]
    score: float | None
    gated_score: float | None
    band: Literal["pass", "borderline", "fail"] | None
    threshold: float
    missed: list[str]
    reasons: list[str]
    tampering: list[TamperingDocument]
    restored: list[str]
    removed: list[str]
    removed_count: int
    left_out: list[str]
    notes: list[str] = []
    image: str
    image_id: str
    profile: str
    runtime: str
    not_enforced: list[str]
    checks: list[CheckDocument]
    setup: list[StepDocument]
    judging: Mapping[str, float] = {}
    started: datetime
    wall_seconds: float

    @model_validator(mode="before")
    @classmethod
    def _without_retired_keys(cls, data: Any) -> Any:
        # Version 0.1 wrote it into every line, empty outside gradebox's own tests.
        return {key: value for key, value in data.items() if key != "defences_off"} if isinstance(data, dict) else data


# Fields that a result and its document share: as they are, and lists of texts.
_SANDBOX = ("image", "image_id", "profile", "runtime")
_SAME = ("id", "repeat", "number", "trials", "content", "reused", "removed_count", "started", "judging", *_SANDBOX)
_TIMES = ("wall_seconds", "cpu_seconds", "held_up_seconds")
_TEXTS = ("tags", "not_enforced", "restored", "removed", "left_out", "notes")


def document(result: Result, run: str = "") -> VerdictDocument:
    """Return a result in the form in which it is written."""
    verdict = result.verdict
    shared: dict[str, Any] = {name: getattr(result, name) for name in _SAME}
    shared |= {name: _encodable(getattr(result, name)) for name in _TEXTS}
    return VerdictDocument(
        **shared,
        run=run,
        case=encodable(result.case),
        target=None if result.target is None else encodable(result.target),
        submission=encodable(result.submission),
        category=encodable(result.category),
        suite=encodable(result.suite),
        about=_details(result.about),
        origin=_details(result.origin),
        verdict=verdict.status.value,
        score=verdict.score,
        gated_score=verdict.gated_score,
        band=verdict.band.value if verdict.band else None,
        threshold=verdict.threshold,
        missed=_encodable(verdict.missed),
        reasons=_encodable(verdict.reasons),
        tampering=[_tampering_document(found) for found in verdict.tampering],
        checks=[_check_document(check) for check in verdict.checks],
        setup=[step_document(step) for step in result.own_steps],
        wall_seconds=round(result.wall_seconds, 3),
    )


def result_of(document: VerdictDocument) -> Result:
    """Return a saved verdict in the form in which a run has it, without what its commands printed."""
    verdict = Verdict(
        status=Status(document.verdict),
        score=document.score,
        gated_score=document.gated_score,
        band=Band(document.band) if document.band else None,
        threshold=document.threshold,
        checks=tuple(map(_check_result, document.checks)),
        missed=tuple(document.missed),
        reasons=tuple(document.reasons),
        tampering=tuple(found.as_value() for found in document.tampering),
    )
    shared: dict[str, Any] = {name: getattr(document, name) for name in _SAME}
    shared |= {name: tuple(getattr(document, name)) for name in _TEXTS}
    return Result(
        **shared,
        case=document.case,
        submission=document.submission,
        target=document.target,
        category=document.category,
        suite=document.suite,
        about=document.about,
        origin=document.origin,
        verdict=verdict,
        own_steps=tuple(map(_step_record, document.setup)),
        wall_seconds=document.wall_seconds,
    )


def _check_document(check: CheckResult) -> CheckDocument:
    return CheckDocument(
        name=encodable(check.name),
        type=check.type,
        verdict=check.status.value,
        score=check.score,
        min_score=check.wanted,
        weight=check.weight,
        required=check.required,
        negate=check.negate,
        reason=encodable(check.reason),
        details=_details(check.details),
        tampering=[_tampering_document(found) for found in check.tampering],
        steps=[step_document(step) for step in check.steps],
    )


def _check_result(check: CheckDocument) -> CheckResult:
    return CheckResult(
        name=check.name,
        type=check.type,
        status=Status(check.verdict),
        score=check.score,
        wanted=check.min_score,
        weight=check.weight,
        required=check.required,
        negate=check.negate,
        reason=check.reason,
        steps=tuple(map(_step_record, check.steps)),
        details=check.details,
        tampering=tuple(found.as_value() for found in check.tampering),
    )


def step_document(step: StepRecord) -> StepDocument:
    return StepDocument(
        role=step.role,
        name=encodable(step.name),
        argv=_short(step.argv),
        passed=step.passed,
        reason=encodable(step.reason),
        ending=step.outcome.ending.value,
        exit_code=step.outcome.exit_code,
        signal=step.outcome.signal,
        **{name: round(getattr(step.outcome.usage, name), 3) for name in _TIMES},
    )


def _step_record(step: StepDocument) -> StepRecord:
    usage = ResourceUsage(**{name: getattr(step, name) for name in _TIMES})
    outcome = Outcome(Ending(step.ending), step.exit_code, step.signal, usage=usage)
    return StepRecord(step.role, step.name, tuple(step.argv), outcome, step.passed, step.reason)


def _tampering_document(found: Tampering) -> TamperingDocument:
    return TamperingDocument(
        kind=found.kind,
        check=encodable(found.check),
        what=encodable(found.what),
        evidence=encodable(found.evidence[:EVIDENCE_MAX_CHARACTERS]),
    )


def _details(details: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a grader reported beside its score, in a form that can be written: capped, no odd characters."""
    try:
        text = json.dumps(details, ensure_ascii=False, default=str)
        if len(text) > DETAILS_MAX_CHARACTERS:
            return {"omitted_characters": len(text)}
        found: dict[str, Any] = json.loads(encodable(text))
    except (ValueError, RecursionError) as error:
        return {"omitted": str(error)}
    return {"omitted": "it is nested too deeply"} if _is_deep(found) else found


def _is_deep(value: Any) -> bool:
    """Return whether lists and mappings are nested deeper than DETAILS_MAX_DEPTH: readers may recurse."""
    level = [value]
    for _ in range(DETAILS_MAX_DEPTH + 1):
        held = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        level = [inner for values in held for inner in values]
    return bool(level)


def _short(argv: tuple[str, ...]) -> list[str]:
    """Return a command for the record. The source of an item runner is the same for all items, so it is cut."""
    return [
        encodable(word) if len(word) <= 500 else f"{encodable(word[:200])}[... {len(word)} characters]" for word in argv
    ]


def _encodable(texts: Iterable[str]) -> list[str]:
    return [encodable(text) for text in texts]


def encodable(text: str) -> str:
    """Return text that any writer can encode: bytes of file names that are not UTF-8 become replacement characters.

    So do lone surrogates, which a JSON text may well hold.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def as_json(result: Result, run: str = "") -> str:
    """Return the one-line JSON object of a result; ASCII, so that every stream and terminal takes it."""
    return json.dumps(document(result, run).model_dump(mode="json"), separators=(",", ":"))


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of that object."""
    return VerdictDocument.model_json_schema()
