"""What comparisons are said to accept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.authoring.tried_outputs import of_outputs, tried
from gradebox.graders.checks.io.comparisons import Compare
from gradebox.graders.checks.io.io import IoCheck
from gradebox.graders.checks.io.program_tests import ProgramTest
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.model.expectation import Content

PLACE = Place(Path("case.yaml"))


def check(*answers: str, **changes: Any) -> IoCheck:
    tests = [ProgramTest.model_construct(name=text, answer=Content.of(text.encode())) for text in answers]
    return IoCheck(**{"name": "io", "place": PLACE, "tests": tuple(tests)} | changes)


@pytest.mark.parametrize(
    ("way", "accepted"),
    [
        ({"by": "exact"}, set()),
        ({"by": "lines"}, {
            "blanks at line ends", "Windows line ends", "no line end at the end", "an empty line at the end",
        }),
        ({"by": "kattis", "float_tolerance": 0.1}, {
            "letters in the other case", "two blanks for one", "blanks at line ends", "Windows line ends",
            "no line end at the end", "an empty line at the end", "leading zeros", "more digits",
        }),
    ],
)  # fmt: skip
def test_changes_are_accepted_as_the_comparison_says(way: dict[str, Any], accepted: set[str]) -> None:
    found = tried(check("Yes 1\n2.5 no\n", compare=Compare(**way)))
    assert {name for name, is_accepted in found.items() if is_accepted} == accepted
    assert len(found) == 9


def test_one_test_that_refuses_a_change_is_enough() -> None:
    assert tried(check("a\na\n", "a\nb\n"))["lines in another order"] is False


def test_a_sentence_says_it() -> None:
    case = Case(id="case", place=PLACE, directory=Path("/case"), checks=(check("7"),))
    assert list(of_outputs(case)) == [
        "The comparison `lines` of io accepts an empty line at the end and refuses leading zeros, more digits."
    ]


def test_patterns_and_checkers_are_left_alone() -> None:
    for changes in (
        {"compare": Compare(by="regex")},
        {"checker": CommandSpec(("check",))},
        {"interactor": CommandSpec(("talk",))},
    ):
        case = Case(id="case", place=PLACE, directory=Path("/case"), checks=(check("7", **changes),))
        assert list(of_outputs(case)) == []
