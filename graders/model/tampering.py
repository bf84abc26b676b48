"""Findings that a submission tampered with its grading instead of doing its task. Data only.

Each finding has a kind, a clause about the observation, and evidence. A verdict with a finding is `failed`, whatever
else happened. Files that honest work leaves behind are never a finding.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from gradebox.sandbox.records import dataclass


class TamperingKind(StrEnum):
    # A control passed: a command that must fail.
    CONTROL_PASSED = "control-passed"
    # A grader ended as if it had passed, without the token that it sends at its own end.
    TOKEN_MISSING = "token-missing"  # noqa: S105 - the name of a finding
    # The report of a grader contradicts its exit status, or the list of tests that it had to run.
    REPORT_DISAGREES = "report-disagrees"
    # A file that the case protects was changed, removed or added.
    PROTECTED_FILE_CHANGED = "protected-file-changed"
    # A file that decides results in place of a check's tests was added or changed.
    RUNNER_CONFIGURATION_ADDED = "runner-configuration-added"


@dataclass(frozen=True, slots=True)
class Tampering:
    """One finding."""

    kind: TamperingKind
    what: str  # One clause for people, without a full stop: what was found, where, and what an author can do about it.
    # The shortest quotable evidence: a path, a status, the differing lines. May be empty.
    evidence: str = ""
    # The check that it belongs to, with the names of members after colons; empty if it belongs to no check.
    check: str = ""

    def within(self, check: str) -> Tampering:
        """Return a copy that belongs to `check`, or to a member of it."""
        return replace(self, check=f"{check}: {self.check}" if self.check else check)

    def __str__(self) -> str:
        return f"{self.check}: {self.what}" if self.check else self.what
