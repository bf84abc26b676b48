"""What an author changes where a cheat passes."""

from __future__ import annotations

import pytest
from evidence_bench import case, make
from evidence_bench import result as check_result

from gradebox.graders.authoring.attack.remedies import bent, remedies
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.items import Examples
from gradebox.graders.checks.text.contains import Contains
from gradebox.graders.model.case import CommandSpec
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import decide

PYTEST, SCRIPT = CommandSpec(("pytest", "-q")), CommandSpec(("python3", "grading/judge.py"))


def result(**scores: float) -> Result:
    checks = [check_result(score, name) for name, score in scores.items()]
    return Result.of(CASE, "cheat", decide(checks, threshold=0.8))


CASE = case(make(CodeGrader, "a", command=PYTEST), make(CodeGrader, "b", command=SCRIPT))


def test_checks_that_a_cheat_raised_are_bent() -> None:
    assert [check.name for check in bent(CASE, result(a=1, b=1), result(a=1, b=0))] == ["b"]
    assert [check.name for check in bent(CASE, result(a=1, b=1), result(a=1, b=1))] == ["a", "b"]


@pytest.mark.parametrize(
    ("family", "check", "told"),
    [
        ("frames", make(CodeGrader, command=PYTEST), "in the test runner's process; say `isolation: apart`."),
        ("exit", make(CodeGrader, command=SCRIPT), "give it a `control:`"),
        (
            "exit",
            make(CodeGrader, command=SCRIPT, control=SCRIPT),
            "its grader calls the submission in its own process",
        ),
        ("equal", make(Examples, language="python"), "in their own process; say `isolation: apart`."),
        ("equal", make(Examples, language="python", isolation="apart"), "keep a reference, and compare data"),
        ("mock", make(Examples, language="python", isolation="apart"), "compare what functions return"),
        ("link", make(CodeGrader, command=SCRIPT, isolation="apart"), "`candidate --reclaim`"),
        ("star", make(CodeGrader, command=PYTEST), "import by name"),
        ("equal", make(Contains), "compare the whole text"),
        ("read", make(CodeGrader, command=SCRIPT), "keep what is expected in grading/, and say `isolation: apart`"),
        ("path", make(CodeGrader, command=SCRIPT), "name programs by their full path"),
    ],
)
def test_a_remedy_names_the_place_and_what_to_change(family: str, check: CodeGrader, told: str) -> None:
    (sentence,) = remedies(family, CASE, (check,))
    assert sentence.startswith("case.yaml: it: ")
    assert told in sentence
