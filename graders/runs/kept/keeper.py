"""Keeps submissions in a run directory: as they were handed in, each once, up to a size limit.

A submission is identified by its hash (`model.submission.identity`), so a submission shared by many cases, repeats or
candidates is kept once. Its files are those that were laid over the workspace, without `.git`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import field, replace
from threading import Lock

from gradebox.graders.documents import fields
from gradebox.graders.errors import UsageRefused
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Submission, digest, identity
from gradebox.graders.runs.evidence_log import Work, owner_of_work
from gradebox.graders.runs.evidence_log import packed as piece_of
from gradebox.graders.submissions.packed_submission import packed
from gradebox.sandbox.errors import SandboxError
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.records import dataclass

WORDS, FILES = "submission.json", "files.tar"
# The largest limit that a user may set: packing needs several times as much memory.
LARGEST_LIMIT = 512 * MIB
NOTHING = "none"
# Larger submissions are packed one at a time, since each needs a few times its size in memory.
_LARGE_BYTES = MIB


def size_of(text: str) -> int:
    """Return the limit of `--keep-submissions` in bytes, 0 for `none`. Raises UsageRefused if it is invalid."""
    size = 0 if text == NOTHING else fields.size_of(text)
    if size is None or size > LARGEST_LIMIT:
        raise UsageRefused(
            f"--keep-submissions takes a size up to {LARGEST_LIMIT // MIB}MiB or none, not {text}.",
            remedy="For example: 64MiB.",
        )
    return size


@dataclass(slots=True)
class Keeper:
    """Packs the submissions of one run. Several threads may use it."""

    most_bytes: int  # The size limit of one submission; 0 to keep none.
    has: Callable[[str], bool]  # Whether the submission with this hash is kept already.
    left: int = field(default=0, init=False)  # How many submissions could not be kept, in a run that keeps submissions.
    _counting: Lock = field(default_factory=Lock, init=False)
    _large: Lock = field(default_factory=Lock, init=False)

    def work_of(self, result: Result, submission: Submission) -> Work:
        """Return the submission of a verdict as a piece of the log, or why it is not kept."""
        try:
            work = self._packed(result.submission_hash, submission)
        except (OSError, SandboxError) as error:
            work = Work(why_not=f"it could not be read after it was graded: {error}")
        if work.why_not and self.most_bytes:
            with self._counting:
                self.left += 1
        return work

    def _packed(self, known_hash: str, submission: Submission) -> Work:
        if submission.fault:
            return Work(why_not=f"it could not be read: {submission.fault}")
        if not self.most_bytes:
            return Work(why_not="the run was told to keep no submissions (`--keep-submissions none`)")
        size = submission.tree.size_bytes
        if size > self.most_bytes:
            return self._too_large(size)
        hash_of_it = known_hash or identity(submission, digest(submission))
        if self.has(hash_of_it):
            return Work(hash_of_it)
        with self._large if size > _LARGE_BYTES else nullcontext():
            # The piece is shared by several gradings, so the details of one grading are only in its verdict.
            words, files = packed(replace(submission, name="", steps=(), origin={}, target=None))
            if size + len(words) > self.most_bytes:
                return self._too_large(size + len(words))
            return Work(hash_of_it, piece_of(owner_of_work(hash_of_it), [(WORDS, words), (FILES, files)]))

    def _too_large(self, size: int) -> Work:
        why = f"it has {size} bytes, and the run kept submissions of up to {self.most_bytes} (`--keep-submissions`)"
        return Work(why_not=why)
