"""An internal error is described in a sentence, and its report names no secret of the user's."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from gradebox.graders.grading import internal_error
from gradebox.graders.grading.internal_error import describe_internal_error, write_bug_report


@pytest.fixture(autouse=True)
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(internal_error, "_reports", {})
    return tmp_path


def failing(message: str) -> Exception:
    try:
        raise ValueError(message)
    except ValueError as error:
        return error


def test_the_sentence_names_the_error_and_the_report(reports: Path) -> None:
    sentence = describe_internal_error(failing("x" * 1000))
    (report,) = reports.iterdir()
    assert sentence == f"internal error in gradebox (ValueError: {'x' * 300}); please report it and attach {report}"


def test_one_place_in_the_code_has_one_report(reports: Path) -> None:
    assert describe_internal_error(failing("first")) != describe_internal_error(failing("second"))
    assert len(list(reports.iterdir())) == 1


def test_a_report_has_versions_and_traceback_and_nothing_of_the_environment(
    reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "secret-of-the-user")
    text = write_bug_report(failing("boom")).read_text()
    assert text.startswith("gradebox ")
    assert "ValueError: boom" in text
    assert "in failing" in text
    assert "secret-of-the-user" not in text


def test_an_error_is_described_even_if_no_report_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    assert describe_internal_error(ValueError("x")) == (
        "internal error in gradebox (ValueError: x); its report cannot be written: No such file or directory"
    )
