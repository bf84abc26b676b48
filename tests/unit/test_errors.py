"""Errors: their messages, and the exit code of each."""

from __future__ import annotations

import pytest

from gradebox.graders.errors import (
    CaseRefused,
    ExitCode,
    Interrupted,
    NothingSelected,
    OutputLost,
    ReaderGone,
    ReportLost,
    RunLost,
    UsageRefused,
    exit_code_of_case_files,
    exit_code_of_error,
    exit_code_of_results,
    forgiven,
)
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


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({}, ExitCode.PASSED),
        ({"failed": True}, ExitCode.FAILED),
        ({"nothing": True}, ExitCode.NOTHING_SELECTED),
        ({"not_graded": True}, ExitCode.NOT_GRADED),
        ({"failed": True, "not_graded": True}, ExitCode.NOT_GRADED),
        ({"nothing": True, "not_graded": True}, ExitCode.NOT_GRADED),
    ],
)
def test_what_could_not_be_graded_wins(facts: dict[str, bool], code: ExitCode) -> None:
    assert exit_code_of_results(**facts) is code


def test_case_files_are_right_or_wrong() -> None:
    assert exit_code_of_case_files(wrong=False) is ExitCode.PASSED
    assert exit_code_of_case_files(wrong=True) is ExitCode.USAGE


def test_exit_zero_forgives_everything_but_an_interrupt() -> None:
    assert {forgiven(code) for code in (ExitCode.PASSED, ExitCode.FAILED, ExitCode.NOT_GRADED)} == {ExitCode.PASSED}
    assert forgiven(ExitCode.INTERRUPTED) is ExitCode.INTERRUPTED


def test_exit_codes_are_numbers_with_a_meaning() -> None:
    assert [int(code) for code in ExitCode] == [0, 1, 2, 3, 4, 5, 130, 141]
    assert all(code.meaning for code in ExitCode)
    assert ExitCode(4) is ExitCode.NOT_GRADED
