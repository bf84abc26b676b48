"""What a CI system would take for an order in its log: nothing of it is left, on any stream that may be in one."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fabricated import many, write
from hypothesis import given
from hypothesis import strategies as st

from graders.documents.printable import visible
from graders.reports.ci_log import InertLog, harmless_streams, reads_commands
from graders.reports.formats import FORMATS
from graders.reports.instructions import inert, ungrouped, unmarked
from graders.reports.markdown_text import fenced

# As each reads a line. GitLab's sections end in control characters; a reader that wanted none would find them here.
READERS = {
    "GitHub": re.compile(r"^\s*::", re.MULTILINE),
    "GitHub, as it was": re.compile(r"##\["),
    "Azure Pipelines": re.compile(r"##vso\["),
    "TeamCity": re.compile(r"##teamcity\["),
    "GitLab": re.compile(r"section_(?:start|end):\d+:[\w.-]+(?:\[.*?\])?\r\x1b\[0K"),
    "Jenkins": re.compile(r"\x1b\[8mha:"),
    "Buildkite, links": re.compile(r"\x1b\]133[89];"),
}
BUILDKITE = re.compile(r"^(?:\x1b\[[0-9;]*m)*(?:(?:---|\+\+\+|~~~)\s|\^\^\^\s+\+\+\+)", re.MULTILINE)
ATTACKS = """
::set-output name=a::b
  ::add-mask::x
x ##[error]no
##vso[task.setvariable variable=PATH]/tmp
##teamcity[setParameter name='env.PATH' value='/tmp']
section_start:1:a[collapsed=true]\r\x1b[0Kb
\x1b[0Ksection_end:1:a\r\x1b[0K
\x1b[8mha:AAAA\x1b[0m
\x1b]1338;url=artifact://x\x07
--- group
+++ group
~~~ group
^^^ +++
\r::error::x
"""


def found(text: str) -> set[str]:
    return {name for name, pattern in READERS.items() if pattern.search(text)}


def test_every_reader_would_find_something() -> None:
    assert found(ATTACKS) == set(READERS)
    assert len(BUILDKITE.findall(ATTACKS)) == 4


@pytest.mark.parametrize(
    "shown",
    [
        lambda text: "\n".join(map(visible, text.split("\n"))),
        lambda text: "\n".join(f"| {visible(line)}" for line in text.split("\n")),
        lambda text: json.dumps({"a": text}),
        fenced,
    ],
    ids=["lines", "quoted", "JSON", "Markdown"],
)
def test_no_way_of_showing_output_lets_an_instruction_pass(shown: Callable[[str], str]) -> None:
    whole = ungrouped(inert(shown(ATTACKS)))
    assert found(whole) == set()
    assert not BUILDKITE.search(whole)
    assert "set-output name=a::b" in whole
    assert "group" in whole


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--- a", "\\u002d-- a"),
        ("+++ b", "\\u002b++ b"),
        ("~~~ c", "\\u007e~~ c"),
        ("^^^ +++", "\\u005e^^ +++"),
        ("\x1b[1;31m--- d", "\x1b[1;31m\\u002d-- d"),
        ("----- no group", "----- no group"),
        (" --- no group", " --- no group"),
        ("|---|", "|---|"),
    ],
)
def test_folds_are_taken_out_where_they_would_be_made(line: str, expected: str) -> None:
    assert ungrouped(line) == expected
    assert ungrouped(f"x\n{line}\n") == f"x\n{expected}\n"


@pytest.mark.parametrize("text", ["[[1, 2], [3, 4]]", "[[ -f x ]]", "[ATTACHMENT|x]", "a[b[ATTACHMENT|c]]", "[[]]"])
def test_what_is_no_marker_stays_as_it_is(text: str) -> None:
    assert unmarked(text) == text


@given(st.lists(st.sampled_from(["[", "]", "|", "ATTACHMENT", "/", "PROPERTY", " ", "x=y"]), max_size=12).map("".join))
def test_no_marker_is_left_however_it_is_written(text: str) -> None:
    left = unmarked(text)
    assert not re.search(r"\[\[\s*/?\s*(?:ATTACHMENT|PROPERTY)\s*[|\]]", left)
    assert left.replace("\\u005b", "[") == text


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_that_quotes_nothing_of_the_kind_goes_through_a_pipe_as_it_is(tmp_path: Path, form: str) -> None:
    # Of the page, style and script are named by their hashes.
    whole = "".join(FORMATS[form](write(tmp_path, many(9))))
    assert inert(whole) == whole


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


def test_a_pipe_may_lead_into_the_log_of_a_job_that_nobody_told_us_of(pipe: io.TextIOWrapper) -> None:
    assert reads_commands(pipe, {})


@pytest.mark.parametrize(("buildkite", "expected"), [("true", "\\u002d-- a\n"), ("", "--- a\n")])
def test_folds_stay_where_nobody_makes_them(
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
