"""The parts of the HTML report that compute: colours of terminals, numbers, bins, rates, commands to run again."""

from __future__ import annotations

import shlex
from collections import Counter
from itertools import pairwise
from pathlib import PurePath
from typing import Any

import pytest
from fabricated import graded, many
from hypothesis import given
from hypothesis import strategies as st

from graders.model.verdict_document import VerdictDocument, document
from graders.reports import wording as amounts
from graders.reports.html_report.ansi import coloured
from graders.reports.html_report.figures import (
    Rate,
    rates,
    score_bins,
    time_bins,
    totals,
)
from graders.reports.html_report.rerun import Commands

DOCUMENTS = list(map(document, many(200)))


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m.", '<span class="fg1">red</span>.'),
        ("\x1b[31mred\x1b[m.", '<span class="fg1">red</span>.'),
        ("\x1b[1;32mok\x1b[22m thin", '<span class="a-bold fg2">ok</span><span class="fg2"> thin</span>'),
        ("\x1b[91;104mx\x1b[39;49my", '<span class="fg9 bg12">x</span>y'),
        ("\x1b[7;31mx\x1b[27my", '<span class="a-inverse bg1">x</span><span class="fg1">y</span>'),
        ("\x1b[3;4;9mx\x1b[23;24;29my", '<span class="a-italic a-struck a-underline">x</span>y'),
        ("\x1b[38;5;9mx", '<span class="fg9">x</span>'),
        ("\x1b[38;5;196mx", '<span class="fg9">x</span>'),
        ("\x1b[48;5;240mx", '<span class="bg8">x</span>'),
        ("\x1b[38;2;0;200;10mx", '<span class="fg2">x</span>'),
        ("\x1b[38:5:2mx", '<span class="fg2">x</span>'),
        ("\x1b[38;5mx", "x"),
        ("\x1b[38;5;999mx", "x"),
        ("\x1b[38;2;1mx", "x"),
        ("\x1b[38mx", "x"),
        ("\x1b[38;2;999;0;0mx", '<span class="fg9">x</span>'),
        ("\x1b[5;999mx", "x"),
        ("a\r\nb", "a\nb"),
        ("a\rb", 'a<span class="ctl">\\x0d</span>b'),
        ("\x1b[2Jx", '<span class="ctl">\\x1b</span>[2Jx'),
        ("\x1b]0;t\x07", '<span class="ctl">\\x1b</span>]0;t<span class="ctl">\\x07</span>'),
        ("\x1b[31", '<span class="ctl">\\x1b</span>[31'),
        ("\x1b[<b>m", '<span class="ctl">\\x1b</span>[&lt;b&gt;m'),
        ("\x1b[31m\x1b[32m", ""),
        ("\x1b[31m<b>&", '<span class="fg1">&lt;b&gt;&amp;</span>'),
        ("\0\0\0a\u202e", '<span class="ctl">\\x00\\x00\\x00</span>a<span class="ctl">\\u202e</span>'),
        ("\x1b[" + "1;" * 40 + "1mx", '<span class="ctl">\\x1b</span>[' + "1;" * 40 + "1mx"),
    ],
)  # fmt: skip
def test_what_a_terminal_would_colour(printed: str, shown: str) -> None:
    assert coloured(printed) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0.00 s"), (0.314, "0.31 s"), (9.99, "9.99 s"), (12.34, "12.3 s"), (59.94, "59.9 s"), (59.96, "1 min 0 s"),
     (75, "1 min 15 s"), (3599.6, "1 h 0 min"), (7384, "2 h 3 min")],
)  # fmt: skip
def test_durations(seconds: float, shown: str) -> None:
    assert amounts.seconds(seconds) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (10240, "10 KiB"),
        (5 * 2**20, "5.0 MiB"),
        (3 * 2**50, "3072 TiB"),
    ],
)
def test_sizes(count: int, shown: str) -> None:
    assert amounts.size(count) == shown


