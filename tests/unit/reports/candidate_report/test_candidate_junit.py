"""What candidates may see as JUnit XML: readers count each check and each visible test."""

from __future__ import annotations

from junitparser import JUnitXml

from gradebox.graders.reports.candidate_report.candidate_junit import candidate_junit
from gradebox.graders.reports.candidate_report.candidate_record import CandidateCheck, CandidateRecord, CandidateTest


def test_checks_tests_and_the_verdict_are_test_cases() -> None:
    tests = (CandidateTest("a", "accepted"), CandidateTest("b", "wrong answer", "3 4", "6 [[ATTACHMENT|x]]", "7"))
    checks = (
        CandidateCheck("sums", "failed", 1.0, 2.0, tests=tests),
        CandidateCheck("style", "not judged"),
        CandidateCheck("broken", "could not be graded"),
    )
    record = CandidateRecord("case", "anna/1", "failed", 1.0, 2.0, checks=checks)
    (suite,) = JUnitXml.fromstring("".join(candidate_junit([record])).encode())
    assert suite.name == "case , anna,1"
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (6, 3, 1, 1)
    names = [case.name for case in suite]
    assert names == ["sums", "sums: a", "sums: b", "style", "broken", "verdict"]
    wrong = next(case for case in suite if case.name == "sums: b")
    assert "input:\n3 4\nexpected:\n7" in wrong.result[0].text
    assert wrong.system_out.startswith("6 ")
    assert "[[ATTACHMENT" not in wrong.system_out
