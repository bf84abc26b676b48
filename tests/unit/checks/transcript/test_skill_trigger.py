"""Whether a skill was used."""

from __future__ import annotations

import pytest
from evidence_bench import judge, make

from gradebox.graders.checks.transcript.skill_trigger import SkillTrigger
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.transcript import ToolCall, Transcript
from gradebox.graders.model.verdict import Status

CALLS = (
    ToolCall("Bash", {"command": "ls skills/zip/"}),
    ToolCall("Read", {"file_path": "skills/csv-analyzer/SKILL.md"}),
)


@pytest.mark.parametrize(
    ("skill", "should_trigger", "score"),
    [("csv-analyzer", True, 1.0), ("csv", True, 1.0), ("zip", True, 0.0), ("csv", False, 0.0), ("zip", False, 1.0)],
)
def test_a_skill_is_to_be_used_or_not_to_be(skill: str, score: float, *, should_trigger: bool) -> None:
    check = make(SkillTrigger, skill=skill, should_trigger=should_trigger)
    found = judge(check, Evidence(transcript=Transcript(tool_calls=CALLS)))
    assert found.score == score
    assert bool(found.reason) is (score == 0)


def test_without_a_transcript_it_is_not_judged() -> None:
    assert judge(make(SkillTrigger, skill="x", should_trigger=False), Evidence()).status is Status.NOT_JUDGED
