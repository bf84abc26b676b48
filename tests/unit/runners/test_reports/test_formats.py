"""Test reports: what each format says, and that nothing in a file of the candidate's raises anything else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from report_samples import BUN, CTRF, JUNIT, TAP

from graders.runners.test_reports import (
    FORMATS,
    CutOff,
    Report,
    Unreadable,
    test_report,
)

TABLE = [
    pytest.param(format_, data, said, id=f"{format_}, {name}")
    for format_, rows in (("junit", JUNIT), ("ctrf", CTRF), ("tap", TAP))
    for name, (data, said) in rows.items()
]


def shown(report: Report) -> str:
    signs = {"passed": "+", "failed": "-", "skipped": "~"}
    return " ".join(f"{signs[test.state]}{test.full_name}" for test in report.tests)


@pytest.mark.parametrize(("format_", "data", "said"), TABLE)
def test_a_report_says_what_became_of_each_test(format_: str, data: bytes, said: str) -> None:
    report = FORMATS[format_](data)
    assert shown(report) == said
    assert (report.lost, report.cut_off) == (0, "")
    assert report.shows_failure == any(word.startswith("-") for word in said.split())


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
def test_a_tap_report_that_is_not_whole_says_how_far_it_came(data: bytes, said: str, lost: int, why: str) -> None:
    report = FORMATS["tap"](data)
    assert (shown(report), report.lost, report.shows_failure) == (said, lost, True)
    assert why in report.cut_off


@pytest.mark.parametrize(
    ("format_", "data"),
    [
        *[
            ("junit", data)
            for data in (
                b"",
                b" \n",
                b"<",
                b"<testsuites",
                b"<testsuites>",
                BUN[:-1],
                BUN[:400],
                b"<?xml version='1.0'?>",
            )
        ],
        *[
            ("ctrf", data)
            for data in (b"", b" ", b"{", b'{"results": {"tests": [{"name": "a', b'{"results": {"tests": []}')
        ],
        *[("tap", data) for data in (b"", b"\n", b"TAP version 13\n", b"# Subtest: a\n")],
    ],
)
def test_a_report_that_ends_early_is_told_from_one_that_is_none(format_: str, data: bytes) -> None:
    with pytest.raises(CutOff):
        FORMATS[format_](data)


@pytest.mark.parametrize(
    ("format_", "data", "why"),
    [
        ("junit", b"hello", "not XML"),
        ("junit", b"<html/>", "begins with <html>"),
        ("junit", b"<testsuites></testsuite>", "not XML"),
        ("junit", b"<testsuites/><testsuites/>", "not XML"),
        ("junit", b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuites/>', "document type"),
        ("junit", b'<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><testsuite name="&c;"/>', "document type"),
        ("junit", b'<testsuite name="&x;"/>', "not XML"),
        ("junit", b'<?xml version="1.0" encoding="zlib"?><testsuites/>', "encoding"),
        ("junit", b'<?xml version="1.0" encoding="utf-7"?><testsuites/>', "encoding"),
        ("junit", b"<testsuite>" * (test_report.MAX_DEPTH + 1), "deep"),
        ("junit", b"<testsuite>" + b"<testcase/>" * (test_report.MAX_TESTS + 1) + b"</testsuite>", "more than"),
        ("ctrf", b"hello", "not JSON"),
        ("ctrf", b"[]", "no CTRF report"),
        ("ctrf", b'{"results": {"tests": {}}}', "no CTRF report"),
        ("ctrf", b'{"results": {"tests": [1]}}', "no name"),
        ("ctrf", b'{"results": {"tests": [{"name": 1, "status": "passed"}]}}', "no name"),
        ("ctrf", b'{"results": {"tests": [{"name": "a", "status": "PASS"}]}}', "none of the states"),
        ("ctrf", b'{"results": {"tests": [{"name": "a", "status": ["passed"]}]}}', "none of the states"),
        ("ctrf", b'{"results": {"tests": [' + b"{}," * test_report.MAX_TESTS + b"{}]}}", "more than"),
        ("ctrf", b'{"results": NaN}', "not a number"),
        ("ctrf", b'{"results": 1e999}', "too large"),
        ("ctrf", b"1" * 5000, "not JSON"),
        ("ctrf", b"[" * 100_000 + b"]" * 100_000, "too deeply"),
        ("ctrf", b"\xff", "not JSON"),
        ("tap", b"2 passed in 0.1 s\n", "no line of TAP"),
        ("tap", b"1..1\nok\nok\n", "its plan says 1"),
        ("tap", b"1..1\nok\n1..1\n", "two plans"),
        ("tap", b"".join(b" " * (4 * depth) + b"ok\n" for depth in range(test_report.MAX_DEPTH + 1)), "deep"),
        ("tap", b"ok\n" * (test_report.MAX_TESTS + 1), "more than"),
    ],
)
def test_what_is_no_report_is_refused_with_its_reason(format_: str, data: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=why) as refused:
        FORMATS[format_](data)
    assert not isinstance(refused.value, CutOff)
    assert len(str(refused.value)) < 250


MARKUP = "<testsuites>|</testsuites>|<testsuite errors='1'>|</testsuite>|<testcase name='a'>|</testcase>|<failure/>"
MORE_MARKUP = "<skipped type='todo'/>|<?xml version='1.0' encoding='utf-16'?>|<!DOCTYPE a>|&#0;|<![CDATA["
JSON = '{"results":|{"tests":[|{"name":"a","status":"failed"}|,|]}}|1e9999|"\\ud800"|Infinity'
LINES = "ok|not ok 1 - a|1..2|\n|    |  ---\n|  ...\n| # TODO|\\#|Bail out!|1..999999999999\n"
WORDS = st.sampled_from(f"{MARKUP}|{MORE_MARKUP}|{JSON}|{LINES}".split("|")).map(str.encode)


@pytest.mark.parametrize("parse", FORMATS.values(), ids=FORMATS)
@given(data=st.one_of(st.binary(max_size=200), st.lists(WORDS, max_size=40).map(b"".join)))
@example(data=b"\x00")
def test_arbitrary_bytes_raise_nothing_but_that_they_are_unreadable(
    parse: Callable[[bytes], Report], data: bytes
) -> None:
    try:
        report = parse(data)
    except Unreadable:
        return
    assert report.lost >= 0
    assert len(report.tests) <= len(data)
