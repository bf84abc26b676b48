"""What an adapter's report makes of the exit status of a test runner, and of its test report."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from weakened_defences import Defence, switched_off

from gradebox.graders.model.plan import Role, Step
from gradebox.graders.model.tampering import TamperingKind
from gradebox.graders.runners import runners
from gradebox.graders.runners.runner_report import RunnerJudgment, RunnerReport, judge, overstated, read
from gradebox.sandbox.types import Capture, Ending, Outcome


def step(*argv: str) -> Step:
    return Step(Role.CHECK, "c", ("wrapped",), "/workspace", 5.0, token="aa" * 16, shown=argv or ("pytest",))


def ended(status: int | None, *lines: str, token: str = "aa" * 16) -> Outcome:
    text = "".join(f"{token} {line}\n" for line in lines).encode()
    ending = Ending.SIGNALLED if status is None else Ending.EXITED
    return Outcome(ending, status, report=Capture(text, total_bytes=len(text)))


def cut(outcome: Outcome) -> Outcome:
    """Return the same with a part of its report lost."""
    return replace(outcome, report=replace(outcome.report, total_bytes=outcome.report.total_bytes + 1))


MISSING, PASSED = TamperingKind.TOKEN_MISSING, TamperingKind.CONTROL_PASSED
JUDGED = [
    ("passed", ended(0, "done 3 0"), "", []),
    ("no end", ended(0), "before the test runner had finished", [MISSING]),
    ("an ordinary exit", ended(0, "exited"), "before the test runner had finished", []),
    ("an exit without a token", replace(ended(0), report=Capture(b"exited\n", total_bytes=7)), "before", []),
    ("another token", ended(0, "done 3 0", token="bb" * 16), "before the test runner had finished", [MISSING]),
    ("no counts", ended(0, "done"), "before the test runner had finished", [MISSING]),
    ("odd counts", ended(0, "done 3 -1"), "before the test runner had finished", [MISSING]),
    ("a part lost", cut(ended(0, "done 3 0")), "before the test runner had finished", [MISSING]),
    ("failed tests", ended(0, "done 3 1"), "although tests failed", [MISSING]),
    ("no tests", ended(0, "done 0 0"), "no test was run", []),
    ("control", ended(0, "control a b", "control a b", "done 3 0"), "a control passed that must fail: a b", [PASSED]),
    ("control of a failure", ended(1, "control a", "done 3 3"), "a control passed that must fail: a", [PASSED]),
    ("control of the dead", ended(None, "control a"), "a control passed that must fail: a", [PASSED]),
    ("skipped", ended(0, "skipped t, by work.py", "done 2 0"), "skipped a test: t, by work.py", []),
    ("skipped and failed", ended(1, "skipped t", "done 2 1"), "", []),
    ("failed", ended(1, "done 3 1"), "", []),
    ("failed without an end", ended(1), "", []),
    ("signalled", ended(None), "", []),
    ("said that it is missing", ended(0, "missing pytest"), "before the test runner had finished", [MISSING]),
]


@pytest.mark.parametrize(("outcome", "reason", "kinds"), [row[1:] for row in JUDGED], ids=[row[0] for row in JUDGED])
def test_what_a_report_makes_of_an_exit_status(outcome: Outcome, reason: str, kinds: list[TamperingKind]) -> None:
    found = judge(step(), outcome)
    assert bool(found.reason) == bool(reason)
    assert reason in found.reason
    assert [seen.kind for seen in found.tampering] == kinds
    assert not found.missing


def test_a_failure_that_is_worth_something_must_be_the_runners_own() -> None:
    assert judge(step(), ended(1, "done 3 1"), needs_end=True).reason == ""
    found = judge(step(), ended(1), needs_end=True)
    assert found.reason == "exit status 1 before the test runner had finished"
    assert found.tampering == ()


@pytest.mark.parametrize(
    ("name", "outcome", "passed", "said"),
    [
        ("pytest", ended(1, "done 4 4"), 4, "4 tests passed according to the report, 0 according to the test"),
        ("pytest", ended(1, "done 4 2"), 3, "3 tests passed according to the report, 2 according"),
        ("node-test", ended(1, "done 1 3"), 1, "1 tests passed according to the report, 0 according"),
        ("pytest", ended(1, "done 4 2"), 2, ""),
        ("pytest", ended(1, "done 4 2"), 0, ""),
        ("pytest", ended(1, "done 1 3"), 0, ""),
        ("pytest", ended(1), 4, ""),
        # Their reports count in another way.
        ("unittest", ended(1, "done 4 4"), 4, ""),
        ("jest", ended(1, "done 4 4"), 4, ""),
    ],
)
def test_a_report_may_not_have_more_tests_that_passed_than_the_runner(
    name: str, outcome: Outcome, passed: int, said: str
) -> None:
    found = overstated(step(), outcome, runners()[name], passed)
    assert bool(found) == bool(said)
    assert found.startswith(said)


def test_a_program_that_the_image_lacks_is_the_shells_failure_in_a_line() -> None:
    assert judge(step(), ended(127, "missing pytest")).missing == "pytest"
    assert judge(step("sh", "-c", "pytest"), ended(127, "missing pytest")).missing == "pytest"
    assert judge(step(), ended(127, "missing pytest", token="bb" * 16)).missing == ""


@pytest.mark.parametrize(
    ("defence", "outcome"),
    [(Defence.COMPLETION_TOKEN, ended(0)), (Defence.OWN_CONTROLS, ended(0, "control a", "done 1 0"))],
)
def test_without_the_defence_nothing_is_seen(defence: Defence, outcome: Outcome) -> None:
    assert judge(step(), outcome).tampering
    with switched_off(defence):
        assert judge(step(), outcome) == RunnerJudgment()


@given(st.binary(max_size=200))
@example(b"exited")
def test_any_report_can_be_read(report: bytes) -> None:
    # The one word that needs no token.
    nothing = RunnerReport(exited=b"exited" in report.splitlines())
    assert read("aa" * 16, report) == nothing
    assert read("", report) == nothing
    line = b"aa" * 16 + b" done 2 1\n"
    # What stands before it on its line makes it none.
    found = read("aa" * 16, report + line).done
    assert found == ((2, 1) if not report or report.endswith(b"\n") else None)


def test_files_that_were_not_loaded_are_named_with_their_reason() -> None:
    found = judge(step(), ended(2, "unloaded /workspace/grading/test_a.py: no: x", "unloaded b.ts: ", "done 2 2"))
    assert found.not_loaded == {"grading/test_a.py": "no: x", "b.ts": ""}
    assert (found.reason, found.tampering, found.fault) == ("", (), "")


def test_a_module_that_is_built_in_is_the_fault_of_the_case() -> None:
    found = judge(step(), ended(0, "image time /workspace/time.py", "done 1 0"))
    assert found.fault.startswith("`time` is built into Python, so time.py was not imported;")
    assert judge(step(), ended(0, "done 1 0")).fault == ""
