"""The files that a run keeps as evidence of a verdict; the docstring of `store` lists them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from gradebox.graders.documents.paths import file_name
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import encodable
from gradebox.graders.model.verdict import StepRecord
from gradebox.sandbox.types import MemoryState

OUTCOMES = "outcomes.json"
CHANGES = "changes.diff"
JUDGMENTS = "judgments.jsonl"
ANSWER = "answer.md"
TRANSCRIPT = "transcript.jsonl"
SANDBOX = "sandbox.json"
STEPS = "steps.jsonl"
NOT_KEPT = "not-kept.txt"


def evidence_files(graded: Result) -> Iterator[tuple[str, bytes]]:
    """Yield the files that are kept for a grading, without empty ones."""
    if graded.memory_limit_bytes or graded.memory != MemoryState():
        yield SANDBOX, _lines([{**asdict(graded.memory), "memory_limit_bytes": graded.memory_limit_bytes}])
    if graded.changes:
        yield CHANGES, encodable(graded.changes).encode()
    if graded.answer is not None:
        yield ANSWER, graded.answer.encode("utf-8", "replace")
    if graded.transcript is not None:
        from gradebox.graders.submissions.transcript_json import transcript_lines  # noqa: PLC0415 - few submissions have one

        yield TRANSCRIPT, _lines(transcript_lines(graded.transcript))
    if graded.outcomes is not None and graded.outcomes.judgments:
        yield JUDGMENTS, _lines({"key": key, **asdict(one)} for key, one in graded.outcomes.judgments.items())
    yield from _steps(graded)
    if graded.outcomes is not None:
        from gradebox.graders.runs import outcomes  # noqa: PLC0415 - after the engine has answered

        yield OUTCOMES, outcomes.encode(graded.outcomes)


def _lines(objects: Iterable[Any]) -> bytes:
    return "".join(f"{json.dumps(one)}\n" for one in objects).encode()


def _steps(graded: Result) -> Iterator[tuple[str, bytes]]:
    from gradebox.graders.model.verdict_document import step_document  # noqa: PLC0415 - after the engine has answered

    steps: list[tuple[str | None, StepRecord]] = [(None, step) for step in graded.own_steps]
    steps += ((check.name, step) for check in graded.verdict.checks for step in check.steps)
    lines, outputs = [], {}
    for number, (check, step) in enumerate(steps, 1):
        outcome = step.outcome
        line = {"check": check, **step_document(step).model_dump(), "detail": outcome.detail}
        line["usage"] = asdict(outcome.usage)
        for stream, capture in (("stdout", outcome.stdout), ("stderr", outcome.stderr)):
            name = f"{number:03d}-{file_name(f'{step.role}-{step.name}')}.{stream}" if capture.total_bytes else None
            if name:
                outputs[name] = capture.content()
            line[stream] = {
                "bytes": capture.total_bytes,
                "sha256": capture.sha256,
                "omitted_bytes": capture.omitted_bytes,
                "file": name,
            }
        lines.append(line)
    if lines:
        yield STEPS, _lines(lines)
        yield from outputs.items()
