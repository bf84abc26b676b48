"""What a candidate may see of each kind of check, from verdicts and evidence as real runs have them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fabricated import capture, check, graded, step, write

from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.graders.model.verdict import DEFAULT_SHOWN, HIDDEN, CheckResult, Seen, Shown, Visibility
from gradebox.graders.reports.candidate_report.candidate_record import (
    IN_PROCESS,
    SERVICES,
    UNSEEN_INPUT,
    CandidateCheck,
    CandidateGroup,
    CandidateRecord,
    candidate_record,
)
from gradebox.sandbox.types import Ending

DEFAULT = Seen(Visibility.VISIBLE, DEFAULT_SHOWN)
EVERYTHING = Seen(Visibility.VISIBLE, tuple(Shown))


def record(root: Path, *checks: CheckResult, after: bool = False, **changes: Any) -> CandidateRecord:
    run = write(root, [graded("case", *checks, **changes)])
    (verdict,) = run.verdicts.values()
    return candidate_record(run, verdict, after=after)


def only(root: Path, one: CheckResult, *, after: bool = False) -> CandidateCheck:
    (shown,) = record(root, one, after=after).checks
    return shown


def io(seen: Seen, *rows: Mapping[str, Any], **changes: Any) -> CheckResult:
    steps = [
        step(one["test"], "no end", role="test", stdout=capture(b"half an answer"), ending=one["ending"])
        for one in rows
    ]
    details = {"tests": [{name: value for name, value in row.items() if name != "ending"} for row in rows]}
    given = {"type": "io", "judged": "apart", "seen": seen, "details": details} | changes
    return check("sums", 0.5, "a: WA, expected '7'", *steps, **given)


def row(name: str, verdict: str = "WA", ending: Ending = Ending.EXITED) -> dict[str, Any]:
    told = {"reason": "expected '7', got '6'", "input": "3 4", "expected": "7"}
    return {"test": name, "verdict": verdict, "ending": ending} | told


def test_a_check_that_says_nothing_shows_its_name_verdict_and_points(tmp_path: Path) -> None:
    ran = step("tests", "x", stdout=capture(b"f(3)"))
    found = only(tmp_path, check("tests", 0.0, "assert f(3) == 7", ran, seen=DEFAULT, weight=4.0))
    assert found == CandidateCheck("tests", "failed", 0.0, 4.0)


def test_a_hidden_check_counts_only_in_the_sum(tmp_path: Path) -> None:
    seen, hidden = check("a", 1.0, seen=DEFAULT, weight=2.0), check("b", 0.5, seen=HIDDEN, weight=6.0)
    found = record(tmp_path, seen, hidden)
    assert [one.name for one in found.checks] == ["a"]
    assert (found.points, found.of) == (5.0, 8.0)
    assert (found.hidden_checks, found.hidden_points, found.hidden_of) == (1, 3.0, 6.0)
    assert record(tmp_path / "2", check("a", None, seen=HIDDEN)).hidden_points is None


def test_a_name_that_is_not_shown_becomes_a_number(tmp_path: Path) -> None:
    found = only(tmp_path, check("secret", 1.0, seen=Seen(Visibility.VISIBLE, (Shown.VERDICT,))))
    assert (found.name, found.verdict) == ("check 1", "passed")
    unsaid = only(tmp_path / "2", check("secret", 1.0, seen=Seen(Visibility.VISIBLE, (Shown.NAME,))))
    assert (unsaid.verdict, unsaid.points, unsaid.of) == ("", None, None)


@pytest.mark.parametrize("after", [False, True])
def test_what_is_visible_afterwards_is_hidden_before(tmp_path: Path, after: bool) -> None:
    found = record(tmp_path, check("later", 1.0, seen=Seen(Visibility.AFTER, DEFAULT_SHOWN)), after=after)
    assert len(found.checks) == after
    assert found.hidden_checks == (not after)


def test_a_visible_grader_that_ran_apart_shows_its_message_and_output(tmp_path: Path) -> None:
    ran = step("tests", "exit status 1", stdout=capture(b"1 failed\x1b[31m"), stderr=capture(b"E  assert"))
    found = only(tmp_path, check("tests", 0.0, "exit status 1", ran, seen=EVERYTHING, judged="apart"))
    assert (found.message, found.output, found.withheld) == ("exit status 1", "1 failed\nE  assert", "")


def test_output_of_a_check_in_one_process_is_withheld_and_that_is_said(tmp_path: Path) -> None:
    ran = step("tests", "exit status 1", stdout=capture(b"the tests: 42"))
    found = only(tmp_path, check("tests", 0.0, "last words: 42", ran, seen=EVERYTHING, judged="in-process"))
    assert (found.message, found.output, found.withheld) == ("", "", IN_PROCESS)


def test_output_is_withheld_where_hidden_tests_use_the_same_services(tmp_path: Path) -> None:
    ran = step("tests", "exit status 1", stdout=capture(b"rows of a hidden test"))
    graders = check("tests", 0.0, "x", ran, seen=EVERYTHING, judged="apart")
    seen = DEFAULT.with_parts(tests={"a": EVERYTHING}, groups={})
    found = record(tmp_path, graders, io(seen, row("a")), services={"db": "sha256:1"})
    one, other = found.checks
    assert (one.message, one.output, one.withheld) == ("", "", SERVICES)
    assert (other.tests[0].output, other.tests[0].message, other.tests[0].withheld) == ("", "", SERVICES)


def test_what_kept_a_check_from_running_is_not_said(tmp_path: Path) -> None:
    found = only(tmp_path, check("tests", 0.0, "not run: setup failed (key is 42)", seen=EVERYTHING))
    assert found.message == ""
    assert only(tmp_path / "2", check("tests", None, "no tool 42", seen=EVERYTHING)).message == ""


def test_a_sample_of_a_program_shows_everything_and_other_tests_are_counted(tmp_path: Path) -> None:
    seen = DEFAULT.with_parts(tests={"a": EVERYTHING}, groups={})
    found = only(tmp_path, io(seen, row("a"), row("b")))
    (test,) = found.tests
    assert (test.name, test.verdict, test.input, test.expected) == ("a", "wrong answer", "3 4", "7")
    assert (test.message, test.output, test.withheld) == ("expected '7', got '6'", "half an answer", "")
    assert (found.message, found.output, found.hidden_tests) == ("", "", 1)


def test_partial_output_of_a_test_that_timed_out_is_shown(tmp_path: Path) -> None:
    seen = DEFAULT.with_parts(tests={"a": EVERYTHING}, groups={})
    (test,) = only(tmp_path, io(seen, row("a", "TLE", Ending.TIMED_OUT))).tests
    assert (test.verdict, test.output) == ("time limit exceeded", "half an answer")


def test_output_is_withheld_where_the_input_is_hidden(tmp_path: Path) -> None:
    without = Seen(Visibility.VISIBLE, (Shown.NAME, Shown.OUTPUT, Shown.MESSAGE))
    (test,) = only(tmp_path, io(DEFAULT.with_parts(tests={"a": without}, groups={}), row("a"))).tests
    assert (test.output, test.withheld, test.message, test.verdict) == ("", UNSEEN_INPUT, "", "")


def test_a_message_that_names_what_was_expected_needs_it_to_be_seen(tmp_path: Path) -> None:
    without = Seen(Visibility.VISIBLE, (Shown.NAME, Shown.VERDICT, Shown.INPUT, Shown.MESSAGE))
    (test,) = only(tmp_path, io(DEFAULT.with_parts(tests={"a": without}, groups={}), row("a"))).tests
    assert (test.verdict, test.message, test.expected) == ("wrong answer", "", "")


def test_groups_show_their_points(tmp_path: Path) -> None:
    groups = [{"group": "small", "points": 2.0, "of": 5.0}, {"group": "large", "points": 0.0, "of": 5.0}]
    seen = DEFAULT.with_parts(tests={}, groups={"small": DEFAULT})
    assert only(tmp_path, io(seen, details={"groups": groups})).groups == (CandidateGroup("small", 2.0, 5.0),)


def test_a_failed_build_is_shown_and_no_test(tmp_path: Path) -> None:
    built = step("sums build", "x", role="build", argv=("cc",), stderr=capture(b"main.c:1: error"))
    given: dict[str, Any] = {"type": "io", "judged": "apart", "seen": EVERYTHING}
    assert only(tmp_path, check("sums", 0.0, "CE: secret", built, **given)).output == "main.c:1: error"


def test_an_item_shows_its_source_and_not_that_of_others(tmp_path: Path) -> None:
    ran = [
        step(name, "exit status 1", role="item", argv=("python3", "-", f"assert {name}"), stderr=capture(name.encode()))
        for name in ("seen", "other")
    ]
    given: dict[str, Any] = {"type": "unit-tests", "judged": "apart"}
    seen = DEFAULT.with_parts(tests={"seen": EVERYTHING}, groups={})
    found = only(tmp_path, check("items", 0.0, "0 of 2 passed", *ran, seen=seen, **given))
    (test,) = found.tests
    assert (test.input, test.output, test.message) == ("assert seen", "seen", "exit status 1")
    assert found.hidden_tests == 1


def test_why_there_are_no_points_is_said_without_names(tmp_path: Path) -> None:
    missed = check("secret", 0.0, "42", required=True, seen=HIDDEN)
    found = record(tmp_path, missed, check("a", 1.0, seen=DEFAULT), told=("It was moved.",))
    assert found.points == 0
    assert found.told == ("It was moved.", "A required check failed, so the submission gets no points.")
    bent = Tampering(TamperingKind.TOKEN_MISSING, "it printed 42", "42")
    tampered = record(tmp_path / "2", check("secret", 1.0, seen=HIDDEN, tampering=(bent,)))
    assert "42" not in repr(tampered)
    assert "interfered" in tampered.told[0]
