"""Names and places of verdicts in a run directory of AgentV."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fabricated import check, graded

from gradebox.graders.formats.agentv.run_directory import Benchmark, Graded, directory_of, row, target_names
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict_document import document


def names(*results: Result) -> list[str]:
    return target_names(map(document, results))


def test_a_row_is_named_by_its_target_otherwise_by_its_submission() -> None:
    one = graded("a", check("t", 1.0))
    assert names(one, replace(one, target="gpt")) == ["model-a", "gpt"]
    assert names(replace(one, target="gpt", submission="x"), replace(one, target="gpt", submission="y")) == [
        "gpt x",
        "gpt y",
    ]
    assert names(one, replace(one, repeat=2)) == ["model-a", "model-a repeat 2"]


def test_directories_are_safe_and_apart() -> None:
    hostile = document(graded("../..", check("t", 1.0), suite="a/b"))
    assert directory_of(hostile, "x", alone=True) == "a%2Fb/%2E.%2F.."
    assert directory_of(hostile, "../x", alone=False) == "a%2Fb/%2E.%2F../%2E.%2Fx"


@pytest.mark.parametrize(
    ("changes", "status", "score"),
    [
        ({}, "ok", 1.0),
        ({"required": True, "score": 0.5}, "quality_failure", 0.0),
        ({"score": None}, "execution_error", 0.0),
    ],
)
def test_the_score_of_a_row_is_gated_and_an_error_is_marked(changes: dict[str, Any], status: str, score: float) -> None:
    one = check("t", **{"score": 1.0, **changes})
    found = row(Graded(document(graded("a", one)), "x", "a"))
    assert (found["execution_status"], found["score"]) == (status, score)
    assert ("error" in found) == (status == "execution_error")


def test_errors_are_in_no_figure_of_quality() -> None:
    benchmark = Benchmark()
    benchmark.add(Graded(document(graded("a", check("t", 1.0))), "x", "a"))
    benchmark.add(Graded(document(graded("b", check("t", None))), "x", "b"))
    text = benchmark.document("run")
    assert '"pass_rate": {\n        "mean": 1.0' in text
    assert "1 test(s) had execution errors" in text


def test_the_tries_of_a_target_have_one_name_and_those_of_its_models_their_own() -> None:
    one = graded("a", check("t", 1.0), trials="mean", target="gpt")
    assert names(one, replace(one, repeat=2)) == ["gpt", "gpt"]
    assert names(one, replace(one, origin={"model": "o"}), replace(one, origin={"model": "o"}, repeat=2)) == [
        "gpt",
        "gpt o",
        "gpt o",
    ]
    assert names(replace(one, target=None, origin={"model": "o"}, submission="x")) == ["o"]
