"""Text of candidates in reports and logs: nothing in it is left that a terminal or a CI system acts on."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fabricated import many, write
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.reports.escaping import inert, plain, ungrouped, unmarked, visible
from gradebox.graders.reports.markdown_report import fenced
from gradebox.graders.reports.report_formats import formats, load_format

# Control characters (C0, C1), bidirectional and other formatting characters, separators, surrogates.
HARMFUL = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
TEXTS = st.text(st.characters(), max_size=30) | st.text(st.characters(categories=HARMFUL), max_size=10)
# As each reads a line. GitLab's sections end in control characters; a reader that needs none would find them here.
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


@given(TEXTS)
def test_what_is_made_visible_stays_one_line_and_differs_from_what_is_printable(text: str) -> None:
    found = visible(text)
    assert len(found.splitlines()) <= 1
    assert found.isprintable()
    assert (found == text) == text.isprintable()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [bold]text[/]", "plain [bold]text[/]"),
        ("gemüse 漢字 \U0001f600", "gemüse 漢字 \U0001f600"),
        ("a\tb", "a    b"),
        ("a\nb\r", "a\\x0ab\\x0d"),
        ("\x1b[31m\x9b\x00", "\\x1b[31m\\x9b\\x00"),
        ("\u202e\u2066\u200b\ufeff", "\\u202e\\u2066\\u200b\\ufeff"),
        ("\u2028", "\\u2028"),
        ("caf\udce9", "caf\\xe9"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("form", formats())
def test_a_report_that_quotes_nothing_of_the_kind_goes_through_a_pipe_as_it_is(tmp_path: Path, form: str) -> None:
    # Of the page, style and script are named by their hashes.
    whole = "".join(load_format(form)(write(tmp_path, many(9))))
    assert inert(whole) == whole


@pytest.mark.parametrize("change", [plain, inert, ungrouped, unmarked])
@pytest.mark.parametrize("begin", ["", "[[", "[[/", "##", "^^^", "\x1b[", "\x1b]"])
def test_time_grows_with_the_length_of_a_text_and_no_faster(change: Callable[[str], str], begin: str) -> None:
    def seconds(text: str) -> float:
        before = time.process_time()
        change(text)
        return time.process_time() - before

    for piece in (
        " ",
        "\n",
        "[",
        "[[a ",
        "a",
        "/",
        "-",
        "##",
        "^^^\n",
        "\x1b[",
        "\x1b[0;",
        "\x1b]",
        "\x90",
        "\x98a",
        "\x9b",
    ):
        assert seconds(begin + piece * 32_000) < 8 * seconds(begin + piece * 8_000) + 0.2


def test_a_control_string_is_removed_and_hides_nothing_after_it() -> None:
    assert plain("a\x1b]0;title é\x07b\x90q\x9cc\x1b]8;;x\x1b\\d") == "abcd"
    assert plain("\x90open\x98x\x9cy") == "openy"
