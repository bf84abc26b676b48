"""What a report says, whatever its format: tests by name, and nothing but that a file cannot be read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradebox.graders.runners.test_reports.assessment import parser
from gradebox.graders.runners.test_reports.test_report import Index, Report, Reported, State, Unreadable


@pytest.mark.parametrize(
    ("pattern", "state"),
    [
        ("g::a[1*", State.FAILED),
        ("a[1*2]", State.FAILED),
        ("*", State.FAILED),
        ("g::*", State.FAILED),
        ("g::b*", State.PASSED),
        ("b*b", State.ABSENT),
        ("*b?*", State.PASSED),
        ("g::b.", State.ABSENT),
        ("a[12]", State.ABSENT),
        ("*::c", State.SKIPPED),
        ("", State.ABSENT),
    ],
)
def test_in_a_listed_name_only_a_star_is_special(pattern: str, state: State) -> None:
    tests = [
        Reported("a[1-2]", State.FAILED, "g"),
        Reported("b?", State.PASSED, "g"),
        Reported("c", State.SKIPPED, "g"),
    ]
    assert Index(tests).state(pattern) is state


@pytest.mark.parametrize(
    ("listed", "state"),
    [
        ("tests/unit/test_a.py::TestForm::test_ok[x::y/z-1]", State.PASSED),
        ("./tests/unit/test_a.py::TestForm::test_ok[x::y/z-1]", State.PASSED),
        ("tests/unit/test_a.py::TestForm::test_ok*", State.PASSED),
        ("tests.unit.test_a.TestForm::test_ok[x::y/z-1]", State.PASSED),
        ("tests/unit/test_a.py::test_plain", State.FAILED),
        ("tests/unit/test_a.py::TestForm", State.ABSENT),
        ("test_a.py::test_plain", State.ABSENT),
        ("tests/unit/test_b.py::test_any", State.NOT_LOADED),
        ("tests/unit/test_b.py::TestAny::test_any[a.b]", State.NOT_LOADED),
        ("tests.unit.test_b::test_any", State.NOT_LOADED),
        ("tests.unit.test_bc::test_any", State.ABSENT),
        ("src/b.test.ts::outer > inner", State.NOT_LOADED),
        ("src/b.test.ts", State.NOT_LOADED),
        ("a.py::as it is", State.SKIPPED),
    ],
)
def test_a_test_is_listed_as_its_runner_prints_it(listed: str, state: State) -> None:
    tests = [
        Reported("test_ok[x::y/z-1]", State.PASSED, "tests.unit.test_a.TestForm"),
        Reported("test_plain", State.FAILED, "tests.unit.test_a"),
        Reported("tests.unit.test_b", State.NOT_LOADED),
        Reported("src/b.test.ts", State.NOT_LOADED),
        Reported("as it is", State.SKIPPED, "a.py"),
    ]
    assert Index(tests).state(listed) is state


@given(st.text("ab*", max_size=6), st.text("ab", max_size=8))
def test_a_star_means_any_text(pattern: str, name: str) -> None:
    import re

    wanted = re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None
    assert (Index([Reported(name, State.PASSED)]).state(pattern) is State.PASSED) == wanted


MARKUP = "<testsuites>|</testsuites>|<testsuite errors='1'>|</testsuite>|<testcase name='a'>|</testcase>|<failure/>"
MORE_MARKUP = "<skipped type='todo'/>|<?xml version='1.0' encoding='utf-16'?>|<!DOCTYPE a>|&#0;|<![CDATA["
JSON = '{"results":|{"tests":[|{"name":"a","status":"failed"}|,|]}}|1e9999|"\\ud800"|Infinity'
LINES = "ok|not ok 1 - a|1..2|\n|    |  ---\n|  ...\n| # TODO|\\#|Bail out!|1..999999999999\n"
WORDS = st.sampled_from(f"{MARKUP}|{MORE_MARKUP}|{JSON}|{LINES}".split("|")).map(str.encode)


@pytest.mark.parametrize("parse", [parser("junit"), parser("ctrf"), parser("tap")])
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
