"""The submissions of a command line: named before any is read, and read when their turn comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from graders.errors import SubmissionRefused, UsageRefused
from graders.grading.internal_error import sentence_of_bug
from graders.model.submission import STDIN, Submission, read_submission

# As many are read at once and stay in memory; of more, each is read when its turn comes.
AT_ONCE = 64


def handed_in(paths: Sequence[str]) -> list[Callable[[], Submission]]:
    """Return what reads each submission of a command line.

    Raises:
        UsageRefused: If one is named twice.
        SubmissionRefused: If there is nothing to read where one should be.
    """
    if "" in paths:
        # A variable of the shell that was not set; as a path it would be the working directory.
        raise UsageRefused("--submission is empty.", remedy="Name a directory or a diff.")
    for path, count in Counter(paths).items():
        if count > 1:
            raise UsageRefused(f"The submission {path} is named twice.", remedy="Name it once.")
    names = [_name(path) for path in paths]
    held = Counter(names)
    # Their paths tell them apart where their last components do not.
    chosen = [path if held[name] > 1 and path != STDIN else name for name, path in zip(names, paths, strict=True)]
    readers = [_reader(path, name) for path, name in zip(paths, chosen, strict=True)]
    if len(readers) <= AT_ONCE or STDIN in paths:
        return [_constant(_named(read_submission(path), name)) for path, name in zip(paths, chosen, strict=True)]
    return readers


def _named(submission: Submission, name: str) -> Submission:
    return replace(submission, name=name)


def _constant(submission: Submission) -> Callable[[], Submission]:
    return lambda: submission


def _reader(path: str, name: str) -> Callable[[], Submission]:
    return lambda: _read(path, name)


@lru_cache(maxsize=AT_ONCE)
def _read(path: str, name: str) -> Submission:
    try:
        return _named(read_submission(path), name)
    except SubmissionRefused as error:
        # It was there when the run began. One of ten thousand must not end the run of the others.
        return Submission(name, fault=str(error))
    except Exception as bug:  # noqa: BLE001 - nor may what it has brought to light
        return Submission(name, fault=sentence_of_bug(bug))


def _name(path: str) -> str:
    """Return the name of a submission as `read_submission` gives it.

    Raises:
        SubmissionRefused: If there is nothing.
    """
    if path == STDIN:
        return "stdin"
    place = Path(path)
    try:
        return place.resolve().name if place.is_dir() else place.stem
    except (OSError, ValueError) as error:
        raise SubmissionRefused(f"The submission {path} cannot be read: {error}.") from error
