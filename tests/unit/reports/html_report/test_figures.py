"""The numbers of the overview: bins, rates, totals and repeats."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from fabricated import check, graded, many
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.model.verdict_document import VerdictDocument, document
from gradebox.graders.reports.html_report.figures import figures, rates, repeated, score_bins, time_bins

DOCUMENTS = list(map(document, many(200)))


def test_scores_fall_into_the_bin_that_begins_with_them() -> None:
    def with_score(score: float | None) -> VerdictDocument:
        return DOCUMENTS[0].model_copy(update={"score": score})

    given_scores = (None, 0.0, 0.1, 0.1 + 0.2, 0.3, 0.999, 1.0)
    assert [one.total for one in score_bins(map(with_score, given_scores))] == [1, 1, 0, 2, 0, 0, 0, 0, 0, 2]


@given(st.lists(st.floats(0, 1e5), min_size=1, max_size=20))
def test_every_time_is_in_one_bin(times: list[float]) -> None:
    verdicts = [DOCUMENTS[0].model_copy(update={"wall_seconds": value}) for value in times]
    bins = time_bins(verdicts)
    assert sum(one.total for one in bins) == len(times)
    assert len(bins) <= 15
    assert all(before.high == after.low for before, after in pairwise(bins))
    assert bins[-1].high > max(times)


def test_rates_leave_errors_out() -> None:
    found = rates(DOCUMENTS, lambda verdict: (verdict.target or "", "all"))
    whole = next(rate for rate in found if rate.name == "all")
    counts = Counter(verdict.verdict for verdict in DOCUMENTS)
    judged = counts["passed"] + counts["failed"]
    assert (whole.passed, whole.judged, whole.errors) == (counts["passed"], judged, counts["error"])
    shares = [rate.passed / rate.judged for rate in found]
    assert shares == sorted(shares)


def test_the_mean_leaves_errors_out_and_says_how_many() -> None:
    verdicts = [graded("a", check("t", 0.5)), graded("b", check("t", 1.0), check("judge", None, "401"))]
    found = figures(list(map(document, verdicts)))
    assert (found.mean_score, found.scored) == (0.5, 1)


def test_figures() -> None:
    found = figures(DOCUMENTS)
    assert found.counts.total() == 200
    assert found.elapsed_seconds == pytest.approx(199 * 0.9, abs=40)
    assert found.median_seconds < found.slow_seconds
    assert figures([]).mean_score is None


def test_repeats_of_one_submission_are_a_group_and_others_are_none() -> None:
    twice = [
        replace(graded("a", check("t", score), check("u", 1.0)), repeat=repeat)
        for repeat, score in ((1, 1.0), (2, 0.0))
    ]
    (group,) = repeated(map(document, [*twice, graded("b", check("t", 1.0))]))
    assert (group.first.case, dict(group.counts)) == ("a", {"passed": 1, "failed": 1})
    assert (group.differing, group.agree) == (("t",), False)
