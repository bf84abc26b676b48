"""When the reference is asked for expected outputs. That it is asked, and what it says, is tests/docker/test_io.py."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from fake_supervisor import FakeEnd

from gradebox.graders.checks.io.io import IoCheck
from gradebox.graders.checks.io.program_tests import ProgramTest
from gradebox.graders.errors import CaseRefused
from gradebox.graders.grading.settings import Settings
from gradebox.graders.grading.stages.reference_answers import with_reference_answers
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.expectation import Content

PLACE = Place(Path("case.yaml"))


def case(*answers: str | None) -> Case:
    tests = tuple(
        ProgramTest.model_construct(name=str(number), answer=None if text is None else Content.of(text.encode()))
        for number, text in enumerate(answers)
    )
    check = IoCheck(name="io", place=PLACE, language="python", answers="from-reference", tests=tests)
    return Case(id="case", place=PLACE, directory=Path("/case"), checks=(check,))


def test_nothing_runs_if_all_answers_are_written() -> None:
    asked = case("a", "b")
    assert with_reference_answers(FakeEngine(), asked, Settings(image_of=lambda _: "image")) is asked
    (check,) = asked.checks
    assert isinstance(check, IoCheck)
    written = replace(case(None), checks=(check.but(answers="written"),))
    assert with_reference_answers(FakeEngine(), written, Settings(image_of=lambda _: "image")) is written


def test_a_case_without_a_reference_is_refused() -> None:
    with pytest.raises(CaseRefused, match="needs a reference"):
        with_reference_answers(FakeEngine(), case("a", None), Settings(image_of=lambda _: "image"))


def test_the_reference_runs_once(tmp_path: Path) -> None:
    asked = replace(case(None, "x"), reference_text="print(9)", language="python", directory=tmp_path)
    engine, settings = FakeEngine(lambda _: FakeEnd(stdout=b"9\n")), Settings(image_of=lambda _: "image")
    for _ in range(2):
        (check,) = with_reference_answers(engine, asked, settings).checks
        assert isinstance(check, IoCheck)
        assert [test.answer and test.answer.read() for test in check.tests] == [b"9\n", b"x"]
    assert len(engine.created) == 1


def test_a_reference_that_fails_is_a_mistake_of_the_case(tmp_path: Path) -> None:
    asked = replace(case(None), reference_text="raise", language="python", directory=tmp_path)
    with pytest.raises(CaseRefused, match="the reference gives no answer: 0"):
        with_reference_answers(FakeEngine(lambda _: FakeEnd(exit_code=1)), asked, Settings(image_of=lambda _: "image"))
