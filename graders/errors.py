"""Errors of the graders, and the exit codes of ``grade``.

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

from enum import IntEnum
from typing import Self

from gradebox.sandbox.errors import SandboxError


class ExitCode(IntEnum):
    """The exit code of ``grade``.

    Attributes:
        meaning: What the documentation says about it, in Markdown.
    """

    meaning: str

    def __new__(cls, number: int, meaning: str) -> Self:
        code = int.__new__(cls, number)
        code._value_ = number
        code.meaning = meaning
        return code

    PASSED = 0, "Every verdict is `passed`."
    FAILED = 1, "A verdict is `failed`."
    USAGE = 2, "The command line or a case file is wrong. Nothing was graded."
    INTERNAL_ERROR = 3, "Internal error in gradebox. The message names a file for the report."
    NOT_GRADED = 4, "Something could not be graded. It wins over 1."
    NOTHING_SELECTED = 5, "Nothing was selected."
    INTERRUPTED = 130, "The run was interrupted."
    # 128 + 13: shells report this number for a process that SIGPIPE ended.
    READER_GONE = 141, "The reader of the output is gone, such as `head` in a pipe, or the terminal was closed."


def exit_code_of_results(*, failed: bool = False, not_graded: bool = False, nothing: bool = False) -> ExitCode:
    """Return the exit code of a command that has looked at everything.

    Args:
        failed: Whether a verdict is failed, or something else is not as it must be.
        not_graded: Whether something could not be graded.
        nothing: Whether there was nothing to look at.
    """
    if not_graded:
        return ExitCode.NOT_GRADED
    if nothing:
        return ExitCode.NOTHING_SELECTED
    return ExitCode.FAILED if failed else ExitCode.PASSED


def exit_code_of_case_files(*, wrong: bool) -> ExitCode:
    """Return the exit code of a command that only reads case files."""
    return ExitCode.USAGE if wrong else ExitCode.PASSED


def forgiven(code: ExitCode) -> ExitCode:
    """Return the exit code of a run with ``--exit-zero``."""
    return code if code is ExitCode.INTERRUPTED else ExitCode.PASSED


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
