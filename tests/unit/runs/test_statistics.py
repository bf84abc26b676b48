"""How long a run took: what was graded at the same time counts once, and pauses not at all."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status, Verdict
from gradebox.graders.runs.statistics import Rate, Totals, busy_seconds

START = datetime(2026, 1, 31, tzinfo=UTC)
GRADED = Result("0", "case", "work", Verdict(Status.PASSED, 1.0, 1.0, None, 0.8, ()), START, wall_seconds=2.0)
SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=12)


@pytest.mark.parametrize(
    ("spans", "seconds"),
    [
        ([], 0),
        ([(0, 5)], 5),
        ([(0, 5), (0, 5)], 5),
        ([(0, 5), (3, 5)], 8),
        ([(0, 9), (3, 2)], 9),
        ([(3, 2), (0, 9)], 9),
        # Continued a day later.
        ([(0, 5), (86400, 5)], 10),
    ],
)
def test_what_overlaps_counts_once(spans: list[tuple[int, int]], seconds: int) -> None:
    assert busy_seconds((START + timedelta(seconds=begun), took) for begun, took in spans) == seconds


@given(SPANS)
def test_every_second_in_which_something_was_graded_counts_once(spans: list[tuple[int, int]]) -> None:
    covered = {second for begun, took in spans for second in range(begun, begun + took)}
    assert busy_seconds((START + timedelta(seconds=begun), took) for begun, took in spans) == len(covered)


def test_what_was_found_now_is_neither_old_nor_from_elsewhere() -> None:
    totals = Totals()
    totals.add(GRADED, resumed=True)
    totals.add(replace(GRADED, reused="a-run"), resumed=True)
    totals.add(replace(GRADED, reused="a-run"))
    totals.add(GRADED)
    assert (totals.count, totals.resumed, totals.reused, totals.graded) == (4, 2, 1, 1)


def one_try(status: Status, score: float | None, **more: object) -> Result:
    verdict = Verdict(status, score, score, None, 0.8, ())
    found = Result("0", "fix", "gpt", verdict, START, target="gpt", trials="pass_at_k")
    return replace(found, **more)  # type: ignore[arg-type]


def test_the_tries_of_a_case_decide_a_run_as_one() -> None:
    lost, won = one_try(Status.FAILED, 0.5), one_try(Status.PASSED, 1.0, repeat=2)
    totals = Totals.of([lost, won])
    assert (totals.count, totals.failed, totals.not_graded) == (2, False, False)
    assert list(totals.tries.sentences()) == ["fix gpt: passed by pass_at_k: 1 of 2 tries passed, score 1"]
    assert Totals.of([lost, one_try(Status.ERROR, None)]).not_graded
    assert Totals.of([lost]).failed
    assert Totals.of([won, replace(lost, trials="", case="other")]).failed


def test_tries_of_other_models_and_targets_do_not_count_together() -> None:
    lost, won = one_try(Status.FAILED, 0.5), one_try(Status.PASSED, 1.0)
    for change in ({"origin": {"model": "x"}}, {"target": "y"}, {"suite": "z"}):
        assert Totals.of([lost, replace(won, **change)]).failed  # type: ignore[arg-type]
    assert not Totals.of([lost, replace(won, submission="another answer")]).failed


@pytest.mark.parametrize(
    ("passed", "judged", "low", "high"),
    # The interval of 15 of 50 is a textbook's: 0.191 to 0.438.
    [(15, 50, 0.191, 0.438), (0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (0, 0, 0.0, 1.0)],
)
def test_intervals_of_rates(passed: int, judged: int, low: float, high: float) -> None:
    assert Rate("x", passed, judged, 0).interval == pytest.approx((low, high), abs=5e-4)
