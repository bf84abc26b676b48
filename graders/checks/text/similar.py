"""`similar`: the answer means what a text means. Only an embedding model can tell, and none can be configured.

It is shown, weighs nothing and is never taken to have passed; where it is required, the case is in error.
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
    """The answer means what `value` means. It needs an embedding model, so it is not judged."""

    type = "similar"
    spellings = ("similar:cosine", "similar:dot", "similar:euclidean")
    negatable = True

    value: Texts = Field(description="The text, or several of which one is enough.")
    threshold: Fraction | None = optional("The similarity that is needed.")
    provider: Free = optional("The embedding model.")
    config: FreeMapping = optional("Its settings.", default_factory=dict)

    def judge(self, case: Case, _evidence: Evidence) -> CheckResult:
        return not_judged(self, case, "it needs an embedding model, and none can be configured")
