"""What a reference shows on a busy machine."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evidence_bench import COMMAND, case, make
from evidence_bench import result as check_result
from fake_engine import FakeEngine

from gradebox.graders.authoring.quality_gradings import Level, Subject, SubjectResult
from gradebox.graders.authoring.under_load import LoadRefused, busy, effects_of_load
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import decide
from gradebox.sandbox.types import MemoryState, SandboxSpec

CASE = case(make(CodeGrader, "it", command=COMMAND, required=True))
CALM = Result.of(CASE, "reference", decide([check_result(1.0, "it", required=True)], threshold=0.8))


def effects(loaded: Result) -> list[tuple[Level, str]]:
    results = [SubjectResult(Subject.REFERENCE, 1, CALM), SubjectResult(Subject.UNDER_LOAD, 1, loaded)]
    return [(found.level, found.message) for found in effects_of_load(CASE, results)]


def test_the_same_verdict_is_no_finding() -> None:
    assert effects(CALM) == []


def test_another_verdict_is_unfair() -> None:
    failed = replace(CALM, verdict=decide([check_result(0.0, "it", required=True)], threshold=0.8))
    ((level, message),) = effects(failed)
    assert level is Level.UNFAIR
    assert message.startswith("With all processors busy, the reference was graded otherwise: verdict was 'passed'")


def test_a_narrow_margin_is_a_warning() -> None:
    near = replace(CALM, memory=MemoryState(memory_peak_bytes=CASE.limits.memory_bytes // 2))
    assert [level for level, _ in effects(near)] == [Level.WARNING]


def test_an_engine_of_unknown_size_cannot_be_busy() -> None:
    with (
        pytest.raises(LoadRefused, match="how many processors"),
        busy(FakeEngine(), lambda limits: SandboxSpec("image", limits)),
    ):
        pass
