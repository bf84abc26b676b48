"""The numbers of a class."""

from __future__ import annotations

from pathlib import Path

from fabricated import check, graded, write

from gradebox.graders.reports import html_report
from gradebox.graders.reports.html_report.class_figures import HardCheck, class_figures


def test_scores_are_spread_over_quartiles_and_the_hardest_check_comes_first(tmp_path: Path) -> None:
    results = [
        graded("a", check("easy", 1.0), check("hard", score), check("free", 0.0, weight=0.0), submission=f"s{score}")
        for score in (0.0, 0.2, 0.4, 0.6, 0.8)
    ]
    results.append(graded("a", check("easy", None), submission="broken"))
    run = write(tmp_path, results)
    found = class_figures(run.verdicts.values())
    assert found is not None
    spread = (found.least, found.lower, found.median, found.upper, found.most)
    assert [round(one, 9) for one in spread] == [0.5, 0.6, 0.7, 0.8, 0.9]
    assert (found.submissions, round(found.mean, 9)) == (5, 0.7)
    assert [(one.name, one.scored) for one in found.hardest] == [("hard", 5), ("easy", 5)]
    page = "".join(html_report.report(run))
    assert 'id="class"' not in page
    run.requested["hand_ins"] = [["/x", "s0.0", "s0.0", "", ""]]
    page = "".join(html_report.report(run))
    assert 'id="class"' in page
    assert "0.6000 to 0.8000" in page


def test_checks_of_several_cases_are_told_apart(tmp_path: Path) -> None:
    results = [graded(case, check("it", 0.5), submission=f"s{number}") for case in "ab" for number in range(5)]
    found = class_figures(write(tmp_path, results).verdicts.values())
    assert found is not None
    assert found.hardest == (HardCheck("a: it", 0.5, 5), HardCheck("b: it", 0.5, 5))


def test_of_a_few_submissions_nothing_is_said(tmp_path: Path) -> None:
    assert class_figures(write(tmp_path, [graded("a", check("it", 1.0))]).verdicts.values()) is None
