"""What candidates may see as Markdown: a table of checks, and what visible tests that failed show."""

from __future__ import annotations

from gradebox.graders.reports.candidate_report.candidate_markdown import candidate_markdown, counted_results
from gradebox.graders.reports.candidate_report.candidate_record import CandidateCheck, CandidateRecord, CandidateTest

TESTS = (
    CandidateTest("right", "accepted", "1", "1", "1"),
    CandidateTest("wrong", "wrong answer", "3 4", "6 @all", "7", "line 1", ""),
    CandidateTest("unseen", "run-time error", withheld="It is withheld"),
)
CHECK = CandidateCheck("sums", "failed", 1.0, 3.0, "a | b", tests=TESTS, hidden_tests=2)
RECORD = CandidateRecord("case", "anna", "failed", 1.0, 4.0, ("It was moved",), (CHECK,), 1, 0.0, 1.0)


def test_a_result_has_its_checks_and_the_tests_that_failed() -> None:
    text = "".join(candidate_markdown([RECORD], 10_000))
    assert "1 of 4 points" in text
    assert "- It was moved" in text
    assert "| <code>sums</code> | failed | 1 of 3 points | a &#124; b&#59; hidden tests&#58; 2 |" in text
    assert "| hidden checks: 1 | | 0 of 1 points | |" in text
    assert "```text\n 6 @all\n```" in text
    assert "<code>right</code>" not in text
    assert "It is withheld" in text


def test_what_does_not_fit_is_omitted_without_a_word_of_commands_of_authors() -> None:
    text = "".join(candidate_markdown([RECORD] * 50, 4000))
    assert len(text.encode()) <= 4000
    assert text.endswith("The rest is omitted for its size.\n")


def test_results_are_counted() -> None:
    assert counted_results([RECORD, RECORD]) == "2 failed"
    assert counted_results([]) == "no results"
