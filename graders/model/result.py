"""One graded submission: the verdict with all that belongs to it, and its form as JSON.

The JSON object is what ``--json`` prints and what ``results.jsonl`` holds, a line each. Two gradings of the same
submission agree in all of it but ``id``, ``run``, ``started`` and the keys that end in ``seconds``; what varies by
nature (output, memory) is kept beside it as evidence, not in it.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from graders.documents import strict_json
from graders.model.case import Case
from graders.model.evidence import Outcomes
from graders.model.tampering import Tampering, TamperingKind
from graders.model.verdict import CheckResult, StepRecord, Verdict
from sandbox.types import MemoryState

SCHEMA_VERSION = 1
DETAILS_MAX_CHARACTERS = 64 * 1024
EVIDENCE_MAX_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Result:
    """A verdict and how it came about.

    Attributes:
        id: Of this grading.
        case, target, submission: What was graded.
        verdict: What it means.
        image, image_id: What the sandbox was made from; empty when there was none.
        profile, runtime: What kind of sandbox it was; the runtime is empty for the engine's default.
        not_enforced: What the sandbox was asked to keep to and could not be seen to, a sentence each.
        restored: Files of the case that the submission had changed or removed, and that were put back.
        removed: Files of the submission that were taken away, because they steer a test runner.
        removed_count: How many these are; `removed` may be cut.
        left_out: Special files of the submission that were not taken.
        own_steps: The case's setup and teardown.
        started: When.
        wall_seconds: How long it took, sandbox included.
        memory: The sandbox's, at its end.
        repeat: Which of several gradings of the same submission this is, from 1.
        number: Its place in the run, from 1, whatever was graded first; 0 outside a run.
        content: A hash of all that the verdict depends on; empty where that is not known.
        reused: The run that the verdict was taken from; empty when it is this run's own.
        tags, category: Of the case.
        changes: What the submission changes of the workspace, as a diff.
        memory_limit_bytes: What the sandbox might use.
        outcomes: What it was decided by, for scoring it again; None where nothing was run.
    """

    id: str
    case: str
    submission: str
    verdict: Verdict
    started: datetime
    target: str | None = None
    image: str = ""
    image_id: str = ""
    profile: str = ""
    runtime: str = ""
    not_enforced: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    removed_count: int = 0
    left_out: tuple[str, ...] = ()
    own_steps: tuple[StepRecord, ...] = ()
    wall_seconds: float = 0.0
    memory: MemoryState = MemoryState()
    repeat: int = 1
    number: int = 0
    content: str = ""
    reused: str = ""
    tags: tuple[str, ...] = ()
    category: str = ""
    changes: str = ""
    memory_limit_bytes: int = 0
    outcomes: Outcomes | None = None

    @classmethod
    def of(cls, case: Case, submission: str, verdict: Verdict, *, repeat: int = 1, number: int = 0) -> Self:
        """Return the result of a verdict for which nothing was run; what was run is added with `replace`.

        Args:
            case: The case.
            submission: The name of the submission.
            verdict: What it got.
            repeat: Which of several gradings of the same this is.
            number: Its place in the run.
        """
        return cls(
            id=secrets.token_hex(8),
            case=case.id,
            target=case.target,
            submission=submission,
            verdict=verdict,
            started=datetime.now(UTC),
            repeat=repeat,
            number=number,
            tags=case.tags,
            category=case.category,
        )


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StepDocument(_Document):
    """One command, without what it printed."""

    role: str
    name: str
    argv: list[str]
    passed: bool
    reason: str
    ending: str
    exit_code: int | None
    signal: int | None
    wall_seconds: float


class TamperingDocument(_Document):
    """One thing that shows that the submission bent its judge; `check` is empty where it was seen outside any."""

    kind: TamperingKind
    check: str
    what: str
    evidence: str

    def as_value(self) -> Tampering:
        """Return it in the form in which a verdict has it."""
        return Tampering(self.kind, self.what, self.evidence, self.check)


class CheckDocument(_Document):
    """One check."""

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
    image: str
    image_id: str
    profile: str
    runtime: str
    not_enforced: list[str]
    checks: list[CheckDocument]
    setup: list[StepDocument]
    started: datetime
    wall_seconds: float

    @model_validator(mode="before")
    @classmethod
    def _without_retired_keys(cls, data: Any) -> Any:
        # Version 0.1 wrote it into every line, empty outside gradebox's own tests.
        return {key: value for key, value in data.items() if key != "defences_off"} if isinstance(data, dict) else data


def document(graded: Result, run: str = "") -> VerdictDocument:
    """Return a graded submission in the form in which it is written."""
    verdict = graded.verdict
    return VerdictDocument(
        id=graded.id,
        run=run,
        case=encodable(graded.case),
        target=None if graded.target is None else encodable(graded.target),
        submission=encodable(graded.submission),
        repeat=graded.repeat,
        number=graded.number,
        content=graded.content,
        reused=graded.reused,
        tags=[encodable(tag) for tag in graded.tags],
        category=encodable(graded.category),
        verdict=verdict.status.value,
        score=verdict.score,
        gated_score=verdict.gated_score,
        band=verdict.band.value if verdict.band else None,
        threshold=verdict.threshold,
        missed=[encodable(name) for name in verdict.missed],
        reasons=[encodable(reason) for reason in verdict.reasons],
        tampering=[_tampering(found) for found in verdict.tampering],
        restored=[encodable(path) for path in graded.restored],
        removed=[encodable(path) for path in graded.removed],
        removed_count=graded.removed_count,
        left_out=[encodable(path) for path in graded.left_out],
        image=graded.image,
        image_id=graded.image_id,
        profile=graded.profile,
        runtime=graded.runtime,
        not_enforced=list(graded.not_enforced),
        checks=[_check(check) for check in verdict.checks],
        setup=[step_document(step) for step in graded.own_steps],
        started=graded.started,
        wall_seconds=round(graded.wall_seconds, 3),
    )


def _check(check: CheckResult) -> CheckDocument:
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
        tampering=[_tampering(found) for found in check.tampering],
        steps=[step_document(step) for step in check.steps],
    )


def _tampering(found: Tampering) -> TamperingDocument:
    return TamperingDocument(
        kind=found.kind,
        check=encodable(found.check),
        what=encodable(found.what),
        evidence=encodable(found.evidence[:EVIDENCE_MAX_CHARACTERS]),
    )


def _details(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a grader said beside its score, in a form that can be written: capped, and without odd characters."""
    try:
        text = json.dumps(said, ensure_ascii=False, default=str)
        if len(text) > DETAILS_MAX_CHARACTERS:
            return {"omitted_characters": len(text)}
        found: dict[str, Any] = json.loads(encodable(text))
    except (ValueError, RecursionError) as error:
        return {"omitted": str(error)}
    return {"omitted": "it is nested too deeply"} if strict_json.is_deep(found) else found


def step_document(step: StepRecord) -> StepDocument:
    """Return a step in the form in which it is written."""
    return StepDocument(
        role=step.role,
        name=encodable(step.name),
        argv=_short(step.argv),
        passed=step.passed,
        reason=encodable(step.reason),
        ending=step.outcome.ending.value,
        exit_code=step.outcome.exit_code,
        signal=step.outcome.signal,
        wall_seconds=round(step.outcome.usage.wall_seconds, 3),
    )


def _short(argv: tuple[str, ...]) -> list[str]:
    """Return a command for the record; the source of an item runner is the same for all items and says nothing."""
    return [
        encodable(word) if len(word) <= 500 else f"{encodable(word[:200])}[... {len(word)} characters]" for word in argv
    ]


def encodable(text: str) -> str:
    """Return text that any writer can encode: bytes of file names that are not UTF-8 become replacement characters.

    So do lone surrogates, which a JSON text may well hold.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def as_json(graded: Result, run: str = "") -> str:
    """Return the one-line JSON object of a graded submission; ASCII, so that no stream or terminal stumbles over it."""
    return json.dumps(document(graded, run).model_dump(mode="json"), separators=(",", ":"))


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of that object."""
    return VerdictDocument.model_json_schema()
