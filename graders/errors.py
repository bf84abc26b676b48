"""Errors of the graders, and the exit codes of ``grade``.

    GraderError
    |-- UsageRefused         the command line asks for something that makes no sense
    |-- NothingSelected      no case is left after its filters
    |-- CaseRefused          a case file is wrong; carries its diagnostics
    |-- SubmissionRefused    a submission cannot be read at all
    `-- RunRefused           a run directory cannot be used
        |-- RunLost          it could be, and takes no more verdicts
        `-- ReportLost       its verdicts are known, and a report of them cannot be written

A message says what happened and where; ``remedy`` says what to do. What a candidate's work does is never an error
here, it is a verdict.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What ``grade`` ends with, decided by verdicts and nothing else."""

    PASSED = 0
    FAILED = 1
    USAGE = 2
    BUG = 3
    NOT_GRADED = 4
    NOTHING_SELECTED = 5
    INTERRUPTED = 130
    # As a shell says of what SIGPIPE ended.
    READER_GONE = 141


class GraderError(Exception):
    """Something that a person can mend.

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
    """The command line asks for something that makes no sense."""


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
    """A run directory takes no more verdicts, since the disk is full or gone."""

    exit_code = ExitCode.NOT_GRADED


class ReportLost(RunRefused):
    """A report that was asked for with a run cannot be written when the run is over."""

    exit_code = ExitCode.NOT_GRADED


class Interrupted(BaseException):
    """SIGINT or SIGTERM came while something was done that has to be cleaned up."""


class ReaderGone(BaseException):
    """Whoever read what this process writes has closed it: nobody is there to tell anything."""


class OutputLost(BaseException):
    """What this process writes to a standard stream cannot be written, as on a disk that is full.

    Args:
        message: To which stream, and why.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
