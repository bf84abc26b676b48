"""What results of checks come to."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.model.scoring import Band
from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.graders.model.verdict import (
    DEFAULT_SHOWN,
    HIDDEN,
    CheckResult,
    Seen,
    Shown,
    Status,
    Visibility,
    decide,
    misplaced,
    seen,
)

SCORES = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 0.8, 1.0]))
WEIGHTS = st.sampled_from([0.0, 0.5, 1.0, 2.0, 10.0])
SENTENCES = st.lists(st.sampled_from(["It broke.", "It burst."]), max_size=2)
BENT = Tampering(TamperingKind.CONTROL_PASSED, "its control passed", "exit status 0")


@st.composite
def results(draw: st.DrawFn) -> CheckResult:
    """A result such as the judges make: its status fits its score."""
    status = draw(st.sampled_from([Status.PASSED, Status.FAILED, Status.FAILED, Status.ERROR, Status.NOT_JUDGED]))
    score, wanted = draw(SCORES), draw(SCORES)
    judged = status in (Status.PASSED, Status.FAILED)
    if judged:
        status = Status.PASSED if score >= wanted - 1e-9 else Status.FAILED
    bent = judged and draw(st.integers(0, 9)) == 0
    return CheckResult(
        name=draw(st.sampled_from("abcdef")),
        type="code-grader",
        status=Status.FAILED if bent else status,
        score=score if judged else None,
        wanted=wanted,
        weight=draw(WEIGHTS),
        required=draw(st.booleans()) and status is not Status.NOT_JUDGED,
        reason=draw(st.sampled_from(["", "why"])),
        tampering=(BENT,) if bent else (),
    )


CHECKS = st.lists(results(), max_size=8)
ASKED = st.fixed_dictionaries(
    {"threshold": SCORES}, optional={"faults": SENTENCES, "failures": SENTENCES, "tampering": st.lists(st.just(BENT))}
)


def result(score: float | None = 1.0, *, wanted: float = 0.8, **changes: Any) -> CheckResult:
    status = Status.ERROR if score is None else Status.PASSED if score >= wanted else Status.FAILED
    return CheckResult(
        **{"name": "a", "type": "code-grader", "status": status, "score": score, "wanted": wanted} | changes
    )


@given(CHECKS, ASKED)
def test_the_verdict_is_that_of_an_independent_computation(checks: list[CheckResult], asked: dict[str, Any]) -> None:
    weight = sum(check.weight for check in checks if check.score is not None)
    points = sum(check.score * check.weight for check in checks if check.score is not None)
    bent = bool(asked.get("tampering")) or any(check.tampering for check in checks)
    missed = [check.name for check in checks if check.required and check.status is Status.FAILED]
    score = points / weight if weight else None
    unjudged = score is None or any(check.status is Status.ERROR for check in checks)
    short = missed or (score is not None and score < asked["threshold"] - 1e-9)
    wanted = Status.FAILED if short else Status.PASSED
    wanted = Status.ERROR if unjudged else wanted
    wanted = Status.FAILED if asked.get("failures") else wanted
    wanted = Status.ERROR if asked.get("faults") else wanted
    wanted = Status.FAILED if bent else wanted

    found = decide(checks, **asked)
    known = None if score is None else pytest.approx(score)
    is_error = found.status is Status.ERROR
    assert (found.score, found.partial_score) == ((None, known) if is_error else (known, None))
    assert found.missed == tuple(missed)
    if score is None or abs(score - asked["threshold"]) > 1e-8:
        assert found.status is wanted


@given(CHECKS, ASKED, st.randoms(use_true_random=False))
def test_the_order_of_checks_never_matters(
    checks: list[CheckResult], asked: dict[str, Any], shuffler: random.Random
) -> None:
    shuffled = list(checks)
    shuffler.shuffle(shuffled)
    one, other = decide(checks, **asked), decide(shuffled, **asked)
    assert (one.status, one.score, one.gated_score, one.band) == (
        other.status,
        other.score,
        other.gated_score,
        other.band,
    )
    assert sorted(one.reasons) == sorted(other.reasons)
    assert sorted(one.missed) == sorted(other.missed)


@given(CHECKS, ASKED)
def test_whoever_passes_has_nothing_against_them(checks: list[CheckResult], asked: dict[str, Any]) -> None:
    found = decide(checks, **asked)
    held = found.tampering or found.missed or any(check.status is Status.ERROR for check in checks)
    if found.status is Status.PASSED:
        assert not held
        assert not asked.get("faults")
        assert not asked.get("failures")
        assert found.score is not None
        assert found.score >= asked["threshold"] - 1e-9
    assert (found.reasons == ()) == (found.status is Status.PASSED)


@given(CHECKS, ASKED)
def test_a_check_in_error_never_lets_the_case_pass(checks: list[CheckResult], asked: dict[str, Any]) -> None:
    assert decide([*checks, result(None)], **asked).status is not Status.PASSED


@given(CHECKS, ASKED)
def test_a_check_in_error_leaves_the_score_of_the_others_alone(
    checks: list[CheckResult], asked: dict[str, Any]
) -> None:
    with_error, without = decide([*checks, result(None, weight=1000.0)], **asked), decide(checks, **asked)
    scores = [found.partial_score if found.score is None else found.score for found in (with_error, without)]
    assert scores[0] == scores[1]


@given(CHECKS, ASKED)
def test_tampering_is_always_failed(checks: list[CheckResult], asked: dict[str, Any]) -> None:
    outside = asked | {"tampering": [BENT]}
    assert decide(checks, **outside).status is Status.FAILED
    assert decide([*checks, result(0.0, tampering=(BENT,))], **asked).status is Status.FAILED


@given(CHECKS, ASKED)
def test_the_gated_score_is_zero_exactly_when_a_gate_closed_and_the_score_otherwise(
    checks: list[CheckResult], asked: dict[str, Any]
) -> None:
    found = decide(checks, **asked)
    closed = found.status is not Status.ERROR and (found.missed or found.tampering or asked.get("failures"))
    assert found.gated_score == (0.0 if closed else found.score)


@given(CHECKS, ASKED)
def test_only_an_error_has_no_reward(checks: list[CheckResult], asked: dict[str, Any]) -> None:
    found = decide(checks, **asked)
    assert found.reward == (None if found.status is Status.ERROR else found.gated_score)
    assert (found.reward is None) == (found.status is Status.ERROR)


@given(CHECKS, ASKED)
def test_an_error_has_no_score_of_any_kind(checks: list[CheckResult], asked: dict[str, Any]) -> None:
    found = decide([*checks, result(), result(None)], **asked)
    if found.status is Status.ERROR:
        assert (found.score, found.gated_score, found.band) == (None, None, None)
        assert found.partial_score is not None


@given(CHECKS, ASKED)
def test_a_fault_of_ours_is_an_error_and_turns_no_score_into_zero(
    checks: list[CheckResult], asked: dict[str, Any]
) -> None:
    honest = [replace(check, tampering=(), required=False) for check in checks]
    found = decide(honest, threshold=asked["threshold"], faults=["The engine went away."])
    assert found.status is Status.ERROR
    assert found.gated_score is None


@pytest.mark.parametrize(
    ("checks", "status", "score", "gated", "band", "reasons"),
    [
        ([result()], Status.PASSED, 1.0, 1.0, Band.PASS, ()),
        (
            [result(0.7)],
            Status.FAILED, 0.7, 0.7, Band.BORDERLINE, ("score 0.7 is below the threshold 0.8",),
        ),
        (
            [result(), result(0.5, name="b", required=True, weight=0.0)],
            Status.FAILED, 1.0, 0.0, Band.PASS, ("required check b scored 0.5, needs 0.8",),
        ),
        ([result(0.5, wanted=0.5, required=True), result(weight=9.0)], Status.PASSED, 0.95, 0.95, Band.PASS, ()),
        ([result(None, reason="no tool")], Status.ERROR, None, None, None, ("a could not be judged: no tool",)),
        (
            [result(), result(None, name="b", reason="no tool", weight=0.0)],
            Status.ERROR, None, None, None, ("b could not be judged: no tool",),
        ),
        (
            [result(), result(None, status=Status.NOT_JUDGED)],
            Status.PASSED, 1.0, 1.0, Band.PASS, (),
        ),
        ([result(weight=0.0)], Status.ERROR, None, None, None, ("no check with a weight could be judged",)),
        ([], Status.ERROR, None, None, None, ("no check with a weight could be judged",)),
        (
            [result(0.0, tampering=(BENT,)), result(None, name="b", reason="broken")],
            Status.FAILED, 0.0, 0.0, Band.FAIL,
            ("tampering (control-passed): a: its control passed", "b could not be judged: broken"),
        ),
    ],
)  # fmt: skip
def test_examples(
    checks: list[CheckResult], status: Status, score: float | None, gated: float | None, band: Band | None, reasons: Any
) -> None:
    found = decide(checks, threshold=0.8)
    assert (found.status, found.score, found.gated_score, found.band) == (status, score, gated, band)
    assert found.reasons == reasons


def test_the_worked_example_of_the_documentation() -> None:
    checks = [
        result(1.0, weight=3.0, required=True),
        result(0.0, name="b", weight=2.0),
        result(0.75, name="c", weight=1.0),
    ]
    found = decide(checks, threshold=0.8)
    assert (found.status, found.score, found.band, found.gated_score) == (Status.FAILED, 0.625, Band.BORDERLINE, 0.625)
    found = decide([result(0.0, weight=3.0, required=True), *checks[1:]], threshold=0.8)
    assert (found.score, found.gated_score) == (0.125, 0.0)


def test_where_the_case_as_a_whole_failed_its_checks_are_not_blamed_one_by_one() -> None:
    found = decide([result(0.0, required=True)], threshold=0.8, failures=["The diff does not apply."])
    assert found.reasons == ("The diff does not apply.",)
    assert found.missed == ("a",)


def test_a_wrong_place_is_the_first_reason_of_checks_that_failed_and_none_by_itself() -> None:
    failed = misplaced(decide([result(score=0.0)], threshold=0.8), "It lies elsewhere.")
    assert (failed.reasons[0], len(failed.reasons)) == ("It lies elsewhere.", 2)
    for other in (
        decide([result(score=1.0)], threshold=0.8),
        decide([result(score=None)], threshold=0.8),
        decide([result(score=0.0)], threshold=0.8, tampering=[BENT]),
    ):
        assert misplaced(other, "It lies elsewhere.") is other
    assert misplaced(failed, "") is failed


def test_sentences_may_come_from_a_generator() -> None:
    found = decide([result()], threshold=0.8, faults=(sentence for sentence in ["It broke."]))
    assert (found.status, found.reasons) == (Status.ERROR, ("It broke.",))


def test_a_score_one_rounding_below_the_threshold_passes() -> None:
    checks = [result(0.1), result(0.2)]
    assert decide(checks, threshold=0.15000000000000002).status is Status.PASSED


OF_CHECK = Seen(Visibility.VISIBLE, DEFAULT_SHOWN)
EVERYTHING = tuple(Shown)


def test_by_itself_nothing_is_seen() -> None:
    assert Seen().fields(after=True) == frozenset()
    assert seen(None, None) == HIDDEN
    assert seen(None, None, own=OF_CHECK) == OF_CHECK


def test_what_is_visible_afterwards_waits_for_it() -> None:
    later = seen("after", ["name"])
    assert later.fields(after=False) == frozenset()
    assert later.fields(after=True) == {Shown.NAME}
    assert seen("hidden", ["name"]).fields(after=True) == frozenset()


@pytest.mark.parametrize(
    ("visibility", "show", "around", "expected"),
    [
        ("visible", None, None, Seen(Visibility.VISIBLE, EVERYTHING)),
        (None, ["input"], None, Seen(Visibility.VISIBLE, (Shown.INPUT,))),
        (None, None, OF_CHECK, OF_CHECK),
        ("after", None, OF_CHECK, Seen(Visibility.AFTER, EVERYTHING)),
        (None, ["output"], OF_CHECK, Seen(Visibility.VISIBLE, (Shown.OUTPUT,))),
        ("visible", [], OF_CHECK, Seen(Visibility.VISIBLE, ())),
        ("hidden", None, OF_CHECK, HIDDEN),
    ],
)
def test_a_part_is_as_it_says_and_otherwise_as_what_is_around_it(
    visibility: str | None, show: list[str] | None, around: Seen | None, expected: Seen
) -> None:
    assert seen(visibility, show, around) == expected


def test_hidden_parts_are_not_named_and_a_hidden_whole_has_none() -> None:
    parts = {"a": OF_CHECK, "b": HIDDEN}
    kept = {"a": OF_CHECK}
    assert OF_CHECK.with_parts(tests=parts, groups=parts) == Seen(Visibility.VISIBLE, DEFAULT_SHOWN, kept, kept)
    assert HIDDEN.with_parts(tests=parts, groups=parts) == HIDDEN


def test_fields_can_be_taken_away_only() -> None:
    everything = Seen(Visibility.VISIBLE, EVERYTHING, {"a": OF_CHECK})
    assert everything.only(Shown.NAME) == Seen(Visibility.VISIBLE, (Shown.NAME,))
    assert OF_CHECK.only(Shown.INPUT).show == ()
