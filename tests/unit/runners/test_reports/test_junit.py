"""Test reports in JUnit XML."""

from __future__ import annotations

import pytest
from report_checks import assert_cut_off, assert_refused, assert_says
from report_samples import BUN, JUNIT

from gradebox.graders.runners.test_reports import test_report
from gradebox.graders.runners.test_reports.junit import parse

REFUSED = [
    (b"hello", "not XML"),
    (b"<html/>", "begins with <html>"),
    (b"<testsuites></testsuite>", "not XML"),
    (b"<testsuites/><testsuites/>", "not XML"),
    (b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuites/>', "document type"),
    (b'<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><testsuite name="&c;"/>', "document type"),
    (b'<testsuite name="&x;"/>', "not XML"),
    (b'<?xml version="1.0" encoding="zlib"?><testsuites/>', "encoding"),
    (b'<?xml version="1.0" encoding="utf-7"?><testsuites/>', "encoding"),
    (b"<testsuite>" * (test_report.MAX_DEPTH + 1), "deep"),
    (b"<testsuite>" + b"<testcase/>" * (test_report.MAX_TESTS + 1) + b"</testsuite>", "more than"),
]


@pytest.mark.parametrize(("data", "said"), JUNIT.values(), ids=JUNIT)
def test_a_report_says_what_became_of_each_test(data: bytes, said: str) -> None:
    assert_says(parse, data, said)


@pytest.mark.parametrize(
    "data", [b"", b" \n", b"<", b"<testsuites", b"<testsuites>", BUN[:-1], BUN[:400], b"<?xml version='1.0'?>"]
)
def test_a_report_that_ends_early_is_told_from_one_that_is_none(data: bytes) -> None:
    assert_cut_off(parse, data)


@pytest.mark.parametrize(("data", "why"), REFUSED)
def test_what_is_no_report_is_refused_with_its_reason(data: bytes, why: str) -> None:
    assert_refused(parse, data, why)
