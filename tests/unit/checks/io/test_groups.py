"""Points of groups."""

from __future__ import annotations

import pytest

from gradebox.graders.checks.io.groups import Group, combined
from gradebox.graders.checks.io.program_tests import ProgramTest

TESTS = tuple(
    ProgramTest(name=name, group=group, weight=weight)
    for name, group, weight in (("a", "small", 1.0), ("b", "small", 3.0), ("c", "large", 1.0))
)


def groups(scoring: str) -> tuple[Group, ...]:
    return (Group(name="small", points=30.0, scoring=scoring), Group(name="large", points=70.0))


@pytest.mark.parametrize(
    ("scoring", "scores", "score", "points"),
    [
        ("sum", (1, 0, 1), 0.775, "77.5 of 100 points"),
        ("sum", (1, 1, 0), 0.3, "30 of 100 points"),
        ("min", (1, 0.5, 0), 0.15, "15 of 100 points"),
        ("all", (1, 0.5, 1), 0.7, "70 of 100 points"),
        ("all", (1, 1, 1), 1.0, "100 of 100 points"),
    ],
)
def test_groups_have_points(scoring: str, scores: tuple[float, ...], score: float, points: str) -> None:
    found = combined(groups(scoring), TESTS, scores)
    assert found.score == pytest.approx(score)
    assert found.points == points


def test_without_groups_tests_have_weights() -> None:
    found = combined((), TESTS, (1, 1, 0))
    assert found.score == pytest.approx(0.8)
    assert found.rows == ()
    assert not found.points
