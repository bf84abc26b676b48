"""`similar`: the answer means the same as a text. Judging this needs an embedding model, and none can be configured.

So the check is shown, but does not count, and never passes. If it is required, the case is an error.
"""

from __future__ import annotations

from pydantic import Field

from gradebox.graders.checks.base import Check
from gradebox.graders.checks.results import not_judged
from gradebox.graders.documents.entries import optional
from gradebox.graders.documents.fields import Fraction, Free, FreeMapping, Texts
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.verdict import CheckResult


class Similar(Check):
    """The answer means the same as `value`. This needs an embedding model, so it is not judged."""

    type = "similar"
    spellings = ("similar:cosine", "similar:dot", "similar:euclidean")
    negatable = True

    value: Texts = Field(description="The text, or several texts of which one must match.")
    threshold: Fraction | None = optional("The required similarity.")
    provider: Free = optional("The embedding model.")
    config: FreeMapping = optional("Settings of the embedding model.", default_factory=dict)

    def judge(self, case: Case, _evidence: Evidence) -> CheckResult:
        return not_judged(self, case, "it needs an embedding model, and none can be configured")
