"""Where outputs first differ is shown with both sides."""

from __future__ import annotations

from fabricated import check, graded

from gradebox.graders.model.verdict_document import document
from gradebox.graders.reports.html_report.article import ShownDifference
from gradebox.graders.reports.viewer.first_differences import from_expected, from_other_run, limited
from gradebox.graders.runs.saved_evidence import Output, SavedStep


def step(name: str, out: bytes, err: bytes = b"") -> SavedStep:
    outputs = (Output(len(out), out), Output(len(err), err))
    return SavedStep("c", "check", name, ("x",), True, "", "exited", 0, None, 0.1, "", {}, *outputs)


def test_the_first_test_that_differs_from_what_was_expected() -> None:
    rows = [
        {"test": "one", "expected": "7", "actual": "7"},
        {"test": "two", "expected": "7", "actual": "12", "reason": "line 1"},
        {"test": "three", "expected": "7", "actual": "13"},
    ]
    verdict = document(graded("a", check("io", 0.5, "no", details={"tests": rows, "other": 5, "list": [1, "x"]})))
    assert list(from_expected(verdict)) == [ShownDifference("io, two, line 1", [("expected", "7"), ("actual", "12")])]


def test_details_of_any_shape_are_no_error_and_limited() -> None:
    rows = [{"expected": ["x"] * 5000, "actual": None, "name": {"a": 1}}]
    verdict = document(graded("a", check("io", 0.5, "no", details={"tests": rows, "groups": [{"expected": None}]})))
    found = list(from_expected(verdict))
    assert len(found) == 1
    assert [len(text) for _, text in found[0].sides] == [2000, 0]


def test_commands_of_the_same_name_in_two_runs() -> None:
    now = [step("a", b"1\n2\n"), step("b", b"same"), step("new", b"x"), step("c", b"", b"warned\n")]
    then = [step("a", b"1\n3\n"), step("b", b"same"), step("c", b"", b"")]
    found = list(from_other_run("now", now, "then", then))
    assert [one.where for one in found] == ["a, stdout, line 2, column 1", "c, stderr, line 1 is too much"]
    assert found[0].sides == [("then", "3"), ("now", "2")]


def test_no_more_than_a_page_shows() -> None:
    assert len(limited(ShownDifference(str(number), []) for number in range(1000))) == 6
