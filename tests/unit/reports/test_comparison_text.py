"""A comparison for people: each change, the numbers, and that no name acts on a terminal."""

from __future__ import annotations

from io import StringIO

import pytest
from fabricated import scored, with_repeats
from rich.console import Console

from gradebox.graders.reports.comparison import Comparison, compare
from gradebox.graders.reports.comparison_text import comparison_lines, in_words, overview_lines


def lines_of(comparison: Comparison) -> list[str]:
    return [line.plain for line in comparison_lines(comparison)]


def test_a_comparison_of_two_candidates_says_so() -> None:
    one = scored("r", ("a", "gpt", "passed", 1.0), ("b", "gpt", "failed", 0.0))
    other = scored("s", ("a", "opus", "passed", 1.0), ("b", "opus", "passed", 1.0))
    assert lines_of(compare(one, other)) == [
        "r -> s",
        "  The runs share no submission, so verdicts are paired by what is left.",
        "  gained b opus: failed -> passed, 0.0000 -> 1.0000  (check)",
        "  2 in both: 1 gained, 0 lost, 0 changed otherwise, 0 only in score, 1 the same",
        "  pass rate 50.0% -> 100.0% (p = 1, exact McNemar test)",
        "  mean score 0.5000 -> 1.0000 (p = 1, paired permutation test)",
        "  of these, s passes more, but chance alone would often change as much",
    ]


def test_means_name_how_many_pairs_they_leave_out() -> None:
    one = scored("r", ("a", "x", "failed", 0.5), ("b", "x", "error", None), ("c", "x", "failed", None))
    other = scored("s", ("a", "x", "passed", 1.0), ("b", "x", "passed", 1.0), ("c", "x", "passed", 1.0))
    lines = lines_of(compare(one, other))
    assert "  other  b x: error -> passed, - -> 1.0000  (check)" in lines
    assert "  pass rate 0.0% -> 100.0%, 1 pair left out (p = 0.5, exact McNemar test)" in lines
    assert "  mean score 0.5000 -> 1.0000, 2 pairs left out (p = 1, paired permutation test)" in lines


def test_what_passed_and_has_no_verdict_now_is_missing() -> None:
    one = scored("r", ("a", "x", "passed", 1.0), ("b", "x", "passed", 1.0), ("c", "x", "failed", 0.0))
    lines = lines_of(compare(one, scored("s", ("a", "x", "passed", 1.0))))
    assert "  missing b x: passed -> no verdict" in lines
    assert "  only before: c x" in lines
    assert lines[-1] == "  1 passed before and no longer does"


def test_repeats_are_named_and_taken_together() -> None:
    lines = lines_of(compare(with_repeats("r", 0.0, 0.0), with_repeats("s", 1.0, 1.0)))
    assert "  gained a x repeat 2: failed -> passed, 0.0000 -> 1.0000" in lines
    assert "  pass rate 0.0% -> 100.0% (p = 1, paired permutation test, repeats taken together)" in lines


@pytest.mark.parametrize(("count", "shown"), [(9, "p = 0.00391"), (12, "p < 0.001")])
def test_a_small_probability_is_not_written_out(count: int, shown: str) -> None:
    cases = [f"c{number}" for number in range(count)]
    one = scored("r", *((case, "x", "failed", 0.0) for case in cases))
    other = scored("s", *((case, "x", "passed", 1.0) for case in cases))
    assert sum(shown in line for line in lines_of(compare(one, other))) == 2


def test_nothing_in_a_name_acts_on_the_terminal() -> None:
    run = scored("r", ("a", "\x1b[31mred\n", "passed", 1.0))
    other = scored("s", ("a", "\x1b[31mred\n", "failed", 0.0))
    text = "".join(lines_of(compare(run, other)))
    assert "\x1b" not in text
    assert "\n" not in text


def test_of_very_many_changes_the_rest_is_counted_by_kind() -> None:
    cases = [(f"c{number}", "work", number < 250) for number in range(300)]
    one = scored("r", *((case, name, "passed" if lost else "failed", 0.5) for case, name, lost in cases))
    other = scored("s", *((case, name, "failed" if lost else "passed", 0.5) for case, name, lost in cases))
    lines = lines_of(compare(one, other))
    assert [line for line in lines if " more, " in line] == ["  lost   ... and 50 more, all in --json"]
    assert sum(": failed -> passed" in line for line in lines) == 50


def test_runs_that_have_nothing_in_common() -> None:
    found = compare(scored("r", ("a", "x", "failed", 0.0)), scored("s", ("b", "x", "failed", 0.0)))
    assert "  No verdict is in both runs." in lines_of(found)


@pytest.mark.parametrize(
    ("count", "before", "after", "words"),
    [
        (9, ("failed", 0.0), ("passed", 1.0), "passes more, and chance alone would seldom change as much"),
        (3, ("failed", 0.0), ("passed", 1.0), "passes more, but chance alone would often change as much"),
        (9, ("passed", 1.0), ("failed", 0.0), "passes less, and chance alone would seldom change as much"),
        (9, ("failed", 0.1), ("failed", 0.2), "scores higher, and chance alone would seldom change as much"),
        (2, ("passed", 1.0), ("passed", 0.9), "scores lower, but chance alone would often change as much"),
        (9, ("passed", 1.0), ("passed", 1.0), "passes and scores the same"),
    ],
)
def test_what_changed_is_said_in_words(
    count: int, before: tuple[str, float], after: tuple[str, float], words: str
) -> None:
    runs = [scored(name, *((f"c{n}", "x", *one) for n in range(count))) for name, one in (("r", before), ("s", after))]
    assert in_words(compare(*runs)) == words
    assert f"  of these, s {words}" in lines_of(compare(*runs))


def test_nothing_is_said_of_errors() -> None:
    one, other = (scored(name, ("a", "x", "error", None)) for name in "rs")
    assert not any("of these" in line for line in lines_of(compare(one, other)))


def test_several_runs_are_a_table_and_then_a_comparison_each() -> None:
    first = scored("r", ("a", "x", "passed", 1.0), ("b", "x", "failed", 0.0))
    others = [
        scored("s" * 60, ("a", "x", "passed", 1.0), ("b", "x", "passed", 1.0)),
        scored("t", ("b", "x", "error", None)),
    ]
    console = Console(file=StringIO(), width=80)
    lines = [line.plain for line in overview_lines([compare(first, other) for other in others], console)]
    assert lines[0] == "compared with r"
    assert lines[3].split()[1:] == ["100.0%", "1.0000", "1"]
    assert lines[4].split() == ["t", "-", "-", "1"]
    assert max(map(len, lines[:5])) <= 80
    assert [line for line in lines if " -> " in line and line.startswith("r")] == [f"r -> {'s' * 60}", "r -> t"]
