"""The provider `replay`: work that was recorded, found by the id of its case.

For ``path: recorded/{case_id}`` and the case `fix`, below the directory of the file that defines the target:

    recorded/fix/          a directory laid over the workspace, or
    recorded/fix.diff      a unified diff (.patch too), or
    recorded/fix.md        an answer (.txt too)
    recorded/fix.jsonl     how it came about (.json too), beside one of these or alone

A path with one of these endings names that file alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from graders.case import Case
from graders.errors import GraderError
from graders.loading.paths import exists, is_directory
from graders.submission import Submission, read_submission
from graders.targets.definition import ReplayTarget
from graders.transcript import MAX_BYTES, TranscriptError, parse

DIFFS = (".diff", ".patch")
TEXTS = (".md", ".txt")
TRANSCRIPTS = (".jsonl", ".json")


def replayed(case: Case, target: ReplayTarget) -> Submission:
    """Return the recorded work of a case.

    Raises:
        GraderError: If there is none, there are several, or one cannot be read.
    """
    # The id of a case holds no separator and does not begin with a dot.
    written = target.path.replace("{case_id}", case.id).replace("{target}", case.target or target.name)
    path = target.directory / written
    found = [path] if exists(path) else []
    if not found or is_directory(path):
        found += [
            Path(f"{path}{suffix}") for suffix in (*DIFFS, *TEXTS, *TRANSCRIPTS) if exists(Path(f"{path}{suffix}"))
        ]
    works = [file for file in found if file.suffix not in TRANSCRIPTS or is_directory(file)]
    transcripts = [file for file in found if file not in works]
    if not found:
        raise GraderError(f"{target.place}: the target {target.name} has no recording of {case.id}: {path} is missing.")
    for several in (works, transcripts):
        if len(several) > 1:
            raise GraderError(f"{target.place}: several recordings of {case.id}: {_names(several)}.")
    submission = _work(works[0], target.name) if works else Submission(target.name)
    return _with_transcript(submission, transcripts[0]) if transcripts else submission


def answer_file(path: Path, name: str) -> Submission:
    """Read an answer text.

    Raises:
        GraderError: If it cannot be read.
    """
    return Submission(name, output=_bytes(path).decode("utf-8", "replace"))


def _work(path: Path, name: str) -> Submission:
    if path.suffix in TEXTS and not is_directory(path):
        return answer_file(path, name)
    return read_submission(path, name=name)


def _with_transcript(submission: Submission, path: Path) -> Submission:
    try:
        return replace(submission, transcript=parse(_bytes(path)))
    except TranscriptError as error:
        raise GraderError(f"{path} cannot be read as a transcript. {error}") from error


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise GraderError(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > MAX_BYTES:
        raise GraderError(f"{path} is larger than {MAX_BYTES} bytes.")
    return data


def _names(files: Iterable[Path]) -> str:
    return ", ".join(str(file) for file in files)
