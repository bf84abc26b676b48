"""Submissions that are directories: scanned without following links, and without `.git`."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import scan
from gradebox.sandbox.session import SNAPSHOT_MAX_BYTES

# A sandbox cannot make a snapshot of a larger workspace.
MAX_DIRECTORY_BYTES = SNAPSHOT_MAX_BYTES


def read_directory(name: str, place: Path) -> Submission:
    """Read a directory. If its files are too many, too large or too deep, the submission has a `problem`.

    Raises OSError if it cannot be read.
    """
    try:
        tree = scan(place, leave=[".git"])
    except SubmissionRefused as error:
        return Submission(name, Form.DIRECTORY, problem=error.message)
    except OSError as error:
        # This is the fault of one submission; others must still be graded.
        if error.errno != errno.ENAMETOOLONG:
            raise
        first = os.path.relpath(error.filename, place).partition("/")[0]
        return Submission(name, Form.DIRECTORY, problem=f"It holds paths that are too long, below {first!r}.")
    if tree.size_bytes > MAX_DIRECTORY_BYTES:
        # A sparse file needs no space on the candidate's disk, but its full size here.
        return Submission(name, Form.DIRECTORY, problem=f"It holds more than {MAX_DIRECTORY_BYTES} bytes.")
    return Submission(name, Form.DIRECTORY, tree)
