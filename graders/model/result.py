"""One graded submission: the verdict with all that belongs to it. Data only; `verdict_document` is its form as JSON."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import field
from datetime import UTC, datetime
from typing import Any, Self

from gradebox.graders.model.case import Case
from gradebox.graders.model.crossing import Crossing
from gradebox.graders.model.evidence import Outcomes
from gradebox.graders.model.transcript import Transcript
from gradebox.graders.model.verdict import StepRecord, Verdict
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import MemoryState


@dataclass(frozen=True, slots=True)
class Result:
    """A verdict and how it came about.

    Attributes:
        image, image_id: What the sandbox was made from; empty when there was none.
        services: The ids of the images of the case's services, by name.
        profile, runtime: What kind of sandbox it was; the runtime is empty for the engine's default.
        machine: What the sandbox ran on: `kernel`, `processor`, `engine`, `runtime`, as far as they are known.
        not_enforced: What the sandbox was to enforce and may not have, a sentence each.
        restored: Files of the case that the submission had changed or removed, and that were restored.
        removed: Files of the submission that were taken away, because they steer a test runner.
        removed_count: How many these are; `removed` may be cut.
        notes: What a reader of the verdict must know and what decides nothing, a sentence each.
        told: What the candidate may be told of the verdict as a whole, a sentence each: it names nothing hidden.
        left_out: Files of the submission that were not taken: special ones, and those of a desktop.
        own_steps: The case's setup and teardown.
        wall_seconds: How long it took, sandbox included.
        memory: The sandbox's, at its end.
        repeat: Which of several gradings of the same submission this is, from 1.
        number: Its place in the run, from 1, whatever was graded first; 0 outside a run.
        content: A hash of all that the verdict depends on; empty where that is not known.
        case_hash: Of the case with its files; empty where that is not known.
        submission_hash: Of the submission as it was handed in; empty where that is not known.
        reused: The run that the verdict was taken from; empty when it is this run's own.
        trials: How the tries of the case become one verdict (`model.trials`); empty for a case without tries.
        about: Of the case: author, license and so on, as they are written.
        origin: Of the submission: its model, prompt and so on, as far as they are known.
        changes: What the submission changes of the workspace, as a diff.
        judging: How many requests and tokens its judges took, and what they cost; empty where none was asked.
        answer, transcript: Of the submission, None where it has none.
        outcomes: What it was decided by, for scoring it again; None where nothing was run.
        crossing: How the case is judged, as its reference shows; None where that is not known. The record of the run
            has it, not the verdict.
    """

    id: str
    case: str
    submission: str
    verdict: Verdict
    started: datetime
    target: str | None = None
    image: str = ""
    image_id: str = ""
    services: Mapping[str, str] = field(default_factory=dict)
    profile: str = ""
    runtime: str = ""
    machine: Mapping[str, str] = field(default_factory=dict)
    not_enforced: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    removed_count: int = 0
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    own_steps: tuple[StepRecord, ...] = ()
    wall_seconds: float = 0.0
    memory: MemoryState = MemoryState()
    repeat: int = 1
    number: int = 0
    case_hash: str = ""
    submission_hash: str = ""
    content: str = ""
    reused: str = ""
    tags: tuple[str, ...] = ()
    category: str = ""
    suite: str = ""
    trials: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    origin: Mapping[str, Any] = field(default_factory=dict)
    changes: str = ""
    answer: str | None = None
    transcript: Transcript | None = None
    memory_limit_bytes: int = 0
    judging: Mapping[str, float] = field(default_factory=dict)
    outcomes: Outcomes | None = None
    crossing: Crossing | None = None

    @classmethod
    def of(cls, case: Case, submission: str, verdict: Verdict, *, repeat: int = 1, number: int = 0) -> Self:
        """Return the result of a verdict for which nothing was run; what was run is added with `replace`."""
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
            suite=case.suite,
            trials=case.trials.strategy if case.trials else "",
            about=case.about,
            crossing=case.crossing,
        )
