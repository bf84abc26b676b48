"""Patterns that would take too long to compile are refused before, and no honest one is."""

from __future__ import annotations

import pytest

from gradebox.graders.checks.text.patterns import MOST_CHARACTERS, MOST_PARTS, PatternFault, compiled


@pytest.mark.parametrize(
    "pattern",
    [
        "a" * (MOST_CHARACTERS + 1),
        "a{100001}",
        "((a{100}){100}){100}",
        "(?:(?:ab|c){1000,}){1000,2000}",
        "(a{50000})(b{50000})c{1000}",
        "[)(]{100001}",
        r"(\({400}\)){400}",
    ],
)
def test_what_grows_is_refused(pattern: str) -> None:
    with pytest.raises(PatternFault, match=r"longer than|expands to more than"):
        compiled(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "a" * MOST_CHARACTERS,
        f"a{{{MOST_PARTS - 10}}}",
        r"\d{4}-\d{2}-\d{2}T(\d{2}:){2}\d{2}",
        # What is optional is not written out.
        "((ab){0,100000}){0,100000}",
        r"[({]{3}[^]})]{2,}[\]]{9}",
        r"\({9}\{9999999\}",
        "a{,5}b{x}c{}",
        "()()(?:)",
    ],
)
def test_honest_patterns_are_compiled(pattern: str) -> None:
    assert compiled(pattern).pattern == pattern


@pytest.mark.parametrize("pattern", ["(", "a)", ")" * 50, "[", "a{2}{3}(", "(" * 5000])
def test_what_is_no_pattern_is_said(pattern: str) -> None:
    with pytest.raises(PatternFault, match="is not a regular expression"):
        compiled(pattern)
