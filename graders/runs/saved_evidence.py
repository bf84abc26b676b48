"""What was kept of one grading beside its verdict: its commands, what they printed, what the submission changed.

What candidates printed is bytes here, and no more of it is read than a reader requests. Missing evidence is no error:
it may have been removed to save room.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import field, fields
from pathlib import Path
from typing import Any

from graders.errors import SubmissionRefused
from graders.model.evidence import MAX_TEXT_BYTES
from graders.model.transcript import Transcript
from graders.model.verdict_document import VerdictDocument
from graders.runs.saved_run import SavedRun
from graders.runs.store import ANSWER, CHANGES, SANDBOX, STEPS, TRANSCRIPT
from graders.submissions.source import read_transcript
from sandbox.records import dataclass


@dataclass(frozen=True, slots=True)
class Output:
    """What a command wrote to one stream: its first and last bytes; `tail` is empty where `head` is all."""

    total_bytes: int = 0
    head: bytes = b""
    tail: bytes = b""

    @property
    def omitted_bytes(self) -> int:
        """How much lies between the two."""
        return self.total_bytes - len(self.head) - len(self.tail)

    def text(self) -> str:
        """Return it as text, with a line in place of what is not shown."""
        parts = [self.head.decode("utf-8", "replace")]
        if self.omitted_bytes > 0:
            parts.append(f"\n[... {self.omitted_bytes} bytes omitted ...]\n")
        return "".join([*parts, self.tail.decode("utf-8", "replace")])


@dataclass(frozen=True, slots=True)
class SavedStep:
    """One command, as in the verdict, and what was kept of it.

    Attributes:
        check: For which check it was run, None for the case's own.
        usage: What it used, by the names of `sandbox.types.ResourceUsage`.
    """

    check: str | None
    role: str
    name: str
    argv: tuple[str, ...]
    passed: bool
    reason: str
    ending: str
    exit_code: int | None
    signal: int | None
    wall_seconds: float
    detail: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    stdout: Output = Output()
    stderr: Output = Output()


def steps_of(run: SavedRun, verdict: VerdictDocument, *, max_bytes: int = 64 * 1024) -> list[SavedStep]:
    """Return the commands of a grading, in the order of the verdict.

    Of a stream at most `max_bytes` are read: half of it from its begin, half from its end.
    """
    directory = run.evidence(verdict)
    found = []
    # A file of another version, or one that was edited, may lack something: reading ends there.
    with suppress(KeyError, TypeError, ValueError):
        for line in _lines(directory / STEPS):
            found.append(_step(directory, line, max_bytes))  # noqa: PERF401 - what was read before is kept
    return found


def changes_of(run: SavedRun, verdict: VerdictDocument) -> str:
    """Return what a submission changed of the workspace, as a diff; empty where it is not known."""
    try:
        return (run.evidence(verdict) / CHANGES).read_text("utf-8", "replace")
    except OSError:
        return ""


def answer_of(run: SavedRun, verdict: VerdictDocument) -> str | None:
    """Return the answer of a submission: its text, otherwise the last message of its transcript; None without both.

    At most MAX_TEXT_BYTES are read.
    """
    try:
        with (run.evidence(verdict) / ANSWER).open("rb") as stream:
            return stream.read(MAX_TEXT_BYTES).decode("utf-8", "replace")
    except OSError:
        transcript = transcript_of(run, verdict)
        return transcript.output if transcript is not None else None


def transcript_of(run: SavedRun, verdict: VerdictDocument) -> Transcript | None:
    """Return how an answer came about, None where it is not known."""
    try:
        return read_transcript(run.evidence(verdict) / TRANSCRIPT)
    except SubmissionRefused:
        return None


def memory_of(run: SavedRun, verdict: VerdictDocument) -> Mapping[str, int | None]:
    """Return the memory that a sandbox used, by the names of `sandbox.types.MemoryState`, and its limit."""
    try:
        found = json.loads((run.evidence(verdict) / SANDBOX).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open("rb") as stream:
            for line in stream:
                yield json.loads(line)
    except (OSError, ValueError):
        # What follows was lost with the power: verdicts are flushed to disk, evidence is not.
        return


def _step(directory: Path, line: dict[str, Any], max_bytes: int) -> SavedStep:
    known = {field.name: line[field.name] for field in fields(SavedStep)}
    outputs = {stream: _output(directory, line[stream], max_bytes) for stream in ("stdout", "stderr")}
    return SavedStep(**{**known, **outputs, "argv": tuple(line["argv"])})


def _output(directory: Path, kept: dict[str, Any], max_bytes: int) -> Output:
    if not kept["file"]:
        return Output()
    # Names in the directory are ours; an edited record must not lead out of it.
    path = directory / Path(kept["file"]).name
    total = int(kept["bytes"])
    try:
        with path.open("rb") as stream:
            size = path.stat().st_size
            if size <= max_bytes and total == size:
                return Output(total, stream.read())
            head = stream.read(max_bytes // 2)
            stream.seek(max(len(head), size - max_bytes // 2))
            return Output(total, head, stream.read())
    except OSError:
        return Output(total)
