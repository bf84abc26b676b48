"""The exit codes of ``grade``, and which facts lead to which code. `errors.exit_code_of_error` has those of errors."""

from __future__ import annotations

from enum import IntEnum
from typing import Self


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
