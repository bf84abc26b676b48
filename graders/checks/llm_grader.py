"""The `llm-grader` check: words that only a model or a person can judge.

No judge can be configured yet, so it is never judged: it is shown as such and weighs nothing, and where it is required
the case is in error. It is never taken to have passed.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, Tag

from graders.checks.base import Check, Reading
from graders.checks.judging import error, not_judged
from graders.checks.rubric import RubricList, numbered
from graders.documents.entries import also, by_shape
from graders.documents.fields import Count, FreeMapping, Number, Text
from graders.model.case import Case
from graders.model.evidence import Evidence
from graders.model.verdict import CheckResult

_Prompt = Annotated[
    Annotated[Text, Tag("|text")] | Annotated[FreeMapping, Tag("|mapping")],
    by_shape("must be text or a mapping", "text", "mapping"),
]


class LlmGrader(Check):
    """Words for a judge. Without one it is not judged, which is an error where it is required."""

    type = "llm-grader"
    spellings = ("llm-judge", "llm-rubric", "agent-rubric")
    free = True

    prompt: _Prompt | None = Field(
        default=None, validation_alias=also("value", "criteria"), description="The prompt for the judge."
    )
    rubrics: RubricList = Field(default=(), description="The criteria for the judge.")
    model: Text | None = Field(default=None, description="Model of the judge.")
    provider: Text | None = Field(default=None, description="Provider of the judge.")
    target: Text | None = Field(default=None, description="The judge to use.")
    temperature: Number | None = Field(default=None, description="Temperature of the judge.")
    max_steps: Count | None = Field(
        default=None, validation_alias=also("maxSteps"), description="How many steps the judge may take."
    )
    config: FreeMapping = Field(default_factory=dict, description="Other settings of the judge.")

    def completed(self, reading: Reading) -> Self | None:
        """Refuse rubrics that no judge is needed for."""
        errors = reading.reader.findings.errors
        rubrics = numbered(self.rubrics, reading.reader, (*reading.path, "rubrics")) if self.rubrics else ()
        for index, rubric in enumerate(rubrics or ()):
            for name in ("command", "check"):
                if getattr(rubric, name) is not None:
                    message = f"a judge is asked about the rubrics of a check `{self.type}`, and `{name}` is none"
                    reading.error(("rubrics", index, name), message, "Write `type: rubrics`.")
        if reading.reader.findings.errors > errors:
            return None
        return self.but(rubrics=rubrics) if rubrics else self

    def judge(self, case: Case, _evidence: Evidence) -> CheckResult:
        """Return a result that is not judged."""
        gates = [rubric.id for rubric in self.rubrics if rubric.required]
        if gates:
            return error(self, case, f"no judge is configured, and required of it: {', '.join(gates[:5])}")
        words = f": {self.prompt:.200}" if isinstance(self.prompt, str) and self.prompt else ""
        return not_judged(self, case, f"no judge is configured{words}")
