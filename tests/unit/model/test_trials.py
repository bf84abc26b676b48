"""What several tries come to, with the figures that AgentV computes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.model.trials import Attempt, tried
from gradebox.graders.model.verdict import Status

PASSED, FAILED = Attempt(Status.PASSED, 1.0), Attempt(Status.FAILED, 0.5)
ZERO, ERROR = Attempt(Status.FAILED, 0.0), Attempt(Status.ERROR, None)


@pytest.mark.parametrize(
    ("strategy", "attempts", "status", "score"),
    [
        ("pass_at_k", (FAILED, PASSED), "passed", 1.0),
        ("pass_at_k", (FAILED, ZERO), "failed", 0.5),
        ("pass_at_k", (PASSED, ERROR), "passed", 1.0),
        ("pass_at_k", (FAILED, ERROR), "error", None),
        ("pass_at_k", (ERROR,), "error", None),
        ("pass_all", (PASSED, PASSED), "passed", 1.0),
        ("pass_all", (PASSED, FAILED), "failed", 0.5),
        ("pass_all", (FAILED, ERROR), "failed", 0.5),
        ("pass_all", (PASSED, ERROR), "error", None),
        ("mean", (PASSED, FAILED), "failed", 0.75),
        ("mean", (PASSED, Attempt(Status.FAILED, 0.6)), "passed", 0.8),
        ("mean", (PASSED, ERROR), "error", None),
        ("confidence_interval", (PASSED,), "passed", 1.0),
        ("confidence_interval", (PASSED, ERROR), "error", None),
    ],
)
def test_the_verdict_of_a_case_by_its_tries(
    strategy: str, attempts: tuple[Attempt, ...], status: str, score: float | None
) -> None:
    found = tried(strategy, attempts, 0.8)
    assert (found.status, found.score) == (status, score)
    assert found.count == len(attempts)


def test_the_lower_end_of_the_interval_is_student_s() -> None:
    found = tried("confidence_interval", [Attempt(Status.PASSED, score) for score in (0.9, 1.0, 0.8, 0.9)], 0.7)
    # 0.9 - 3.182 * 0.0816497 / 2
    assert found.score == pytest.approx(0.770095, abs=1e-5)
    assert found.figures["ci95_upper"] == 1.0
    many = tried("confidence_interval", [PASSED, FAILED] * 50, 0.7)
    assert many.score == pytest.approx(0.75 - 1.96 * 0.251259 / 10, abs=1e-4)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.sampled_from(("mean", "confidence_interval")))
def test_no_figure_leaves_the_range_of_scores(scores: list[float], strategy: str) -> None:
    found = tried(strategy, [Attempt(Status.PASSED, score) for score in scores], 0.5)
    assert found.score is not None
    assert 0 <= found.score <= max(scores) + 1e-9


def test_it_is_said_in_a_sentence() -> None:
    assert tried("pass_at_k", (FAILED, PASSED), 0.8).sentence() == ("passed by pass_at_k: 1 of 2 tries passed, score 1")
    assert tried("mean", (ERROR,), 0.8).sentence() == "error by mean: 0 of 1 tries passed"
