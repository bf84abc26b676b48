"""Questions, their keys, and who of a panel is asked."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from gradebox.graders.model.judgment import Criterion, Judgment, Panel, Part, Question, Reply, usage

QUESTION = Question((Part("Is it kind?"), Part("Yes.", "output")), (Criterion("kind", "It is kind."),))


def one(name: str, role: str = "judge") -> Any:
    return SimpleNamespace(name=name, role=role)


@pytest.mark.parametrize(
    "other",
    [
        {"parts": (Part("Is it kind?"), Part("No.", "output"))},
        {"parts": (Part("Is it kind?"), Part("Yes."))},
        {"parts": (Part("Is it kind?Yes.", "output"),)},
        {"criteria": (Criterion("kind", "It is very kind."),)},
        {"criteria": (Criterion("kind", "It is kind.", {0: "no"}),)},
        {"audit": True},
        {"model": "m"},
    ],
)
def test_the_key_of_a_question_is_that_of_all_it_says(other: dict[str, Any]) -> None:
    assert QUESTION.key == replace(QUESTION).key
    assert len(QUESTION.key) == 40
    assert replace(QUESTION, **other).key != QUESTION.key


def test_a_question_is_for_the_judge_that_it_names_or_for_all_of_its_role() -> None:
    panel = Panel((one("a"), one("b"), one("c", "audit")))
    assert [judge.name for judge in panel.asked(QUESTION)] == ["a", "b"]
    assert [judge.name for judge in panel.asked(replace(QUESTION, judge="b"))] == ["b"]
    assert [judge.name for judge in panel.asked(replace(QUESTION, judge="nobody"))] == ["a", "b"]
    assert [judge.name for judge in panel.asked(replace(QUESTION, audit=True))] == ["c"]


def test_what_judging_takes_is_summed_up() -> None:
    assert usage([]) == {}
    free = Reply("a", "{}", requests=2, input_tokens=5, output_tokens=1)
    assert usage([Judgment((free,))]) == {"requests": 2, "input_tokens": 5, "output_tokens": 1}
    dear = replace(free, cost_usd=0.25)
    assert usage([Judgment((free, dear)), Judgment((dear,))])["cost_usd"] == 0.5


def test_a_judgment_is_answered_if_every_judge_replied() -> None:
    assert Judgment((Reply("a", "{}"),)).answered
    assert not Judgment((Reply("a", "{}"), Reply("b", problem="gone"))).answered
    assert not Judgment(()).answered
