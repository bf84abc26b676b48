"""Errors of the graders, and the exit code (exit_codes.py) with which each ends ``grade``.

    GraderError
    |-- UsageRefused         the command line makes no sense
    |-- NothingSelected      no case is left after its filters
    |-- CaseRefused          a case file is wrong; carries its diagnostics
    |-- SubmissionRefused    a submission cannot be read at all
    `-- RunRefused           a run directory cannot be used
        |-- RunLost          the run directory takes no more verdicts
        `-- ReportLost       the verdicts are known, but a report of them cannot be written

A message says what happened and where; ``remedy`` says what to do. What a submission does is never an error here, it
is a verdict.
"""

from __future__ import annotations

from gradebox.graders.exit_codes import ExitCode
from gradebox.sandbox.errors import SandboxError


def exit_code_of_error(error: BaseException) -> ExitCode:
    """Return what a command ends with that an error has ended."""
    match error:
        case GraderError():
            return error.exit_code
        case SandboxError() | OutputLost():
            return ExitCode.NOT_GRADED
        case Interrupted() | KeyboardInterrupt():
            return ExitCode.INTERRUPTED
        case ReaderGone():
            return ExitCode.READER_GONE
        case _:
            return ExitCode.INTERNAL_ERROR


class GraderError(Exception):
    """Something that a person can correct.

    Args:
        message: What happened and where, one sentence.
        remedy: What to do about it; empty when nothing useful can be said.
    """

    exit_code = ExitCode.USAGE

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}" if self.remedy else self.message


class UsageRefused(GraderError):
    """The command line makes no sense."""


class NothingSelected(GraderError):
    """No case is left after the filters of the command line."""

    exit_code = ExitCode.NOTHING_SELECTED


class CaseRefused(GraderError):
    """A case file is wrong."""


class SubmissionRefused(GraderError):
    """A submission cannot be read at all."""


class RunRefused(GraderError):
    """A run directory cannot be used."""


class RunLost(RunRefused):
    """A run directory takes no more verdicts: the disk is full or gone."""

    exit_code = ExitCode.NOT_GRADED


class ReportLost(RunRefused):
    """A requested report cannot be written when the run is over."""

    exit_code = ExitCode.NOT_GRADED


class Interrupted(BaseException):
    """SIGINT or SIGTERM arrived while something was done that has to be cleaned up."""


class ReaderGone(BaseException):
    """The reader of a standard stream has closed it."""


class OutputLost(BaseException):
    """A standard stream cannot be written, as on a disk that is full.

    Args:
        message: To which stream, and why.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
