"""Which parts of two verdicts differ."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evidence_bench import COMMAND, case, make
from evidence_bench import result as check_result

from gradebox.graders.authoring.differences import differences
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import decide


@pytest.fixture
def one() -> Result:
    check = make(CodeGrader, "it", command=COMMAND, required=True)
    verdict = decide([check_result(1.0, "it", required=True)], threshold=0.8)
    return Result.of(case(check), "reference", verdict)


def test_times_and_ids_are_no_difference(one: Result) -> None:
    assert differences(one, replace(one, id="other", wall_seconds=9.0, number=3)) == []
    assert differences(one, replace(one, image="other")) == ["image was '' and then 'other'"]


def test_hashes_are_none_where_the_environment_is_another_one(one: Result) -> None:
    other = replace(one, content="other")
    assert differences(one, other) == [f"content was {one.content!r} and then 'other'"]
    assert differences(one, other, env=True) == []
