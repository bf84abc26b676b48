"""Calls are planned without what is expected of them, and judged by what came back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graders import languages
from graders.checks.calls.call import Approx, CallCheck, CallEntry, Raises
from graders.checks.evaluation import judge, stages
from graders.checks.text import patterns
from graders.grading.planner import Planner
from graders.model.case import Case, Place
from graders.model.evidence import Evidence, StepOutcome
from graders.model.plan import Files, Step, User
from graders.model.tree import Tree
from graders.model.verdict import CheckResult, Status
from sandbox.types import Capture, Ending, Outcome

PLACE = Place(Path("case.yaml"))


def check(*calls: CallEntry, **changes: Any) -> CallCheck:
    about = {"name": "call", "place": PLACE, "language": "python", "file": "solution.py", "entry": "f", "calls": calls}
    return CallCheck(**about | changes)


def planned(asked: CallCheck) -> Step:
    case = Case(id="case", place=PLACE, directory=Path("/case"), checks=(asked,))
    ((step,),) = (stage.steps for stage in stages(asked, case, Planner(case, Files(Tree(), Tree()))))
    return step


def judged(asked: CallCheck, *said: dict[str, Any] | str, outcome: Outcome | None = None) -> CheckResult:
    report = b"".join(
        (each if isinstance(each, str) else json.dumps({"call": number, **each})).encode() + b"\n"
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
        (CALL, {"returned": 2}, ""),
        (CALL, {"returned": 2.0}, ""),
        (CALL, {"returned": "2"}, "f(1) returned '2', expected 2"),
        (CALL, {"returned": {"$object": ["Always", {}]}}, "f(1) returned Always(), expected 2"),
        (CALL, {"raised": ["E"], "message": "m"}, "f(1) raised E: m, expected 2"),
        (CALL, {"no_data": "a generator"}, "f(1) returned what is no data: a generator"),
        (CALL, "", "f(1) was not answered: exit status 0"),
        (CALL, "0 it took too long", "f(1) it took too long"),
        (CallEntry(), {"returned": None}, ""),
        (CallEntry(), {"returned": 0}, "f() returned 0, expected None"),
        (CallEntry(raises=Raises(type="Base")), {"raised": ["E", "Base"], "message": ""}, ""),
        (CallEntry(raises=Raises(type="F")), {"raised": ["E"], "message": "m"}, "f() raised E: m, expected F"),
        (CallEntry(raises=Raises(match="^m")), {"raised": ["E"], "message": "m"}, ""),
        (CallEntry(raises=Raises(type="E", match="x")), {"raised": ["E"], "message": "m"}, "expected E with /x/"),
        (CallEntry(raises=Raises(type="E")), {"returned": 1}, "f() returned 1, expected E"),
        (CallEntry(raises=Raises(type="E")), {"raised": ["E"], "message": "", "loading": True}, "cannot be loaded"),
        (CallEntry(raises=Raises(type="AttributeError")), {"missing": "f"}, "there is no function f"),
        (CallEntry(approx=Approx(value=[1.5])), {"returned": [1.5000001]}, ""),
        (CallEntry(approx=Approx(value=1.5, rel=0)), {"returned": 1.5001}, "f() returned 1.5001, expected about 1.5"),
        (CallEntry(args=("x" * 300,), returns=1), {"returned": 2}, "... (305 characters) returned 2"),
    ],
)  # fmt: skip
def test_what_a_call_must_come_to(asked: CallEntry, said: dict[str, Any] | str, why: str) -> None:
    result = judged(check(asked), said)
    assert result.score == (0.0 if why else 1.0)
    assert result.judged == "apart"
    assert why in result.reason
    assert [step.passed for step in result.steps] == [not why]


def test_the_score_is_the_share_of_the_weights_and_each_failure_is_shown() -> None:
    result = judged(check(CALL, CallEntry(args=(3,), returns=4, weight=3), CALL), {"returned": 2}, {"returned": 5}, "")
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
    assert judged(check(entry, language="bash"), {"returned": printed}).score == float(holds)


def test_calls_that_were_answered_count_however_the_process_ended() -> None:
    report = b'{"call":0,"returned":2}\n'
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
    result = judged(check(CallEntry(raises=Raises(match="(a|aa)+$"))), {"raised": ["E"], "message": "aaaa!"})
    assert result.status is Status.ERROR
    assert "`match` cannot be used" in result.reason


def test_every_language_of_ours_can_be_called() -> None:
    assert all(language.calls for language in languages.languages().values())
