"""What changed from one run to another, and the tests that say whether chance would do as much."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.reports.comparison import Change, compare, mcnemar, permutation
from graders.reports.comparison_text import comparison_lines
from graders.result import Graded, VerdictDocument, document
from graders.runs.identity import Key, key_of
from graders.runs.reading import SavedRun
from graders.verdict import CheckResult, Status, Verdict

STARTED = datetime(2026, 1, 31, tzinfo=UTC)
Row = tuple[str, str, str, float | None]


def saved(name: str, *rows: Row) -> SavedRun:
    verdicts: dict[Key, VerdictDocument] = {}
    for case, submission, status, score in rows:
        check = CheckResult("check", "code-grader", Status(status), score, 0.8)
        verdict = Verdict(Status(status), score, score, None, 0.8, (check,))
        one = document(Graded("0", case, submission, verdict, STARTED))
        verdicts[key_of(one)] = one
    return SavedRun(Path(name), {}, verdicts)


BEFORE = saved(
    "before", ("a", "x", "passed", 1.0), ("b", "x", "failed", 0.0), ("c", "x", "passed", 0.9), ("d", "x", "error", None)
)
AFTER = saved(
    "after", ("a", "x", "failed", 0.5), ("b", "x", "passed", 1.0), ("c", "x", "passed", 1.0), ("e", "x", "passed", 1.0)
)


def test_each_verdict_of_both_runs_is_told_by_what_became_of_it() -> None:
    found = compare(BEFORE, AFTER)
    assert {pair.case: pair.change for pair in found.pairs} == {
        "a": Change.LOST, "b": Change.GAINED, "c": Change.SCORE,
    }  # fmt: skip
    assert [key.case for key in found.only_before] == ["d"]
    assert [key.case for key in found.only_after] == ["e"]
    assert (found.judged, found.lost) == (3, True)
    assert (found.pass_rate_before, found.score_after) == (pytest.approx(2 / 3), pytest.approx(2.5 / 3))
    assert [pair.checks for pair in found.pairs] == [("check",)] * 3


def test_an_error_is_told_and_takes_no_part_in_the_tests() -> None:
    found = compare(saved("r", ("a", "x", "passed", 1.0)), saved("s", ("a", "x", "error", None)))
    assert [pair.change for pair in found.pairs] == [Change.OTHER]
    assert (found.judged, found.p_passed, found.p_score, found.lost) == (0, None, None, True)


def test_two_candidates_are_paired_by_case() -> None:
    one = saved("r", ("a", "gpt", "passed", 1.0), ("b", "gpt", "failed", 0.0))
    other = saved("s", ("a", "opus", "passed", 1.0), ("b", "opus", "passed", 1.0))
    found = compare(one, other)
    assert (found.by_submission, len(found.pairs), found.count(Change.GAINED)) == (False, 2, 1)
    text = "\n".join(line.plain for line in comparison_lines(found))
    assert "paired by case alone" in text
    assert "gained b opus: failed -> passed, 0.000 -> 1.000  (check)" in text


def test_several_candidates_of_other_names_are_not_paired_at_random() -> None:
    one = saved("r", ("a", "p", "passed", 1.0), ("a", "q", "failed", 0.0))
    found = compare(one, saved("s", ("a", "u", "passed", 1.0), ("a", "v", "failed", 0.0)))
    assert found.pairs == ()
    assert (len(found.only_before), len(found.only_after)) == (2, 2)


def test_nothing_in_a_name_acts_on_the_terminal() -> None:
    run = saved("r", ("a", "\x1b[31mred\n", "passed", 1.0))
    other = saved("s", ("a", "\x1b[31mred\n", "failed", 0.0))
    text = "".join(line.plain for line in comparison_lines(compare(run, other)))
    assert "\x1b" not in text
    assert "\n" not in text


def test_of_very_many_changes_the_rest_is_counted_by_kind() -> None:
    cases = [(f"c{number}", "work", number < 250) for number in range(300)]
    one = saved("r", *((case, name, "passed" if lost else "failed", 0.5) for case, name, lost in cases))
    other = saved("s", *((case, name, "failed" if lost else "passed", 0.5) for case, name, lost in cases))
    told = [line.plain for line in comparison_lines(compare(one, other))]
    assert [line for line in told if "more" in line] == ["  lost   ... and 50 more, all in --json"]
    assert sum(": failed -> passed" in line for line in told) == 50


def test_the_json_has_every_pair() -> None:
    found = json.loads(compare(BEFORE, AFTER).as_json())
    assert [pair["change"] for pair in found["pairs"]] == ["lost", "gained", "score"]


# Computed by hand: twice the smaller tail of a fair coin.
@pytest.mark.parametrize(
    ("gained", "lost", "wanted"), [(0, 0, None), (1, 0, 1.0), (5, 0, 2 / 32), (9, 1, 2 * 11 / 1024), (3, 3, 1.0)]
)
def test_mcnemar(gained: int, lost: int, wanted: float | None) -> None:
    assert mcnemar(gained, lost) == (None if wanted is None else pytest.approx(wanted))
    assert mcnemar(lost, gained) == mcnemar(gained, lost)


@given(st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), max_size=8))
def test_small_permutation_tests_try_every_sign(differences: list[float]) -> None:
    moved = [x for x in differences if x]
    if not moved:
        assert permutation(differences) is None
        return
    sums = [
        abs(math.fsum(s * x for s, x in zip(signs, moved, strict=True)))
        for signs in product((1, -1), repeat=len(moved))
    ]
    wanted = sum(total >= abs(math.fsum(moved)) - 1e-9 for total in sums) / len(sums)
    assert permutation(differences) == pytest.approx(wanted)


def test_large_permutation_tests_are_repeatable_and_tell_chance_from_more() -> None:
    clear, even = [0.1] * 40, [0.1, -0.1] * 20
    assert permutation(clear) == permutation(clear)
    found, other = permutation(clear), permutation(even)
    assert found is not None
    assert other is not None
    assert found < 0.001
    assert other > 0.5
