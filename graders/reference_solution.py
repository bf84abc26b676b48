"""The author's own solution of a case, as a submission: a directory, a diff, an answer file, or text in the case."""

from __future__ import annotations

from graders.answer_files import with_its_code
from graders.case import Case
from graders.leaderboard.answers import reference_answer
from graders.loading.written_verdicts import REFERENCE
from graders.submission import Submission, read_submission


def reference_of(case: Case) -> Submission | None:
    """Return the reference of a case, None if it has none.

    Raises:
        SubmissionRefused: If it cannot be read.
    """
    written = reference_answer(case) if case.reference is None else read_submission(case.reference, name=REFERENCE)
    return None if written is None else with_its_code(case, written)
