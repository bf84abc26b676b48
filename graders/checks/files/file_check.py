"""`FileCheck`: the base of all checks of files. The score is the share of the conditions that hold."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Annotated, NamedTuple

from pydantic import Field

from gradebox.graders.checks.base import Check
from gradebox.graders.checks.results import error, scored
from gradebox.graders.documents.entries import also
from gradebox.graders.documents.fields import Globs
from gradebox.graders.model import scoring
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.verdict import CheckResult

SomeGlobs = Annotated[Globs, Field(min_length=1)]
OTHER_NAMES = also("path", "files", "file")


class Condition(NamedTuple):
    """One condition of a check: whether it holds, and the reason if it does not."""

    met: bool
    otherwise: str


class FileCheck(Check):
    """A check of files."""

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        conditions = list(self.conditions(evidence))
        score = scoring.mean(scoring.Weighed(float(condition.met), 1.0) for condition in conditions)
        if score is None:
            return error(self, case, "it asks for nothing")
        missing = [condition.otherwise for condition in conditions if not condition.met]
        return scored(self, case, score, "; ".join(missing[:5]))

    def reads_workspace(self, _case: Case) -> bool:
        return True

    @abstractmethod
    def conditions(self, evidence: Evidence) -> Iterable[Condition]:
        """Yield the conditions of the check."""
