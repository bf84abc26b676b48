"""Grades untrusted code in throwaway containers: cases, checks, verdicts, reports, and the ``grade`` command.

from graders import Grader

with Grader() as grader:
    result = grader.grade("cases/add-auth", submission="work/")
    print(result.verdict.status, result.verdict.score)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graders.grading.grader import Grader
    from graders.grading.task import Task, load_case
    from graders.model.result import Result
    from graders.model.submission import Submission
    from graders.model.verdict import CheckResult, Status, Verdict
    from graders.submissions.source import read_submission

__all__ = [
    "CheckResult",
    "Grader",
    "Result",
    "Status",
    "Submission",
    "Task",
    "Verdict",
    "load_case",
    "read_submission",
]

_HOMES = {
    "CheckResult": "graders.model.verdict",
    "Result": "graders.model.result",
    "Grader": "graders.grading.grader",
    "Status": "graders.model.verdict",
    "Submission": "graders.model.submission",
    "Task": "graders.grading.task",
    "Verdict": "graders.model.verdict",
    "load_case": "graders.grading.task",
    "read_submission": "graders.submissions.source",
}


def __getattr__(name: str) -> object:
    # Loaded on first use: the command's help must not wait for the whole package.
    if name not in _HOMES:
        raise AttributeError(f"module 'graders' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_HOMES[name]), name)
