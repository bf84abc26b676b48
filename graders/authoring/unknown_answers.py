"""Finds tests whose answers `contract: exact` cannot compare: whatever a submission answers there, it may pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradebox.graders.authoring.quality_gradings import Level, QualityFinding, Subject, SubjectResult
from gradebox.graders.checks.evaluation import contract_rule
from gradebox.graders.model.case import Case
from gradebox.graders.model.crossing import ContractRule


def unknown_answers(case: Case, results: Sequence[SubjectResult]) -> Iterator[QualityFinding]:
    """Yield a finding for each check with such tests, as the first grading of the reference shows them."""
    exact = {check.name for check in case.checks if contract_rule(check, case) is ContractRule.EXACT}
    for check in next((one.result.verdict.checks for one in results if one.subject is Subject.REFERENCE), ()):
        told = check.details.get("answers", {}) if check.name in exact else {}
        if told.get("unknown"):
            names = "".join(f": {', '.join(tests)}" for tests in [told.get("tests")] if tests)
            message = f"`contract: exact` cannot compare the answers in {told['unknown']} tests of {check.name}{names}."
            remedy = "Let these tests compare data that is the same in each run, and that they do not read from files."
            yield QualityFinding(Level.WARNING, message, remedy, check=check.name)
