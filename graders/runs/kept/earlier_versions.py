"""Reconstructs submissions of runs that kept none, from their evidence: an answer, a transcript, or a diff.

Versions 0.1 and 0.2 kept the changes of a submission as a diff for people, without links, binary and large files. A
submission made from that diff is accepted only if it makes the same diff now. The permissions of its files are unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.grading.prepare import prepare
from gradebox.graders.model.case import Case
from gradebox.graders.model.patch import FilePatch, Operation
from gradebox.graders.model.submission import Form, Submission, digest
from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.runs.kept.evidence_files import CHANGES
from gradebox.graders.runs.saved_evidence import answer_of, changes_of, transcript_of
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.graders.submissions import diff
from gradebox.graders.submissions.answer import ANSWER_FILES, read_answer

# The key of `origin` that marks a reconstructed submission, which may differ from the one that was handed in.
MADE_FROM = "made_from"


def from_evidence(run: SavedRun, verdict: VerdictDocument, case: Case) -> Submission:
    """Return the submission of a verdict, for a run that kept none.

    Raises SubmissionRefused if the evidence does not contain it, or cannot prove that it is the same, and OSError or
    GraderError if a file cannot be read.
    """
    by = f"Version {run.other_version}" if run.other_version else "The run"
    outcomes = run.outcomes(verdict)
    if outcomes is None:
        raise SubmissionRefused(f"{by} kept no part of the submission.")
    for candidate in _said(run, verdict):
        if digest(prepare(case, candidate, image=verdict.image).submission) == outcomes.submission:
            return candidate
    changes = changes_of(run, verdict)
    made = _made_from(changes, run, verdict)
    if made is not None and prepare(case, made, image=verdict.image).changes == changes:
        return made
    raise SubmissionRefused(
        f"{by} kept no submissions. What it kept of this one is not all, or the case's workspace has changed since."
    )


def _said(run: SavedRun, verdict: VerdictDocument) -> Iterator[Submission]:
    """Yield the possible submissions: an answer, a transcript, or nothing."""
    name, answer, transcript = verdict.submission, answer_of(run, verdict), transcript_of(run, verdict)
    if answer is not None:
        for file in ANSWER_FILES.values():
            laid = read_answer(name, answer, file=file)
            yield replace(laid, output=answer, transcript=transcript)
    yield Submission(name, transcript=transcript)


def _made_from(changes: str, run: SavedRun, verdict: VerdictDocument) -> Submission | None:
    """Return a submission that makes the changes of a diff, None if the diff cannot be complete."""
    # Bytes that are not text were stored as replacement characters.
    if not changes or "\ufffd" in changes:
        return None
    try:
        patches = tuple(map(_with_mode, diff.parse(changes.encode())))
    except diff.DiffError:
        return None
    transcript = transcript_of(run, verdict)
    answer = answer_of(run, verdict) if transcript is None else None
    return Submission(
        verdict.submission, Form.DIFF, patches=patches, output=answer, transcript=transcript,
        origin={MADE_FROM: CHANGES},
    )  # fmt: skip


def _with_mode(patch: FilePatch) -> FilePatch:
    """Return a patch that makes a new script executable, as `extract_code` does for answers."""
    is_script = patch.operation is Operation.CREATE and any(hunk.body.startswith(b"+#!") for hunk in patch.hunks)
    return replace(patch, mode=0o755) if is_script else patch
