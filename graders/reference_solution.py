"""The author's own solution of a case, as a submission: a directory, a diff, an answer file, or text in the case."""

from __future__ import annotations

from graders.answer_files import with_its_code
from graders.case import Case
from graders.leaderboard.answers import is_definition, reference_answer
from graders.loading.written_verdicts import REFERENCE
from graders.submission import Submission, read_submission


def reference_of(case: Case) -> Submission | None:
    """Return the reference of a case, None if it has none.

    Raises:
        SubmissionRefused: If it cannot be read.
    """
    if case.reference is not None:
        return read_submission(case.reference, name=REFERENCE)
    if case.reference_text is None or is_definition(case):
        return reference_answer(case)
    return with_its_code(case, Submission(REFERENCE, output=case.reference_text))
