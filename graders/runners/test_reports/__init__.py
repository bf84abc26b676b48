"""Reports of test runners: what a runner wrote about each test, as JUnit XML, CTRF or TAP. Pure.

    model              what a report says, whatever its format
    junit, ctrf, tap   a format each: bytes -> Report
    listed             names of tests in a case, and what became of the tests that they mean
    assessment         what a report comes to beside the exit status that it must agree with

A report lies where the candidate's code could write it: it is hostile input, read with caps, and it proves nothing
that the exit status of its runner does not bear out.
"""

from __future__ import annotations

from graders.runners.test_reports.assessment import (
    FORMATS,
    Assessment,
    ReportSpec,
    assess,
    few,
)
from graders.runners.test_reports.test_report import (
    CutOff,
    Report,
    Reported,
    State,
    Unreadable,
)

__all__ = [
    "FORMATS",
    "Assessment",
    "CutOff",
    "Report",
    "ReportSpec",
    "Reported",
    "State",
    "Unreadable",
    "assess",
    "few",
]
