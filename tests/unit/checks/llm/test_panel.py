"""What the opinions of a panel come to, and what keeps a check from being judged."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from evidence_bench import case, make

from gradebox.graders.checks.llm.panel import hear, reduced
from gradebox.graders.checks.llm_grader import LlmGrader
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.judgment import WHOLE, Judgment, Opinion, Panel, Reduce, Reply

CHECK = make(LlmGrader, prompt="Be kind.")


@pytest.mark.parametrize(
    ("scores", "majority", "mean", "lowest"),
    [
        ((0.3,), 0.3, 0.3, 0.3),
        ((1, 1, 0), 1, 2 / 3, 0),
        ((1, 0, 0), 0, 1 / 3, 0),
        # A tie is no majority.
        ((1, 0), 0, 0.5, 0),
        ((1, 1, 0, 0), 0, 0.5, 0),
        ((1, 1, 1, 0), 1, 0.75, 0),
        ((0.9, 0.5, 0.1), 0.5, 0.5, 0.1),
        ((1, 1, None), 1, 1, None),
        ((1, None, None), None, None, None),
        ((1, None), None, None, None),
        ((None,), None, None, None),
    ],
)
def test_a_panel_reduces_to_one_opinion(
    scores: tuple[float | None, ...], majority: float | None, mean: float | None, lowest: float | None
) -> None:
    opinions = [Opinion(score, f"reason {number}") for number, score in enumerate(scores)]
    wanted = {Reduce.MAJORITY: majority, Reduce.MEAN: mean, Reduce.ALL: lowest}
    found = {reduce: reduced(opinions, reduce) for reduce in Reduce}
    assert {reduce: one.score for reduce, one in found.items()} == {
        reduce: score if score is None else pytest.approx(score) for reduce, score in wanted.items()
    }
    assert all(f"reason {number}" in found[Reduce.MEAN].reason for number in range(len(scores)))


def heard(*replies: Reply, panel: Panel | None = None, reduce: Reduce = Reduce.MAJORITY) -> Any:
    judges: Any = (SimpleNamespace(name="a", role="judge"),)
    (question,) = CHECK.questions(case(CHECK), Evidence())
    of = case(CHECK, judge=panel or Panel(judges, reduce))
    return hear(CHECK, of, Evidence(judgments={question.key: Judgment(replies)} if replies else {}))


def score(number: float) -> str:
    return json.dumps({"reasoning": f"It is {number}.", "score": number})


def test_without_a_judge_there_is_silence_and_with_one_that_was_not_asked_a_fault() -> None:
    assert hear(CHECK, case(CHECK), Evidence()).silent == "no judge is configured"
    assert heard().fault == "no judge was asked about this; grade it again"
    other = Evidence(judgments={"another": Judgment((Reply("a", score(1)),))})
    assert hear(CHECK, case(CHECK), other).silent == "no judge is configured"


def test_one_judge_of_a_panel_that_fails_is_a_fault_whatever_the_others_say() -> None:
    found = heard(Reply("a", score(1)), Reply("b", problem="it is gone"), Reply("c", score(1)))
    assert found.fault == "the judge b failed: it is gone"
    assert not found.opinions
    assert "cannot be used: it is empty" in heard(Reply("a", "")).fault


def test_what_a_judge_states_beside_its_score_is_kept_for_reports() -> None:
    stated = {"text": "It says hello.", "passed": True, "evidence": "Hello"}
    found = heard(Reply("a", json.dumps({"reasoning": "", "score": 1, "assertions": [stated]})))
    assert found.details["assertions"] == [stated]
    assert "assertions" not in heard(Reply("a", score(1))).details


def test_what_each_said_is_kept_with_what_it_cost() -> None:
    found = heard(Reply("a", score(1), input_tokens=5), Reply("b", score(0.5)), reduce=Reduce.MEAN)
    assert found.of(WHOLE) == Opinion(0.75, "It is 1. | It is 0.5.")
    said = found.details["judges"]
    assert [(one["judge"], one["input_tokens"], one["scores"]) for one in said] == [
        ("a", 5, {"score": 1.0}),
        ("b", 0, {"score": 0.5}),
    ]
