"""The result of another check, taken as it is."""

from __future__ import annotations

import pytest
from evidence_bench import judge, make, result

from gradebox.graders.checks.check_reference import CheckReference
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.verdict import CheckResult, Status


def test_the_score_is_that_of_the_other_check() -> None:
    reference = make(CheckReference, check="other")
    assert list(reference.references()) == ["other"]
    assert judge(reference, Evidence(results={"other": result(0.5)})).score == 0.5
    assert (
        judge(make(CheckReference, check="other", negate=True), Evidence(results={"other": result(0.25)})).score == 0.75
    )


@pytest.mark.parametrize("results", [{}, {"other": result(None, status=Status.ERROR)}])
def test_a_check_that_could_not_be_judged_is_an_error(results: dict[str, CheckResult]) -> None:
    assert judge(make(CheckReference, check="other"), Evidence(results=results)).status is Status.ERROR
