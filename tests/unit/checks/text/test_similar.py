"""Meaning, which no model is there to compare."""

from __future__ import annotations

import pytest
from evidence_bench import judge, make

from gradebox.graders.checks.text.similar import Similar
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.verdict import Status


@pytest.mark.parametrize("negate", [False, True])
def test_it_is_not_judged_and_an_error_where_it_is_required(*, negate: bool) -> None:
    answer = Evidence(output="x")
    found = judge(make(Similar, value=("x",), negate=negate), answer)
    assert (found.status, found.score) == (Status.NOT_JUDGED, None)
    assert "embedding model" in found.reason
    assert judge(make(Similar, value=("x",), negate=negate, required=True), answer).status is Status.ERROR
