"""`skill-used`: skills of an agent were used, as the calls in its transcript show.

A skill is used by a call of the tool `Skill` that names it, or by reading a file below ``skills/NAME/``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Self

from pydantic import Field

from gradebox.graders.checks.base import Check, Reading
from gradebox.graders.checks.results import not_judged, scored
from gradebox.graders.checks.transcript.trajectory import CountedSteps, NamesOrCount, glob_fits
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.transcript import ToolCall, Transcript
from gradebox.graders.model.verdict import CheckResult

_BELOW_SKILLS = re.compile(r"(?:^|/)skills/([^/\s]+)/")


class SkillUsed(Check):
    """All of the named skills were used, or one skill as often as required."""

    type = "skill-used"
    negatable = True

    value: NamesOrCount = Field(description="One skill, a list of skills, or a glob as `pattern` with `min` and `max`.")

    def completed(self, reading: Reading) -> Self | None:
        """Refuse a count without the name of a skill."""
        if isinstance(self.value, CountedSteps) and self.value.name is None:
            reading.error(("value",), "`value` names no skill", "Write `name`.")
            return None
        return self

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        if evidence.transcript is None:
            return not_judged(self, case, "the submission brings no transcript")
        used = list(skills_used(evidence.transcript))
        reason = f"used: {', '.join(f'{name:.60}' for name in used[:12]) or 'no skill'}"
        if isinstance(self.value, CountedSteps):
            count = sum(glob_fits(name, self.value.name or "") for name in used)
            met = self.value.allows(count, 0 if self.value.max is not None else 1)
        else:
            names = (self.value,) if isinstance(self.value, str) else self.value
            found = [name in used for name in names]
            # `not-`: none of them may have been used.
            met = any(found) if self.negate else all(found)
        return scored(self, case, float(met), reason)


def skills_used(transcript: Transcript) -> Iterator[str]:
    """Yield the name of the skill for each call of a transcript that uses one."""
    for call in transcript.tool_calls:
        name = _skill_of(call)
        if name:
            yield name


def _skill_of(call: ToolCall) -> str:
    args = call.args if isinstance(call.args, dict) else {}
    if call.status in ("error", "failed"):
        return ""
    if call.name.lower() == "skill":
        given = next((args[key] for key in ("skill", "name", "command") if isinstance(args.get(key), str)), "")
        return given.strip()
    if call.name.lower().replace("_", "") in ("read", "readfile", "view"):
        for key in ("file_path", "path", "filePath"):
            found = _BELOW_SKILLS.search(args[key]) if isinstance(args.get(key), str) else None
            if found:
                return found[1]
    return ""
