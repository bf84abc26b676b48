"""What tests of the formats of test reports share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gradebox.graders.runners.test_reports.test_report import CutOff, Report, Unreadable

Parse = Callable[[bytes], Report]


def shown(report: Report) -> str:
    signs = {"passed": "+", "failed": "-", "skipped": "~", "not_loaded": "!"}
    return " ".join(f"{signs[test.state]}{test.full_name}" for test in report.tests)


def assert_says(parse: Parse, data: bytes, said: str) -> None:
    report = parse(data)
    assert shown(report) == said
    assert (report.lost, report.cut_off) == (0, "")
    assert report.shows_failure == any(word.startswith(("-", "!")) for word in said.split())


def assert_cut_off(parse: Parse, data: bytes) -> None:
    with pytest.raises(CutOff):
        parse(data)


def assert_refused(parse: Parse, data: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=why) as refused:
        parse(data)
    assert not isinstance(refused.value, CutOff)
    assert len(str(refused.value)) < 250
