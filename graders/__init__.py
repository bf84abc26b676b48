"""Grades untrusted code in throwaway containers: cases, checks, verdicts, reports, and the ``grade`` command.

from gradebox import Grader

with Grader() as grader:
    result = grader.grade("cases/add-auth", submission="work/")
    print(result.verdict.status, result.verdict.score)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from gradebox.graders.errors import CaseRefused, GraderError, SubmissionRefused, UsageRefused
    from gradebox.graders.grading.grader import Grader
    from gradebox.graders.grading.task import Task, load_case, load_cases
    from gradebox.graders.model.case import Case
    from gradebox.graders.model.result import Result
    from gradebox.graders.model.submission import Submission
    from gradebox.graders.model.verdict import CheckResult, Status, Verdict
    from gradebox.graders.submissions.source import read_submission
    from gradebox.sandbox.errors import EngineUnavailable, SandboxError

__all__ = [
    "CaseRefused", "CheckResult", "EngineUnavailable", "Grader", "GraderError", "Result", "SandboxError", "Status",
    "Submission", "SubmissionRefused", "Task", "UsageRefused", "Verdict", "grade", "load_case", "load_cases",
    "read_submission",
]  # fmt: skip

_HOMES = {
    "CaseRefused": "gradebox.graders.errors",
    "CheckResult": "gradebox.graders.model.verdict",
    "EngineUnavailable": "gradebox.sandbox.errors",
    "Grader": "gradebox.graders.grading.grader",
    "GraderError": "gradebox.graders.errors",
    "Result": "gradebox.graders.model.result",
    "SandboxError": "gradebox.sandbox.errors",
    "Status": "gradebox.graders.model.verdict",
    "Submission": "gradebox.graders.model.submission",
    "SubmissionRefused": "gradebox.graders.errors",
    "Task": "gradebox.graders.grading.task",
    "UsageRefused": "gradebox.graders.errors",
    "Verdict": "gradebox.graders.model.verdict",
    "load_case": "gradebox.graders.grading.task",
    "load_cases": "gradebox.graders.grading.task",
    "read_submission": "gradebox.graders.submissions.source",
}


def __getattr__(name: str) -> object:
    # Loaded on first use: the command's help must not wait for the whole package.
    if name not in _HOMES:
        raise AttributeError(f"module 'graders' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_HOMES[name]), name)


def grade(
    case: str | Path | Case,
    submission: str | Path | Submission | None = None,
    *,
    answer: str | None = None,
    host: str | None = None,
    profile: str = "default",
    runtime: str | None = None,
) -> Result:
    """Grade one submission of one case. For more than one, a `Grader` connects to the engine only once.

    Args:
        case: A case, or where it is.
        submission: A submission, or where it is; None grades the workspace as it is.
        answer: The text of an answer, instead of `submission`.
        host: Address of the engine; None for the one that the environment names.
        profile: ``default``, or ``strict`` for submissions that are expected to attack.
        runtime: OCI runtime of the sandbox, such as ``runsc``; None for the profile's or the engine's default.

    Raises:
        UsageRefused: If there is no such profile.
        CaseRefused: If the case has mistakes.
        SubmissionRefused: If there is nothing to read where the submission should be.
        EngineUnavailable: If no engine answers.
    """
    from gradebox.graders.grading.grader import Grader  # noqa: PLC0415 - as above

    with Grader(host=host, profile=profile, runtime=runtime) as grader:
        return grader.grade(case, submission, answer=answer)
