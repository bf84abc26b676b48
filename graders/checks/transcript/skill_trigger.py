"""`skill-trigger`: an agent used a skill or, if it should not, did not use it."""

from __future__ import annotations

from pydantic import Field

from gradebox.graders.checks.base import Check
from gradebox.graders.checks.results import not_judged, scored
from gradebox.graders.checks.transcript.skill_used import skills_used
from gradebox.graders.documents.entries import optional
from gradebox.graders.documents.fields import Flag, Name
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.verdict import CheckResult


class SkillTrigger(Check):
    """A skill was used, or was not used."""

    type = "skill-trigger"

    skill: Name = Field(description="The skill's name, or a part of it.")
    should_trigger: Flag = optional("Whether the skill must be used, or must not be used.", default=True)

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        if evidence.transcript is None:
            return not_judged(self, case, "the submission brings no transcript")
        used = [name for name in skills_used(evidence.transcript) if self.skill in name]
        met = bool(used) == self.should_trigger
        return scored(self, case, float(met), "" if met else f"used: {', '.join(used[:12]) or 'another skill or none'}")
