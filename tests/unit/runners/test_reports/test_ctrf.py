"""Test reports in the Common Test Report Format."""

from __future__ import annotations

import pytest
from report_checks import assert_cut_off, assert_refused, assert_says
from report_samples import CTRF

from gradebox.graders.runners.test_reports import test_report
from gradebox.graders.runners.test_reports.ctrf import parse

REFUSED = [
    (b"hello", "not JSON"),
    (b"[]", "not a CTRF report"),
    (b'{"results": {"tests": {}}}', "not a CTRF report"),
    (b'{"results": {"tests": [1]}}', "no name"),
    (b'{"results": {"tests": [{"name": 1, "status": "passed"}]}}', "no name"),
    (b'{"results": {"tests": [{"name": "a", "status": "PASS"}]}}', "the state of a test is not"),
    (b'{"results": {"tests": [{"name": "a", "status": ["passed"]}]}}', "the state of a test is not"),
    (b'{"results": {"tests": [' + b"{}," * test_report.MAX_TESTS + b"{}]}}", "more than"),
    (b'{"results": NaN}', "not a number"),
    (b'{"results": 1e999}', "too large"),
    (b"1" * 5000, "not JSON"),
    (b"[" * 100_000 + b"]" * 100_000, "too deeply"),
    (b"\xff", "not JSON"),
]


@pytest.mark.parametrize(("data", "said"), CTRF.values(), ids=CTRF)
def test_a_report_says_what_became_of_each_test(data: bytes, said: str) -> None:
    assert_says(parse, data, said)


@pytest.mark.parametrize("data", [b"", b" ", b"{", b'{"results": {"tests": [{"name": "a', b'{"results": {"tests": []}'])
def test_a_report_that_ends_early_is_told_from_one_that_is_none(data: bytes) -> None:
    assert_cut_off(parse, data)


@pytest.mark.parametrize(("data", "why"), REFUSED)
def test_what_is_no_report_is_refused_with_its_reason(data: bytes, why: str) -> None:
    assert_refused(parse, data, why)
