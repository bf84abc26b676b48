"""The result of grading one submission: the verdict and its circumstances. Data only; JSON is in `verdict_document`."""

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
        image, image_id: The image of the sandbox; empty if there was no sandbox.
        services: The image ids of the case's services, by service name.
        profile, runtime: The kind of sandbox; the runtime is empty for the engine's default.
        machine: The machine of the sandbox: `kernel`, `processor`, `engine`, `runtime`, as far as known.
        not_enforced: Guarantees that the sandbox may not have enforced, a sentence each.
        restored: Files of the case that the submission had changed or removed, and that were restored.
        removed: Files of the submission that were removed because they control a test runner.
        removed_count: The number of removed files; `removed` may list fewer.
        notes: Facts that a reader of the verdict must know, but that decide nothing, a sentence each.
        told: Statements about the whole verdict that the candidate may read, a sentence each. They name nothing hidden.
        left_out: Submitted files that were ignored: special files, and files of the desktop.
        own_steps: The case's setup and teardown.
        wall_seconds: Wall time of the grading, including the sandbox.
        memory: The state of the sandbox's memory at its end.
        repeat: Which of several gradings of the same submission this is, from 1.
        number: Its position in the run, from 1, regardless of the order of grading; 0 outside a run.
        content: A hash of everything that the verdict depends on; empty if not known.
        case_hash: A hash of the case with its files; empty if not known.
        submission_hash: A hash of the submission as it was handed in; empty if not known.
        reused: The run that the verdict was taken from; empty if this run produced it.
        trials: How the tries of the case become one verdict (`model.trials`); empty for a case without tries.
        about: The case's author, license and so on, unchanged.
        origin: The submission's model, prompt and so on, as far as known.
        changes: The submission's changes to the workspace, as a diff.
        judging: The number of requests and tokens of the judges, and their cost; empty if no judge was asked.
        answer, transcript: Those of the submission, None if it has none.
        outcomes: The data that decided the verdict, for scoring it again; None if nothing was run.
        crossing: How the case is judged, as its reference shows; None if not known. It is saved in the record of the
            run, not in the verdict.
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
        """Return a result with nothing but a verdict. Callers add the data of what was run with `replace`."""
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
