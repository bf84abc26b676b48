"""Work that lies in a file by its form: a directory, a diff, an answer text or a transcript.

Everything here is hostile input: only what is named is opened, and no more of it is read than its limit.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from graders.errors import SubmissionRefused
from graders.model.submission import Submission, answer, read_submission
from graders.model.transcript import Transcript, TranscriptError, parse

MAX_BYTES = 32 * 1024 * 1024
ANSWERS = (".md", ".txt", ".jl")
DIFFS = (".diff", ".patch")
TRANSCRIPTS = (".jsonl", ".json")


def read_work(path: Path, name: str) -> Submission:
    """Read a directory, a diff or an answer.

    Raises:
        SubmissionRefused: If there is nothing of that name, or it cannot be read.
    """
    if path.suffix == ".txt" and not path.is_dir():
        return answer(name, _bytes(path).decode("utf-8-sig", "replace").replace("\r\n", "\n"))
    return read_submission(path, name=name)


def read_transcript(path: Path) -> Transcript:
    """Read a transcript.

    Raises:
        SubmissionRefused: If it cannot be read, or is none.
    """
    try:
        return parse(_bytes(path))
    except TranscriptError as error:
        raise SubmissionRefused(f"{path} cannot be read as a transcript. {error}") from error


def _bytes(path: Path) -> bytes:
    try:
        # Without O_NONBLOCK a named pipe would be waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise SubmissionRefused(f"{path} is not a regular file.")
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise SubmissionRefused(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise SubmissionRefused(f"{path} cannot be read: {error}.") from error
    if len(data) > MAX_BYTES:
        raise SubmissionRefused(f"{path} is larger than {MAX_BYTES} bytes.")
    return data
