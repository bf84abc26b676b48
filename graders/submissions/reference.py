"""The author's own solution of a case, as a submission: a directory, a diff, an answer file, or text in the case."""

from __future__ import annotations

from graders.authoring.written_verdicts import REFERENCE
from graders.formats.julia_leaderboard.answers import reference_answer
from graders.model.case import Case
from graders.model.submission import Submission, read_submission
from graders.submissions.answer import with_its_code


def reference_of(case: Case) -> Submission | None:
    """Return the reference of a case, None if it has none.

    Raises:
        SubmissionRefused: If it cannot be read.
    """
    written = reference_answer(case) if case.reference is None else read_submission(case.reference, name=REFERENCE)
    return None if written is None else with_its_code(case, written)
