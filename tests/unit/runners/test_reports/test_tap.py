"""Test reports in the Test Anything Protocol."""

from __future__ import annotations

import pytest
from report_checks import assert_cut_off, assert_refused, assert_says, shown
from report_samples import TAP

from gradebox.graders.runners.test_reports import test_report
from gradebox.graders.runners.test_reports.tap import parse

REFUSED = [
    (b"2 passed in 0.1 s\n", "no line of TAP"),
    (b"1..1\nok\nok\n", "its plan says 1"),
    (b"1..1\nok\n1..1\n", "two plans"),
    (b"".join(b" " * (4 * depth) + b"ok\n" for depth in range(test_report.MAX_DEPTH + 1)), "deep"),
    (b"ok\n" * (test_report.MAX_TESTS + 1), "more than"),
]


@pytest.mark.parametrize(("data", "said"), TAP.values(), ids=TAP)
def test_a_report_says_what_became_of_each_test(data: bytes, said: str) -> None:
    assert_says(parse, data, said)


@pytest.mark.parametrize("data", [b"", b"\n", b"TAP version 13\n", b"# Subtest: a\n"])
def test_a_report_that_ends_early_is_told_from_one_that_is_none(data: bytes) -> None:
    assert_cut_off(parse, data)


@pytest.mark.parametrize(("data", "why"), REFUSED)
def test_what_is_no_report_is_refused_with_its_reason(data: bytes, why: str) -> None:
    assert_refused(parse, data, why)


@pytest.mark.parametrize(
    ("data", "said", "lost", "why"),
    [
        (b"1..3\nok 1 - a\n", "+a", 2, "2 of the tests"),
        (b"TAP version 13\nok 1 - a\n", "+a", 0, "its plan is missing"),
        (b"1..3\nok 1 - a\nBail out! no engine\nok 2 - b\n", "+a", 2, "bailed out"),
        (b"Bail out!", "", 0, "bailed out"),
        (b"ok 1 - a\n    not ok 1 - b\n        ok 1 - c\n", "+a -b +c", 0, "has not ended"),
        (b"    1..5\n    ok 1 - b\nok 1 - a\n1..1\n", "+a::b", 4, "4 of the tests"),
        (b"1..999999999\nok 1 - a\n", "+a", 999_999_998, "999999998 of the tests"),
    ],
)
def test_a_report_that_is_not_complete_says_how_far_it_came(data: bytes, said: str, lost: int, why: str) -> None:
    report = parse(data)
    assert (shown(report), report.lost, report.shows_failure) == (said, lost, True)
    assert why in report.cut_off
