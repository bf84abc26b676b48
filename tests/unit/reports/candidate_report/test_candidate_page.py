"""The page of one submission: it escapes everything and loads nothing."""

from __future__ import annotations

import re

from gradebox.graders.reports.candidate_report.candidate_page import candidate_page, marks
from gradebox.graders.reports.candidate_report.candidate_record import (
    CandidateCheck,
    CandidateGroup,
    CandidateRecord,
    CandidateTest,
)

EVIL = "<script>alert(1)</script>\u202e\x1b[31m"


def page(**changes: str) -> str:
    test = CandidateTest(EVIL, EVIL, EVIL, EVIL, EVIL, EVIL, EVIL)
    group = CandidateGroup(EVIL, 1.0, 2.0)
    check = CandidateCheck(EVIL, EVIL, 1.0, 2.0, EVIL, EVIL, EVIL, (group,), (test,), 3)
    record = CandidateRecord(EVIL, EVIL, EVIL, None, 2.0, (EVIL,), (check,), 1, 1.5, 2.0)
    return candidate_page(EVIL, [record], EVIL, **changes)


def test_no_text_of_a_run_is_markup_or_acts_on_anything() -> None:
    made = page()
    assert "<script" not in made
    assert "\u202e" not in made
    assert "\x1b" not in made
    assert made.count("&lt;script&gt;") > 10
    assert re.search(r"default-src 'none'; style-src 'sha256-[^']+'", made)
    assert not re.search(r"\s(?:src|href|on[a-z]+)=", made)


def test_points_are_in_words() -> None:
    assert (marks(1.5, 2.0), marks(None, 2.0), marks(None, None)) == ("1.5 of 2 points", "- of 2 points", "")
    assert "Hidden checks: 1, 1.5 of 2 points" in page()
    assert "Hidden tests: 3" in page()
