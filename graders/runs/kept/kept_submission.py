"""Reads a submission that a run kept, as it was handed in. The run directory is hostile: it may come from elsewhere.

Every size is limited before anything is unpacked. Nothing is written to the host's disk. A submission whose hash
differs from that in its verdict is refused.
"""

from __future__ import annotations

import zlib
from dataclasses import replace

from gradebox.graders.errors import GraderError, SubmissionRefused
from gradebox.graders.model.case import Case
from gradebox.graders.model.submission import Submission, digest, identity
from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.runs.kept.earlier_versions import from_evidence
from gradebox.graders.runs.kept.keeper import FILES, LARGEST_LIMIT, WORDS
from gradebox.graders.runs.saved_evidence import why_not_kept
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.graders.submissions.archive.archive_limits import MAX_RATIO
from gradebox.graders.submissions.packed_submission import unpacked
from gradebox.sandbox.archive import unpack
from gradebox.sandbox.errors import ProtocolError
from gradebox.sandbox.limits import MIB

# The limit for a submission with the headers of its files.
_MOST_BYTES = LARGEST_LIMIT + 128 * MIB
# Smaller pieces may be compressed at any ratio.
_RATIO_FROM_BYTES = 64 * MIB
# The key of `origin` that names the run from which a submission was taken.
TAKEN_FROM = "run"


def kept_submission(run: SavedRun, verdict: VerdictDocument, case: Case) -> Submission:
    """Return the submission of a verdict, for grading with a case. If it is missing, its `fault` says why."""
    name = verdict.submission
    try:
        found = _found(run, verdict, case)
    except (GraderError, OSError) as error:
        why = error.message if isinstance(error, GraderError) else f"It cannot be read: {error.strerror or error}."
        found = Submission(name, fault=f"{run.id} cannot give this submission. {why}")
    origin = {**verdict.origin, **found.origin, TAKEN_FROM: run.id}
    return replace(found, name=name, origin=origin, target=verdict.target, steps=())


def _found(run: SavedRun, verdict: VerdictDocument, case: Case) -> Submission:
    data = run.evidence.work(verdict.submission_hash).piece
    if not data:
        if why := why_not_kept(run, verdict):
            raise SubmissionRefused(f"It is not kept: {why}.")
        return from_evidence(run, verdict, case)
    try:
        inflate = zlib.decompressobj(wbits=31)
        archive = inflate.decompress(data, min(_MOST_BYTES, max(_RATIO_FROM_BYTES, MAX_RATIO * len(data))))
        if not inflate.eof:
            raise SubmissionRefused("It is damaged: it is cut off, or unpacks to too much.")
        files = {entry.path.rpartition("/")[2]: entry.data or b"" for entry in unpack(archive)}
        found = unpacked(files[WORDS], files[FILES])
    except (zlib.error, ProtocolError, KeyError) as error:
        raise SubmissionRefused("It is damaged.") from error
    if identity(found, digest(found)) != verdict.submission_hash:
        raise SubmissionRefused("It is not what was graded: its files were changed while they were read, or later.")
    return found
