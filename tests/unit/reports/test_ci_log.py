"""Standard streams that may be in the log of a CI job let no command of a candidate pass."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradebox.graders.reports.ci_log import InertLog, harmless_streams, reads_commands


@pytest.fixture
def pipe() -> Iterator[io.TextIOWrapper]:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"), os.fdopen(writing, "w", encoding="utf-8") as stream:
        yield stream


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, False),
        ({"GITHUB_ACTIONS": "true"}, True),
        ({"GITHUB_ACTIONS": "false"}, False),
        ({"TF_BUILD": "True"}, True),
        ({"TEAMCITY_VERSION": "2024.1"}, True),
    ],
)
def test_a_file_is_as_it_was_written_unless_a_ci_system_says_that_it_is_there(
    tmp_path: Path, environ: dict[str, str], *, expected: bool
) -> None:
    with (tmp_path / "log").open("w", encoding="utf-8") as stream:
        assert reads_commands(stream, environ) is expected


def test_a_pipe_may_lead_into_the_log_of_an_unknown_job(pipe: io.TextIOWrapper) -> None:
    assert reads_commands(pipe, {})


@pytest.mark.parametrize(("buildkite", "expected"), [("true", "\\u002d-- a\n"), ("", "--- a\n")])
def test_folds_stay_where_no_reader_makes_them(
    monkeypatch: pytest.MonkeyPatch, pipe: io.TextIOWrapper, buildkite: str, expected: str
) -> None:
    monkeypatch.setenv("BUILDKITE", buildkite)
    for name in ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"):
        monkeypatch.delenv(name, raising=False)
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", pipe)
    with harmless_streams():
        assert isinstance(sys.stdout, InertLog)
        log = InertLog(io.TextIOWrapper(raw, encoding="utf-8"), sys.stdout._harmless)
        log.write("--- a\n")
        log.finish()
    assert raw.getvalue().decode() == expected
