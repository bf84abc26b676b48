"""The result of a verdict for which nothing was run."""

from __future__ import annotations

from dataclasses import replace

from evidence_bench import case

from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status, decide


def test_a_result_names_the_case_as_the_case_does() -> None:
    one = replace(case(), target="agent", tags=("python",), category="example")
    found = Result.of(one, "work", decide([], threshold=0.8, faults=["It was away."]), repeat=2, number=7)
    assert (found.case, found.target, found.submission, found.repeat, found.number) == ("case", "agent", "work", 2, 7)
    assert (found.tags, found.category, found.verdict.status) == (("python",), "example", Status.ERROR)
    assert (found.image, found.own_steps, found.outcomes) == ("", (), None)


def test_each_result_has_an_id_of_its_own() -> None:
    verdict = decide([], threshold=0.8, faults=["It was away."])
    assert Result.of(case(), "work", verdict).id != Result.of(case(), "work", verdict).id
