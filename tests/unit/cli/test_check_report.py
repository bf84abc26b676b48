"""What `grade check` prints of a case."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from evidence_bench import COMMAND, case, make
from evidence_bench import result as check_result

from gradebox.graders.authoring.case_quality import CheckedCase
from gradebox.graders.authoring.quality_gradings import Subject, SubjectResult
from gradebox.graders.authoring.surroundings import OTHER
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.cli.check_report import show
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import decide
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.types import MemoryState

CASE = case(make(CodeGrader, "it", command=COMMAND, required=True))


@pytest.fixture
def checked() -> CheckedCase:
    verdict = decide([check_result(1.0, "it", required=True)], threshold=0.8)
    memory = MemoryState(memory_peak_bytes=CASE.limits.memory_bytes // 4)
    result = replace(Result.of(CASE, "reference", verdict), memory=memory)
    results = (
        SubjectResult(Subject.REFERENCE, 1, result),
        SubjectResult(Subject.ELSEWHERE, 1, result, changed=OTHER[:3]),
    )
    return CheckedCase(CASE, results, ())


def test_people_read_a_sentence_for_each_thing_that_was_seen(
    checked: CheckedCase, capsys: pytest.CaptureFixture[str]
) -> None:
    show(checked)
    assert [line.strip() for line in capsys.readouterr().out.splitlines()] == [
        f"FAIR  {CASE.id}",
        "The reference passed in 1 of 1 run (score 1.0000).",
        "Limits, as multiples of what the reference used: memory 4.",
        "The reference was also graded with another hash seed, time zone and locale.",
    ]


def test_a_line_of_json_has_all_of_it(checked: CheckedCase, capsys: pytest.CaptureFixture[str]) -> None:
    show(checked, repeat=1)
    found = json.loads(capsys.readouterr().out)
    assert [run["subject"] for run in found["runs"]] == ["reference", "elsewhere"]
    limit = CASE.limits.memory_bytes / MIB
    assert found["margins"] == {"memory": {"used": limit / 4, "limit": limit, "unit": "MiB"}}
