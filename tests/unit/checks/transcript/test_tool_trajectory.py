"""Calls of tools against those that are expected."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from evidence_bench import called, judge, make
from hypothesis import given, settings
from hypothesis import strategies as st

from gradebox.graders.checks.transcript.tool_trajectory import ExpectedCall, ToolTrajectory, fits, trajectory_score
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.transcript import ToolCall
from gradebox.graders.model.verdict import Status


def calls(*names: str) -> list[ToolCall]:
    return [ToolCall(name, {}) for name in names]


def expecting(*names: str, **fields: Any) -> Any:
    return make(ToolTrajectory, expected=tuple(ExpectedCall(tool=name) for name in names), **fields)


@pytest.mark.parametrize(
    ("mode", "expected", "made", "score"),
    [
        ("any_order", "a b", "b x a", 1.0),
        ("any_order", "a a", "a", 0.5),
        ("superset", "a b", "b x a", 1.0),
        ("in_order", "a b c", "a x b c", 1.0),
        ("in_order", "a b c", "b a c", 2 / 3),
        # One call that is missing does not cost those after it.
        ("in_order", "a z b c", "a b c", 0.75),
        ("exact", "a b", "a b", 1.0),
        ("exact", "a b", "b a", 0.0),
        ("exact", "a b", "a", 0.5),
        ("exact", "a b", "a b c", 0.0),
        ("exact", "", "", 1.0),
        ("exact", "", "a", 0.0),
        ("subset", "a b", "b", 1.0),
        ("subset", "a b", "", 1.0),
        ("subset", "a b", "a x", 0.5),
        ("subset", "a", "a a", 0.5),
        ("subset", "", "a", 0.0),
    ],
)
def test_a_mode_says_what_is_met(mode: str, expected: str, made: str, score: float) -> None:
    found = trajectory_score(expecting(*expected.split(), mode=mode), calls(*made.split()))
    assert found == pytest.approx(score)


def test_minimums_are_counted_beside_the_expected_calls() -> None:
    spec = expecting("read", minimums={"grep": 2, "edit": 1})
    assert trajectory_score(spec, calls("grep", "grep", "read")) == pytest.approx(2 / 3)
    assert trajectory_score(make(ToolTrajectory, minimums={"grep": 2}), calls("grep")) == 0.0


@pytest.mark.parametrize(
    ("wanted", "args", "how", "fit"),
    [
        (None, {"q": 1}, "exact", True),
        ("any", {"q": 1}, "exact", True),
        ({"q": 1}, {"q": 1.0}, "exact", True),
        ({"q": 1}, {"q": True}, "exact", False),
        ({"q": 1}, {"q": 1, "more": 2}, "exact", False),
        ({"q": 1}, {"q": 1, "more": 2}, "superset", True),
        ({"q": 1, "n": 2}, {"q": 1}, "superset", False),
        ({"q": 1, "n": 2}, {"q": 1}, "subset", True),
        ({"q": 1}, {"q": 1, "more": 2}, "subset", False),
        ({"q": 1}, {"q": 2}, "ignore", True),
        ({"q": {"x": 1}, "n": 2}, {"q": {"x": 1}, "n": 3}, ("q.x",), True),
        ({"q": {"x": 1}}, {"q": {"x": 2}}, ("q.x",), False),
        ({}, None, "exact", True),
        ({"q": 1}, None, "exact", False),
        ({"q": 1}, '{"q": broken', "superset", False),
        ({"q": "any"}, {"q": [1, {"x": 2}]}, "exact", True),
        ({"q": "any"}, {}, "exact", False),
        ({"q": "any"}, {}, "superset", False),
        ({"q": "any"}, {"q": 1, "more": 2}, "superset", True),
        ({"q": "any", "n": 1}, {"q": 1}, "subset", True),
        ({"q": "any"}, {"n": 1}, "subset", False),
        ({"q": {"x": "any", "y": 1}}, {"q": {"x": None, "y": 1}}, "exact", True),
        ({"q": {"x": "any", "y": 1}}, {"q": {"x": None, "y": 2}}, "exact", False),
        ({"q": ["any", 2]}, {"q": [1, 2]}, "exact", True),
        ({"q": ["any", 2]}, {"q": [1, 2, 3]}, "exact", False),
        ({"q": {"x": "any"}}, {"q": {"x": 7}}, ("q.x",), True),
        ({"q": {"x": "any"}}, {"q": {}}, ("q.x",), False),
    ],
)
def test_arguments_are_compared_as_asked(wanted: Any, args: Any, how: Any, *, fit: bool) -> None:
    call = ToolCall("search", args)
    assert fits(make(ToolTrajectory, args_match=how), ExpectedCall(tool="search", args=wanted), call) is fit
    assert (
        fits(make(ToolTrajectory, args_match="ignore"), ExpectedCall(tool="search", args=wanted, args_match=how), call)
        is fit
    )
    assert not fits(make(ToolTrajectory, args_match=how), ExpectedCall(tool="find", args=wanted), call)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["a1", "a2", "a", "b"]), max_size=5),
    st.lists(st.sampled_from(["a1", "a2", "b1"]), max_size=5),
)
def test_the_best_pairing_is_found_whatever_the_order(expected: list[str], made: list[str]) -> None:
    """``a`` expects a call of the tool a with any argument, ``a1`` one with the argument 1."""
    spec = make(
        ToolTrajectory,
        expected=tuple(ExpectedCall(tool=name[0], args={"n": name[1]} if name[1:] else None) for name in expected),
    )
    listed = [ToolCall(name[0], {"n": name[1]}) for name in made]
    best = max(
        sum(fits(spec, wanted, call) for wanted, call in zip(order, listed, strict=False))
        for order in permutations([*spec.expected, *[ExpectedCall(tool="none")] * max(0, len(listed) - len(expected))])
    )
    assert trajectory_score(spec, listed) == (pytest.approx(best / len(expected)) if expected else None)


@pytest.mark.parametrize(
    ("mode", "took", "score"),
    [
        # Of `a` and `b`, `a` may take 100 ms: three things are expected.
        ("exact", 100, 1.0),
        ("exact", 101, 2 / 3),
        ("in_order", 100, 1.0),
        ("in_order", 101, 2 / 3),
        ("any_order", 101, 2 / 3),
        ("superset", 100, 1.0),
        ("subset", 101, 2 / 3),
        # A call that states no duration is held against nothing.
        ("exact", None, 1.0),
        ("in_order", None, 1.0),
        ("subset", None, 1.0),
    ],
)
def test_a_limit_of_a_calls_duration_counts_like_a_call(mode: Any, took: float | None, score: float) -> None:
    expected = (ExpectedCall(tool="a", max_duration_ms=100), ExpectedCall(tool="b"))
    made = [ToolCall("a", {}, duration_ms=took), ToolCall("b", {})]
    assert trajectory_score(make(ToolTrajectory, expected=expected, mode=mode), made) == pytest.approx(score)


def test_a_call_that_was_never_made_was_not_made_in_time() -> None:
    spec = make(ToolTrajectory, expected=(ExpectedCall(tool="a", max_duration_ms=100), ExpectedCall(tool="b")))
    assert trajectory_score(spec, calls("b")) == pytest.approx(1 / 3)
    quick = [ToolCall("a", {}, duration_ms=900), ToolCall("a", {}, duration_ms=9), ToolCall("b", {})]
    assert trajectory_score(spec, quick) == 1.0


def test_without_a_transcript_nothing_is_judged_and_a_gate_is_an_error() -> None:
    assert judge(expecting("a")).status is Status.NOT_JUDGED
    assert judge(expecting("a", required=True)).status is Status.ERROR


def test_a_transcript_without_calls_is_one_all_the_same() -> None:
    assert judge(expecting("a"), Evidence(transcript=called())).score == 0.0


def test_to_expect_nothing_is_the_authors_mistake() -> None:
    assert judge(expecting(), Evidence(transcript=called("a"))).status is Status.ERROR


def test_a_long_transcript_is_compared_in_good_time() -> None:
    spec = expecting(*["read", "edit"] * 10, mode="in_order")
    assert trajectory_score(spec, calls(*["read"] * 20_000, *["edit"] * 20_000)) == pytest.approx(11 / 20)


@pytest.mark.parametrize(
    ("fields", "fit"),
    [
        ({"input": {"q": "a"}}, True),
        ({"input": {"q": "b"}}, False),
        ({"input": {"gone": "a"}}, False),
        ({"output": {"results": [{"link": "x"}]}}, True),
        ({"output": {"results": [{"link": "any"}]}}, True),
        ({"output": {"results": [{"link": "y"}]}}, False),
        ({"output": {"results": [{"link": "x"}, {}, {}]}}, False),
        ({"output": "text"}, False),
    ],
)
def test_input_and_output_of_an_expected_call_are_parts_of_what_was_given_and_returned(
    fields: dict[str, Any], *, fit: bool
) -> None:
    call = ToolCall("search", {"q": "a", "n": 5}, output={"results": [{"link": "x", "title": "t"}, {}], "took": 3})
    check = make(ToolTrajectory, expected=(ExpectedCall(tool="search", **fields),))
    assert trajectory_score(check, [call]) == float(fit)
