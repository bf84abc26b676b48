"""What was kept of one grading beside its verdict: its commands, what they printed, what the submission changed.

What candidates printed is bytes here, and no more of it is read than a reader requests. Missing evidence is not an
error: it may have been removed to save room.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field, fields
from typing import Any

from gradebox.graders.model.evidence import MAX_TEXT_BYTES
from gradebox.graders.model.transcript import Transcript
from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.runs.evidence_log import KeptFile
from gradebox.graders.runs.kept.evidence_files import ANSWER, CHANGES, NOT_KEPT, SANDBOX, STEPS, TRANSCRIPT
from gradebox.graders.runs.saved_run import SavedRun, owner_of
from gradebox.graders.submissions.limited_files import MAX_BYTES
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.records import dataclass

_STEPS_MAX = 64 * MIB
_CHANGES_MAX = 64 * MIB
_SANDBOX_MAX = MIB
_WHY_MAX = 64 * 1024


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
    """One command, as in the verdict, and what was kept of it."""

    check: str | None  # For which check it was run, None for the case's own.
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
    # What it used, by the names of `gradebox.sandbox.types.ResourceUsage`.
    usage: Mapping[str, Any] = field(default_factory=dict)
    stdout: Output = Output()
    stderr: Output = Output()


def steps_of(run: SavedRun, verdict: VerdictDocument, *, max_bytes: int = 64 * 1024) -> list[SavedStep]:
    """Return the commands of a grading, in the order of the verdict.

    Of a stream at most `max_bytes` are read: half of it from its begin, half from its end.
    """
    kept = {}
    # A file of another version, or one that was edited, may lack something: reading ends there.
    with suppress(OSError):
        limits = {"stdout": max_bytes, "stderr": max_bytes, "jsonl": _STEPS_MAX}
        for file in run.evidence.files(owner_of(verdict), lambda name: limits.get(name.rpartition(".")[2], 0)):
            kept[file.name] = file
    found = []
    with suppress(KeyError, TypeError, ValueError):
        for line in kept[STEPS].head.splitlines():
            found.append(_step(json.loads(line), kept))  # noqa: PERF401 - what was read before is kept
    return found


def changes_of(run: SavedRun, verdict: VerdictDocument) -> str:
    """Return what a submission changed of the workspace, as a diff; empty where it is not known."""
    return (_read(run, verdict, CHANGES, _CHANGES_MAX) or b"").decode("utf-8", "replace")


def answer_of(run: SavedRun, verdict: VerdictDocument) -> str | None:
    """Return the answer of a submission: its text, otherwise the last message of its transcript; None without both.

    At most MAX_TEXT_BYTES are read.
    """
    answer = _read(run, verdict, ANSWER, MAX_TEXT_BYTES)
    if answer is not None:
        return answer.decode("utf-8", "replace")
    transcript = transcript_of(run, verdict)
    return transcript.output if transcript is not None else None


def transcript_of(run: SavedRun, verdict: VerdictDocument) -> Transcript | None:
    """Return how an answer came about, None where it is not known."""
    from gradebox.graders.submissions.transcript_fields import TranscriptError  # noqa: PLC0415 - few submissions are transcripts
    from gradebox.graders.submissions.transcript_json import parse_transcript  # noqa: PLC0415 - the same

    data = _read(run, verdict, TRANSCRIPT, MAX_BYTES)
    try:
        return None if data is None else parse_transcript(data)
    except TranscriptError:
        return None


def why_not_kept(run: SavedRun, verdict: VerdictDocument) -> str:
    """Return why the submission of a verdict is not kept, a clause; empty if it is, or nobody said."""
    return (_read(run, verdict, NOT_KEPT, _WHY_MAX) or b"").decode("utf-8", "replace").rstrip(".")


def memory_of(run: SavedRun, verdict: VerdictDocument) -> Mapping[str, int | None]:
    """Return the memory that a sandbox used, by the names of `gradebox.sandbox.types.MemoryState`, and its limit."""
    try:
        found = json.loads(_read(run, verdict, SANDBOX, _SANDBOX_MAX) or b"")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _read(run: SavedRun, verdict: VerdictDocument, name: str, max_bytes: int) -> bytes | None:
    try:
        return run.evidence.read(owner_of(verdict), name, max_bytes)
    except OSError:
        return None


def _step(line: dict[str, Any], kept: Mapping[str, KeptFile]) -> SavedStep:
    known = {field.name: line[field.name] for field in fields(SavedStep)}
    outputs = {stream: _output(line[stream], kept) for stream in ("stdout", "stderr")}
    return SavedStep(**{**known, **outputs, "argv": tuple(line["argv"])})


def _output(line: dict[str, Any], kept: Mapping[str, KeptFile]) -> Output:
    file = kept.get(line["file"])
    return Output(int(line["bytes"]), file.head, file.tail) if file else Output(int(line["bytes"]))
