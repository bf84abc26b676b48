"""Errors: their messages, and the exit code of each."""

from __future__ import annotations

import pytest

from gradebox.graders.errors import (
    CaseRefused,
    Interrupted,
    NothingSelected,
    OutputLost,
    ReaderGone,
    ReportLost,
    RunLost,
    UsageRefused,
    exit_code_of_error,
)
from gradebox.graders.exit_codes import ExitCode
from gradebox.sandbox.errors import EngineUnavailable


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageRefused("x"), ExitCode.USAGE),
        (CaseRefused("x"), ExitCode.USAGE),
        (NothingSelected("x"), ExitCode.NOTHING_SELECTED),
        (RunLost("x"), ExitCode.NOT_GRADED),
        (ReportLost("x"), ExitCode.NOT_GRADED),
        (EngineUnavailable("x"), ExitCode.NOT_GRADED),
        (OutputLost("x"), ExitCode.NOT_GRADED),
        (Interrupted(), ExitCode.INTERRUPTED),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
        (ReaderGone(), ExitCode.READER_GONE),
        (KeyError("x"), ExitCode.INTERNAL_ERROR),
    ],
)
def test_every_error_has_an_exit_code(error: BaseException, code: ExitCode) -> None:
    assert exit_code_of_error(error) is code


def test_a_message_is_followed_by_its_remedy() -> None:
    assert str(UsageRefused("No case.", remedy="Name one.")) == "No case. Name one."
    assert str(UsageRefused("No case.")) == "No case."
