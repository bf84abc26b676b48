"""For whom reports are made."""

from __future__ import annotations

from gradebox.graders.reports.report_settings import AS_USUAL, Audience, ReportSettings


def test_reports_are_for_authors_unless_somebody_says_otherwise() -> None:
    assert not AS_USUAL.for_candidates
    assert ReportSettings(Audience("candidate")).for_candidates
