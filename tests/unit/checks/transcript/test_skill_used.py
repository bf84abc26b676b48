"""Skills that the calls of a transcript use."""

from __future__ import annotations

from typing import Any

import pytest
from evidence_bench import judge, make

from gradebox.graders.checks.transcript.skill_used import SkillUsed
from gradebox.graders.checks.transcript.trajectory import CountedSteps
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.transcript import ToolCall, Transcript
from gradebox.graders.model.verdict import Status

CALLS = (
    ToolCall("Skill", {"skill": "csv"}),
    ToolCall("skill", {"skill": "csv"}),
    ToolCall("Skill", {"skill": "broken"}, status="error"),
    ToolCall("Read", {"file_path": ".claude/skills/pdf/SKILL.md"}),
    ToolCall("Read", {"file_path": "src/skills.py"}),
    ToolCall("Bash", "skills/zip/"),
)


@pytest.mark.parametrize(
    ("value", "negate", "score"),
    [
        ("csv", False, 1.0),
        ("csv", True, 0.0),
        ("zip", False, 0.0),
        ("broken", True, 1.0),
        (("csv", "pdf"), False, 1.0),
        (("csv", "zip"), False, 0.0),
        # None of several may be used.
        (("csv", "zip"), True, 0.0),
        (CountedSteps(name="csv", max=2), False, 1.0),
        (CountedSteps(name="csv", min=3), False, 0.0),
        (CountedSteps(name="z*", max=0), False, 1.0),
        (CountedSteps(name="c?v"), False, 1.0),
    ],
)
def test_a_skill_is_called_or_its_files_are_read(value: Any, score: float, *, negate: bool) -> None:
    found = judge(make(SkillUsed, value=value, negate=negate), Evidence(transcript=Transcript(tool_calls=CALLS)))
    assert found.score == score
    assert found.reason == "used: csv, csv, pdf"


def test_without_a_transcript_it_is_not_judged() -> None:
    assert judge(make(SkillUsed, value="x", negate=True), Evidence(output="x")).status is Status.NOT_JUDGED
