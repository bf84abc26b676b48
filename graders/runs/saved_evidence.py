"""The evidence of one grading besides its verdict: its commands, their output, and the changes of the submission.

Candidates' output stays bytes here, and is read only up to the requested limit. Missing evidence is not an error: it
may have been removed to save disk space.
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
    """The output of a command on one stream: its first and last bytes. `tail` is empty if `head` has all."""

    total_bytes: int = 0
    head: bytes = b""
    tail: bytes = b""

    @property
    def omitted_bytes(self) -> int:
        """How many bytes between `head` and `tail` are left out."""
        return self.total_bytes - len(self.head) - len(self.tail)

    def text(self) -> str:
        """Return the output as text, with a line in place of the omitted bytes."""
        parts = [self.head.decode("utf-8", "replace")]
        if self.omitted_bytes > 0:
            parts.append(f"\n[... {self.omitted_bytes} bytes omitted ...]\n")
        return "".join([*parts, self.tail.decode("utf-8", "replace")])


@dataclass(frozen=True, slots=True)
class SavedStep:
    """One command, as in the verdict, and its captured output."""

    check: str | None  # The check that ran it, None for commands of the case.
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
    # The resources it used, by the field names of `gradebox.sandbox.types.ResourceUsage`.
    usage: Mapping[str, Any] = field(default_factory=dict)
    stdout: Output = Output()
    stderr: Output = Output()


def steps_of(run: SavedRun, verdict: VerdictDocument, *, max_bytes: int = 64 * 1024) -> list[SavedStep]:
    """Return the commands of a grading, in the order of the verdict.

    At most `max_bytes` of each stream are read, half from its beginning and half from its end.
    """
    kept = {}
    # A file of another version, or one that was edited, may lack fields. Reading ends there.
    with suppress(OSError):
        limits = {"stdout": max_bytes, "stderr": max_bytes, "jsonl": _STEPS_MAX}
        for file in run.evidence.files(owner_of(verdict), lambda name: limits.get(name.rpartition(".")[2], 0)):
            kept[file.name] = file
    found = []
    with suppress(KeyError, TypeError, ValueError):
        for line in kept[STEPS].head.splitlines():
            found.append(_step(json.loads(line), kept))  # noqa: PERF401 - an error must not lose the steps before it
    return found


def changes_of(run: SavedRun, verdict: VerdictDocument) -> str:
    """Return the changes that a submission made to the workspace, as a diff; empty if unknown."""
    return (_read(run, verdict, CHANGES, _CHANGES_MAX) or b"").decode("utf-8", "replace")


def answer_of(run: SavedRun, verdict: VerdictDocument) -> str | None:
    """Return the answer of a submission: its text, or else the last message of its transcript; None without both.

    At most MAX_TEXT_BYTES are read.
    """
    answer = _read(run, verdict, ANSWER, MAX_TEXT_BYTES)
    if answer is not None:
        return answer.decode("utf-8", "replace")
    transcript = transcript_of(run, verdict)
    return transcript.output if transcript is not None else None


def transcript_of(run: SavedRun, verdict: VerdictDocument) -> Transcript | None:
    """Return the transcript of an answer, None if there is none."""
    from gradebox.graders.submissions.transcript_fields import TranscriptError  # noqa: PLC0415 - few submissions are transcripts
    from gradebox.graders.submissions.transcript_json import parse_transcript  # noqa: PLC0415 - few submissions are transcripts

    data = _read(run, verdict, TRANSCRIPT, MAX_BYTES)
    try:
        return None if data is None else parse_transcript(data)
    except TranscriptError:
        return None


def why_not_kept(run: SavedRun, verdict: VerdictDocument) -> str:
    """Return a clause that says why the submission of a verdict is not kept; empty if kept, or not recorded."""
    return (_read(run, verdict, NOT_KEPT, _WHY_MAX) or b"").decode("utf-8", "replace").rstrip(".")


def memory_of(run: SavedRun, verdict: VerdictDocument) -> Mapping[str, int | None]:
    """Return a sandbox's memory use and limit, by the field names of `gradebox.sandbox.types.MemoryState`."""
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
