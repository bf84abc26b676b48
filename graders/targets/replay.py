"""The provider `replay`: work that was recorded, found by the id of its case.

For ``path: recorded/{case_id}`` and the case `fix`, below the directory of the file that defines the target:

    recorded/fix/          a directory laid over the workspace, or
    recorded/fix.diff      a unified diff (.patch too), or
    recorded/fix.md        an answer (.txt too)
    recorded/fix.jsonl     how it came about (.json too), beside one of these or alone

A path that is a file names that file alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from graders.documents.paths import exists, is_directory
from graders.errors import GraderError
from graders.model.case import Case
from graders.model.submission import Submission
from graders.submissions.source import (
    ANSWERS,
    DIFFS,
    TRANSCRIPTS,
    read_transcript,
    read_work,
)
from graders.targets.definition import ReplayTarget


def replayed(case: Case, target: ReplayTarget) -> Submission:
    """Return the recorded work of a case.

    Raises:
        GraderError: If there is none, there are several, or one cannot be read.
    """
    # The id of a case holds no separator and does not begin with a dot.
    written = target.path.replace("{case_id}", case.id).replace("{target}", case.target or target.name)
    path = target.directory / written
    found = list(_recordings(path))
    transcripts = [file for file in found if file.suffix in TRANSCRIPTS and not is_directory(file)]
    works = [file for file in found if file not in transcripts]
    if not found:
        raise GraderError(f"{target.place}: the target {target.name} has no recording of {case.id}: {path} is missing.")
    for several in (works, transcripts):
        if len(several) > 1:
            names = ", ".join(str(file) for file in several)
            raise GraderError(f"{target.place}: there are several recordings of {case.id}: {names}.")
    submission = read_work(works[0], target.name) if works else Submission(target.name)
    return replace(submission, transcript=read_transcript(transcripts[0])) if transcripts else submission


def _recordings(path: Path) -> Iterator[Path]:
    there = exists(path)
    if there:
        yield path
    if not there or is_directory(path):
        beside = (Path(f"{path}{suffix}") for suffix in (*DIFFS, *ANSWERS, *TRANSCRIPTS))
        yield from (file for file in beside if exists(file))
