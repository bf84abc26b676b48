"""How many gradings run at a time follows what they get done."""

from __future__ import annotations

from collections.abc import Callable

from gradebox.graders.grading.many.pace import Pace


def run(pace: Pace, rate: Callable[[int], float], count: int, now: float = 0.0) -> list[int]:
    """Let gradings end at a rate that depends on the number of jobs, and return the numbers that the pace chose."""
    chosen = [pace.jobs]
    for _ in range(count):
        now += 1 / rate(pace.jobs)
        pace.note(now)
        if pace.jobs != chosen[-1]:
            chosen.append(pace.jobs)
    return chosen


def test_a_number_that_was_asked_for_never_changes() -> None:
    assert run(Pace(3), lambda jobs: jobs, 500) == [3]


def test_it_grows_while_that_helps_and_within_fifty_gradings() -> None:
    assert run(Pace(2, 8), lambda jobs: jobs, 60) == [2, 4, 8]


def test_it_goes_back_where_more_does_not_help_and_seldom_tries_again() -> None:
    chosen = run(Pace(2, 8), lambda jobs: 2.0, 2000)
    assert chosen[:3] == [2, 4, 2]
    assert set(chosen) == {2, 4}
    assert len(chosen) < 20


def test_it_stops_where_more_is_slower() -> None:
    pace = Pace(2, 32)
    run(pace, lambda jobs: min(jobs, 8) - max(0, jobs - 8) / 4, 250)
    assert pace.jobs == 8


def test_a_limit_holds_from_then_on() -> None:
    pace = Pace(4, 16)
    pace.limit(2)
    assert run(pace, lambda jobs: jobs, 200) == [2]
    pace = Pace(1, 8)
    pace.limit(3)
    assert run(pace, lambda jobs: jobs, 200) == [1, 2, 3]


def test_other_cases_get_another_number() -> None:
    pace = Pace(2, 8)
    run(pace, lambda jobs: jobs, 100)
    assert pace.jobs == 8
    # What followed takes the processors, which fewer share better.
    run(pace, lambda jobs: 2.0 / jobs, 600, now=1e6)
    assert pace.jobs == 2