@pytest.mark.parametrize(("count", "shown"), [(0, "0"), (999, "999"), (1000, "1k"), (2500, "2.5k"), (40_000, "40k")])
def test_scales(count: int, shown: str) -> None:
    assert amounts.short(count) == shown


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [(0, 9, "0 %"), (1, 900, "< 1 %"), (1, 3, "33 %"), (899, 900, "> 99 %"), (9, 9, "100 %")],
)
def test_shares_never_round_to_all_or_nothing(part: int, whole: int, shown: str) -> None:
    assert amounts.percent(part, whole) == shown


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


@pytest.mark.parametrize(
    ("passed", "judged", "low", "high"),
    # The interval of 15 of 50 is a textbook's: 0.191 to 0.438.
    [(15, 50, 0.191, 0.438), (0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (0, 0, 0.0, 1.0)],
)
def test_intervals_of_rates(passed: int, judged: int, low: float, high: float) -> None:
    assert Rate("x", passed, judged, 0).interval == pytest.approx((low, high), abs=5e-4)


def test_totals() -> None:
    found = totals(DOCUMENTS)
    assert found.counts.total() == 200
    assert found.elapsed is not None
    assert found.elapsed.total_seconds() == pytest.approx(199 * 0.9, abs=40)
    assert found.median_seconds < found.slow_seconds
    assert totals([]).mean_score is None


ASKED: dict[str, Any] = {"cases": ["/b/suite.yaml"], "submissions": ["/w/model a", "/w/fix.diff"], "profile": "default"}


@pytest.mark.parametrize(
    ("case", "submission", "asked", "expected"),
    [
        ("a", "model a", {}, ["--case", "/b/suite.yaml", "-k", "a", "--submission", "/w/model a"]),
        ("a", "fix", {}, ["--case", "/b/suite.yaml", "-k", "a", "--submission", "/w/fix.diff"]),
        ("a*[", "fix", {}, ["--case", "/b/suite.yaml", "-k", "a[*][[]", "--submission", "/w/fix.diff"]),
        (
            "a",
            "gone",
            {},
            ["--case", "/b/suite.yaml", "-k", "a", "--submission", "/w/model a", "--submission", "/w/fix.diff"],
        ),
        (
            "a",
            "reference",
            {"submissions": [], "reference": True},
            ["--case", "/b/suite.yaml", "-k", "a", "--reference"],
        ),
        (
            "a",
            "t",
            {"submissions": [], "targets": "/t.yaml", "profile": "strict", "runtime": "runsc"},
            ["--case", "/b/suite.yaml", "-k", "a", "--targets", "/t.yaml", "--runtime", "runsc", "--profile", "strict"],
        ),
        (
            "a",
            "x",
            {"submissions": ["/1/x", "/2/x"]},
            ["--case", "/b/suite.yaml", "-k", "a", "--submission", "/1/x", "--submission", "/2/x"],
        ),
        ("a", "stdin", {"submissions": ["-"]}, None),
        ("a", "x", {"cases": None}, None),
        ("a", "x", {"cases": [{}], "submissions": 7}, None),
        ("a", "none of them", {"submissions": [f"/w/{number}" for number in range(21)]}, None),
    ],
)
def test_how_to_grade_it_once_more(
    case: str, submission: str, asked: dict[str, Any], expected: list[str] | None
) -> None:
    commands = Commands(PurePath("runs/x"), ASKED | asked)
    found = commands.rerun(document(graded(case, submission=submission)))
    assert (None if found is None else shlex.split(found)) == (None if expected is None else ["grade", *expected])


def test_how_to_show_it() -> None:
    verdict = document(graded("it's", submission="; rm -rf /"))
    shown = Commands(PurePath("runs/a b"), {}).show(verdict)
    assert shlex.split(shown) == ["grade", "show", "runs/a b", "it's", "--submission", "; rm -rf /"]
