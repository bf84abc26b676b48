"""What shows that a submission tampered with its grading instead of doing its task. Data only.

Each finding has a kind, one clause about what was seen, and what shows it. A verdict that holds one is
`failed`, whatever else happened. What honest work leaves behind is never a finding.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from gradebox.sandbox.records import dataclass


class TamperingKind(StrEnum):
    # A command that must fail passed with this submission.
    CONTROL_PASSED = "control-passed"
    # A grader ended as if it had passed, without the token that it sends at its own end.
    TOKEN_MISSING = "token-missing"  # noqa: S105 - the name of a finding
    # The report of a grader contradicts its exit status, or the list of what it had to run.
    REPORT_DISAGREES = "report-disagrees"
    # A file that the case protects was changed, removed or added.
    PROTECTED_FILE_CHANGED = "protected-file-changed"
    # A file was added or changed that decides results in place of the tests of a check.
    RUNNER_CONFIGURATION_ADDED = "runner-configuration-added"


@dataclass(frozen=True, slots=True)
class Tampering:
    """One thing that shows it."""

    kind: TamperingKind
    what: str  # One clause for people, without a full stop: what was seen, where, and what an author can do about it.
    # What shows it, as short as it can be quoted: a path, a status, the differing lines. May be empty.
    evidence: str = ""
    # The check in which it was seen, members of others after a colon; empty where it was outside any check.
    check: str = ""

    def within(self, check: str) -> Tampering:
        """Return the same, seen in `check`, or in a member of it."""
        return replace(self, check=f"{check}: {self.check}" if self.check else check)

    def __str__(self) -> str:
        return f"{self.check}: {self.what}" if self.check else self.what
