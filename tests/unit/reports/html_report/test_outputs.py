"""Outputs and diffs are text within their room, colours become classes, and a command that failed has room first."""

from __future__ import annotations

import re

import pytest
from html_reading import Page
from hypothesis import given, settings
from hypothesis import strategies as st

from gradebox.graders.reports.html_report.markup import styled
from gradebox.graders.reports.html_report.outputs import (
    CharacterBudget,
    changed_lines,
    diff_lines,
    runs,
    shares,
    stream,
)
from gradebox.graders.runs.saved_evidence import Output, SavedStep


@given(st.binary(max_size=300), st.integers(0, 400), st.integers(0, 10**7))
@settings(max_examples=100, deadline=None)
def test_any_output_is_text_within_its_room(data: bytes, most: int, more: int) -> None:
    half = len(data) // 2
    found = stream("stdout", Output(len(data) + more, data[:half], data[half:]), most)
    shown = found.content if found else ""
    page = Page()
    page.feed(shown)
    page.close()
    assert {tag for tag, _ in page.elements} <= {"span"}
    assert {name for _, attributes in page.elements for name in attributes} <= {"class"}
    assert not page.others
    assert not page.open
    assert all(character.isprintable() or character in "\n\t" for character in shown)
    assert len(shown) <= 3 * most + 1200


@given(st.text(st.characters() | st.sampled_from("+-@\n<>&\"'"), max_size=300), st.integers(0, 200))
@settings(max_examples=60, deadline=None)
def test_any_diff_is_text_within_its_room(diff: str, most: int) -> None:
    shown = diff_lines(diff, most)
    page = Page()
    page.feed(shown)
    page.close()
    assert {tag for tag, _ in page.elements} <= {"span"}
    assert not page.others
    assert len(re.sub(r"<[^>]*>", "", shown)) <= most + 60


def saved(name: str, passed: bool, out: int = 0, err: int = 0) -> SavedStep:
    return SavedStep(
        None, "check", name, ("true",), passed, "", "exited", 0, None, 0.1, stdout=Output(out), stderr=Output(err)
    )


@pytest.mark.parametrize(
    ("steps", "room", "expected"),
    [
        ([], 100, []),
        ([saved("a", True, 5000, 10)], 9999, [(1024, 10)]),
        ([saved("a", False, 50_000, 10)], 99_999, [(8192, 10)]),
        ([saved("a", True, 500, 500), saved("b", False, 800, 800)], 1700, [(100, 0), (800, 800)]),
        ([saved("a", False, 50), saved("b", False, 50)], 60, [(50, 0), (10, 0)]),
    ],
)
def test_what_went_wrong_has_room_first(steps: list[SavedStep], room: int, expected: list[tuple[int, int]]) -> None:
    assert shares(steps, CharacterBudget(room)) == expected


def test_a_diff_counts_its_lines() -> None:
    assert changed_lines("--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n-a\n+b\n+c\n d\n") == (2, 1)


def test_a_stream_says_how_much_of_it_is_shown() -> None:
    whole = stream("stdout", Output(3, b"abc"), 100)
    assert whole == ("stdout", "3 B", "abc")
    cut = stream("stdout", Output(5000, b"a" * 50, b"z" * 50), 10)
    assert cut is not None
    assert (cut.size, cut.content) == (
        "4.9 KiB, the first and the last 10 B shown",
        'aaaaa<span class="cut">… 4.9 KiB not shown …</span>zzzzz',
    )
    assert stream("stderr", Output(), 10) is None
    assert stream("stdout", Output(5000, b"a" * 50, b"z" * 50), 0) == ("stdout", "4.9 KiB, not shown", "")


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m.", '<span class="fg1">red</span>.'),
        ("\x1b[31mred\x1b[m.", '<span class="fg1">red</span>.'),
        ("\x1b[1;32mok\x1b[22m thin", '<span class="a-bold fg2">ok</span><span class="fg2"> thin</span>'),
        ("\x1b[91;104mx\x1b[39;49my", '<span class="fg9 bg12">x</span>y'),
        ("\x1b[7;31mx\x1b[27my", '<span class="a-inverse bg1">x</span><span class="fg1">y</span>'),
        ("\x1b[3;4;9mx\x1b[23;24;29my", '<span class="a-italic a-struck a-underline">x</span>y'),
        ("\x1b[38;5;9mx", '<span class="fg9">x</span>'),
        ("\x1b[38;5;196mx", '<span class="fg1">x</span>'),
        ("\x1b[48;5;240mx", '<span class="bg8">x</span>'),
        ("\x1b[38;2;0;200;10mx", '<span class="fg2">x</span>'),
        ("\x1b[38:5:2mx", '<span class="fg2">x</span>'),
        ("\x1b[38;5mx", "x"),
        ("\x1b[38;5;999mx", '<span class="fg15">x</span>'),
        ("\x1b[38;2;1mx", "x"),
        ("\x1b[38mx", "x"),
        ("\x1b[38;2;999;0;0mx", '<span class="fg1">x</span>'),
        ("\x1b[5;999mx", "x"),
        ("a\r\nb", "a\nb"),
        ("a\rb", 'a<span class="ctl">\\x0d</span>b'),
        ("\x1b[2Jx", '<span class="ctl">\\x1b</span>[2Jx'),
        ("\x1b]0;t\x07", '<span class="ctl">\\x1b</span>]0;t<span class="ctl">\\x07</span>'),
        ("\x1b[31", '<span class="ctl">\\x1b</span>[31'),
        ("\x1b[<b>m", '<span class="ctl">\\x1b</span>[&lt;b&gt;m'),
        ("\x1b[31m\x1b[32m", ""),
        ("\x1b[31m<b>&", '<span class="fg1">&lt;b&gt;&amp;</span>'),
        ("\0\0\0a\u202e", '<span class="ctl">\\x00\\x00\\x00</span>a<span class="ctl">\\u202e</span>'),
        ("\x1b[" + "1;" * 40 + "1mx", '<span class="ctl">\\x1b</span>[' + "1;" * 40 + "1mx"),
    ],
)  # fmt: skip
def test_what_a_terminal_would_colour(printed: str, shown: str) -> None:
    assert styled(runs(printed)) == shown
