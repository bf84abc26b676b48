"""Calls are planned without what is expected of them, and judged by what came back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders import languages
from gradebox.graders.checks.calls.call import Approx, CallCheck, CallEntry, Raises
from gradebox.graders.checks.evaluation import judge, stages
from gradebox.graders.checks.text import patterns
from gradebox.graders.grading.planner import Planner
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.plan import Files, Step, User
from gradebox.graders.model.tree import Tree
from gradebox.graders.model.verdict import CheckResult, Status
from gradebox.sandbox.types import Capture, Ending, Outcome

PLACE = Place(Path("case.yaml"))


def check(*calls: CallEntry, **changes: Any) -> CallCheck:
    about = {"name": "call", "place": PLACE, "language": "python", "file": "solution.py", "entry": "f", "calls": calls}
    return CallCheck(**about | changes)


def planned(asked: CallCheck) -> Step:
    case = Case(id="case", place=PLACE, directory=Path("/case"), checks=(asked,))
    ((step,),) = (stage.steps for stage in stages(asked, case, Planner(case, Files(Tree(), Tree()))))
    return step


def judged(asked: CallCheck, *said: list[Any] | str, outcome: Outcome | None = None) -> CheckResult:
    report = b"".join(
        (each if isinstance(each, str) else json.dumps([each[0], number, *each[2:]], separators=(",", ":"))).encode()
        + b"\n"
        for number, each in enumerate(said)
    )
    ended = outcome or Outcome(Ending.EXITED, 0, report=Capture(report, total_bytes=len(report)))
    case = Case(id="case", place=PLACE, directory=Path("/case"), checks=(asked,))
    return judge(asked, case, Evidence(done=(StepOutcome(planned(asked), ended),)))


def test_the_sandbox_gets_the_arguments_and_nothing_else() -> None:
    step = planned(check(CallEntry(args=(1, {"$set": [2]}), kwargs={"x": None}, returns="secret", weight=7)))
    assert step.stdin == b"solution.py\nf\t(1, {2})\t{'x': None}\n"
    assert step.user is User.CANDIDATE
    assert not step.token
    assert "secret" not in repr((step.argv, step.env, step.mentions))


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("javascript", b'f\t[[1, null], {"a": true}, "\\n"]\n'),
        ("typescript", b'f\t[[1, null], {"a": true}, "\\n"]\n'),
        ("julia", b'f\t([1, nothing], Dict("a" => true), "\\n",)\t(;)\n'),
    ],
)
def test_a_call_is_written_in_its_language(language: str, line: bytes) -> None:
    step = planned(check(CallEntry(args=([1, None], {"a": True}, "\n")), language=language))
    assert step.stdin == b"solution.py\n" + line


def test_arguments_of_a_shell_function_are_words() -> None:
    step = planned(check(CallEntry(args=(1, "a b", "'\n\\")), language="bash"))
    assert step.stdin == b"solution.py\nf\t1 $'a b' $'\\'\\x0a\\\\'\n"


CALL = CallEntry(args=(1,), returns=2)


@pytest.mark.parametrize(
    ("asked", "said", "why"),
    [
        (CALL, ["=", 0, 2], ""),
        (CALL, ["=", 0, 2.0], ""),
        (CALL, ["=", 0, "2"], "f(1) returned '2', expected 2"),
        (CALL, ["=", 0, ["O", "Always"]], "f(1) returned Always(), expected 2"),
        (CALL, ["!", 0, ["E"], "m"], "f(1) raised E: m, expected 2"),
        (CALL, "0 did not return data: a generator", "f(1) did not return data: a generator"),
        (CALL, "", "f(1) was not answered: exit status 0"),
        (CALL, "0 took too long", "f(1) took too long"),
        (CallEntry(), ["=", 0, None], ""),
        (CallEntry(), ["=", 0, 0], "f() returned 0, expected None"),
        (CallEntry(raises=Raises(type="Base")), ["!", 0, ["E", "Base"], ""], ""),
        (CallEntry(raises=Raises(type="F")), ["!", 0, ["E"], "m"], "f() raised E: m, expected F"),
        (CallEntry(raises=Raises(match="^m")), ["!", 0, ["E"], "m"], ""),
        (CallEntry(raises=Raises(type="E", match="x")), ["!", 0, ["E"], "m"], "expected E with /x/"),
        (CallEntry(raises=Raises(type="E")), ["=", 0, 1], "f() returned 1, expected E"),
        (CallEntry(raises=Raises(type="E")), "0 was not made: its file cannot be loaded: E", "cannot be loaded"),
        (CallEntry(raises=Raises(type="AttributeError")), "0 was not made: there is no f", "there is no f"),
        (CallEntry(approx=Approx(value=[1.5])), ["=", 0, ["l", -1, "", 1.5000001]], ""),
        (CallEntry(approx=Approx(value=1.5, rel=0)), ["=", 0, 1.5001], "f() returned 1.5001, expected about 1.5"),
        (CallEntry(args=("x" * 300,), returns=1), ["=", 0, 2], "... (305 characters) returned 2"),
    ],
)  # fmt: skip
def test_what_a_call_must_come_to(asked: CallEntry, said: list[Any] | str, why: str) -> None:
    result = judged(check(asked), said)
    assert result.score == (0.0 if why else 1.0)
    assert result.judged == "apart"
    assert why in result.reason
    assert [step.passed for step in result.steps] == [not why]


def test_the_score_is_the_share_of_the_weights_and_each_failure_is_shown() -> None:
    result = judged(check(CALL, CallEntry(args=(3,), returns=4, weight=3), CALL), ["=", 0, 2], ["=", 0, 5], "")
    assert result.score == pytest.approx(0.2)
    assert result.reason == "1 of 3 calls hold; f(3) returned 5, expected 4"
    assert [(step.name, step.reason) for step in result.steps] == [
        ("f(3)", "returned 5, expected 4"), ("f(1)", "was not answered: exit status 0"),
    ]  # fmt: skip
    assert result.details["failed_calls"][0] == {"call": "f(3)", "reason": "returned 5, expected 4"}


@pytest.mark.parametrize(
    ("entry", "printed", "holds"),
    [
        (CallEntry(returns=3), "3", True),
        (CallEntry(returns="3"), "3", True),
        (CallEntry(returns=3), "3.0", False),
        (CallEntry(approx=Approx(value=3)), "3.0000001", True),
        (CallEntry(approx=Approx(value=3)), "three", False),
        (CallEntry(), "", True),
    ],
)
def test_a_shell_function_prints_text(entry: CallEntry, printed: str, holds: bool) -> None:
    assert judged(check(entry, language="bash"), ["=", 0, printed]).score == float(holds)


def test_calls_that_were_answered_count_however_the_process_ended() -> None:
    report = b'["=",0,2]\n'
    ended = Outcome(Ending.TIMED_OUT, report=Capture(report, total_bytes=len(report)), detail="It was late.")
    result = judged(check(CALL, CALL), outcome=ended)
    assert result.score == 0.5
    assert result.reason == "1 of 2 calls hold; f(1) was not answered: timed out: It was late."


def test_a_program_that_is_missing_is_an_error() -> None:
    report = b"missing python3\n"
    ended = Outcome(Ending.EXITED, 127, report=Capture(report, total_bytes=len(report)))
    result = judged(check(CALL), outcome=ended)
    assert result.status is Status.ERROR
    assert "'python3' was not found" in result.reason


def test_a_pattern_that_never_ends_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def never_ends(*_: str) -> bool:
        raise patterns.PatternFault("it took too long")

    monkeypatch.setattr(patterns, "found", never_ends)
    result = judged(check(CallEntry(raises=Raises(match="(a|aa)+$"))), ["!", 0, ["E"], "aaaa!"])
    assert result.status is Status.ERROR
    assert "`match` cannot be used" in result.reason


def test_every_language_with_items_can_be_called() -> None:
    assert all(bool(language.calls) == bool(language.runner) for language in languages.languages().values())
