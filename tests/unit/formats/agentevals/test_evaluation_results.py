"""A verdict as a result of AgentEvals."""

from __future__ import annotations

import pytest
from fabricated import check, graded

from gradebox.graders.formats.agentevals.evaluation_results import result
from gradebox.graders.formats.agentv.run_directory import Graded
from gradebox.graders.model.verdict_document import document


@pytest.mark.parametrize(("score", "verdict"), [(1.0, "pass"), (0.8, "pass"), (0.7, "borderline"), (0.5, "fail")])
def test_the_verdict_goes_by_the_score(score: float, verdict: str) -> None:
    assert result(Graded(document(graded("a", check("t", score))), "x", "a"))["verdict"] == verdict


def test_a_gate_that_closed_costs_the_score() -> None:
    found = result(Graded(document(graded("a", check("t", 0.0, required=True), check("u", 1.0))), "x", "a"))
    assert (found["score"], found["verdict"]) == (0.0, "fail")
    assert (found["hits"], found["misses"]) == (["u"], ["t"])


def test_an_error_has_no_score() -> None:
    found = result(Graded(document(graded("a", check("t", None, "broken"))), "x", "a"))
    assert (found["score"], found["verdict"], found["misses"]) == (None, None, [])
    assert found["error"] == "t could not be judged: broken"
