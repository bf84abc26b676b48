"""Reads a run directory: what was asked, and the verdicts that count.

A directory may be read while its run goes on, and after a crash: half a line at the end of the results is what was
being written, and no verdict yet. Anything else that is not a verdict is refused, since nothing else writes there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from graders.errors import RunRefused
from graders.result import CheckDocument, Graded, StepDocument, VerdictDocument
from graders.rubric import Band
from graders.runs import outcomes
from graders.runs.identity import Key, key_of
from graders.runs.outcomes import Outcomes
from graders.runs.store import OUTCOMES, RECORD, RESULTS, evidence_directory
from graders.verdict import CheckResult, Status, StepRecord, Verdict
from sandbox.defences import Defence
from sandbox.types import Ending, Outcome, Usage


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A run as it was found on disk.

    Attributes:
        directory: Where.
        asked: What it was asked to do.
        verdicts: Those that count, by key, in the order of the run, whatever was graded first.
    """

    directory: Path
    asked: dict[str, Any]
    verdicts: dict[Key, VerdictDocument]

    @property
    def id(self) -> str:
        """The name of its directory, which is the run's id."""
        return self.directory.resolve().name

    def evidence(self, verdict: VerdictDocument) -> Path:
        """Return where the evidence of a verdict lies."""
        return self.directory / evidence_directory(verdict.case, verdict.submission, verdict.target, verdict.repeat)

    def outcomes(self, verdict: VerdictDocument) -> Outcomes | None:
        """Return what a verdict was decided by, None if that was not kept.

        Raises:
            RunRefused: If it cannot be read.
        """
        try:
            return outcomes.decode((self.evidence(verdict) / OUTCOMES).read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RunRefused(f"The outcomes in {self.evidence(verdict)} cannot be read: {error.strerror}.") from error


def read_run(directory: Path) -> SavedRun:
    """Read a run directory.

    Raises:
        RunRefused: If it is none, or holds what no run writes.
    """
    try:
        record = json.loads((directory / RECORD).read_text("utf-8"))
        asked = dict(record["asked"])
    except FileNotFoundError as error:
        raise RunRefused(
            f"{directory} is no run directory: it has no {RECORD}.", remedy="`grade` prints the directory of each run."
        ) from error
    except OSError as error:
        raise RunRefused(f"{directory / RECORD} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise RunRefused(f"{directory / RECORD} is no record of a run: {error}.") from error
    verdicts = {key_of(verdict): verdict for verdict in _lines(directory / RESULTS)}
    return SavedRun(directory, asked, dict(sorted(verdicts.items(), key=lambda item: (item[1].number, item[0]))))


def _lines(results: Path) -> Iterator[VerdictDocument]:
    if not results.exists():
        return
    with results.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield VerdictDocument.model_validate_json(line)
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(map(str, first["loc"])) or "the line"
                raise RunRefused(f"{results}:{number} is no verdict: {where}: {first['msg']}.") from error


def graded_of(document: VerdictDocument) -> Graded:
    """Return a saved verdict in the form in which a run has it, without what its commands printed."""
    verdict = Verdict(
        status=Status(document.verdict),
        score=document.score,
        gated_score=document.gated_score,
        band=Band(document.band) if document.band else None,
        threshold=document.threshold,
        checks=tuple(map(_check, document.checks)),
        missed=tuple(document.missed),
        reasons=tuple(document.reasons),
        tampering=tuple(found.as_value() for found in document.tampering),
    )
    return Graded(
        id=document.id,
        case=document.case,
        submission=document.submission,
        verdict=verdict,
        started=document.started,
        target=document.target,
        image=document.image,
        image_id=document.image_id,
        profile=document.profile,
        runtime=document.runtime,
        not_enforced=tuple(document.not_enforced),
        defences_off=tuple(map(Defence, document.defences_off)),
        restored=tuple(document.restored),
        removed=tuple(document.removed),
        removed_count=document.removed_count,
        left_out=tuple(document.left_out),
        own_steps=tuple(map(_step, document.setup)),
        wall_seconds=document.wall_seconds,
        repeat=document.repeat,
        number=document.number,
        content=document.content,
        reused=document.reused,
        tags=tuple(document.tags),
        category=document.category,
    )


def _check(check: CheckDocument) -> CheckResult:
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
        steps=tuple(map(_step, check.steps)),
        details=check.details,
        tampering=tuple(found.as_value() for found in check.tampering),
    )


def _step(step: StepDocument) -> StepRecord:
    outcome = Outcome(Ending(step.ending), step.exit_code, step.signal, usage=Usage(wall_seconds=step.wall_seconds))
    return StepRecord(step.role, step.name, tuple(step.argv), outcome, step.passed, step.reason)
