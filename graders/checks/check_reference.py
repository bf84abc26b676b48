"""The `check` check: uses the result of another check of the case as a member of a composite."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from gradebox.graders.checks.base import Check
from gradebox.graders.checks.results import error, not_judged, scored, unfinished
from gradebox.graders.documents.fields import Name
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.verdict import CheckResult, Status


class CheckReference(Check):
    """Takes the result of another check of the case."""

    type = "check"

    check: Name = Field(description="The name of the other check.")

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        result = evidence.results.get(self.check)
        if result is None:
            return error(self, case, f"no check {self.check} was judged before it")
        if result.status is Status.ERROR:
            return error(self, case, f"{self.check} could not be judged")
        if result.score is None:
            return not_judged(self, case, f"{self.check} was not judged")
        if result.unfinished:
            return unfinished(self, case, result.reason)
        return scored(self, case, result.score, result.reason)

    def references(self) -> Iterator[str]:
        yield self.check
