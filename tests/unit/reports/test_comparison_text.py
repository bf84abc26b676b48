"""A comparison for people: each change, the numbers, and that no name acts on a terminal."""

from __future__ import annotations

import pytest
from fabricated import scored, with_repeats

from gradebox.graders.reports.comparison import Comparison, compare
from gradebox.graders.reports.comparison_text import comparison_lines


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
