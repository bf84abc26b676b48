"""Case and submission -> plan: the one way to a plan, for grading, `grade plan`, regrading and `grade check`.

code of an answer -> files of the case -> the submission laid over the workspace -> what graders read -> the plan
"""

from __future__ import annotations

from dataclasses import replace

from graders.checks.grader_io import handed_over
from graders.grading.case_files import read_files
from graders.grading.planner import make_plan
from graders.model.case import Case
from graders.model.plan import Plan
from graders.model.submission import Submission
from graders.submissions.answer import extract_code
from graders.submissions.overlay import lay


def prepare(case: Case, submission: Submission, *, image: str) -> Plan:
    """Return what will be done to grade a submission. Runs nothing.

    Args:
        case: The case.
        submission: The submission. Where it cannot be laid over the workspace, the plan's `problem` says why.
        image: Reference of the image.

    Raises:
        CaseRefused: If a directory of the case cannot be read.
        OSError: If a file of the case or of the submission cannot be read.
    """
    submission = extract_code(case, submission)
    files = read_files(case)
    laid = lay(files.workspace, submission)
    described = handed_over(submission, files.workspace, laid.tree)
    plan = make_plan(case, files, laid.tree, image=image, handed_over=described)
    return replace(plan, submission=submission, problem=laid.problem, changes=described["file_changes"])
