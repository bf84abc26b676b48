"""A case with other surroundings."""

from __future__ import annotations

from dataclasses import replace

from evidence_bench import COMMAND, case, make

from gradebox.graders.authoring.surroundings import OTHER, elsewhere, named, possible
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.sandbox.engines.engine import EngineInfo
from gradebox.sandbox.types import DEFAULT_ENV

CASE = case(make(CodeGrader, "it", command=COMMAND, required=True))
ENGINE = EngineInfo("Docker Engine", "1", "1", "x86_64", processors=2, pins_processors=True)


def test_each_changes_the_case() -> None:
    assert all(elsewhere(CASE, [name]) != CASE for name in OTHER)
    changed = elsewhere(CASE, OTHER)
    assert all(DEFAULT_ENV.get(variable) != value for variable, value in changed.env.items())
    assert (changed.limits.processors, changed.reversed_files) == (1, True)


def test_what_the_case_says_itself_stays() -> None:
    own = replace(CASE, env={"TZ": "Europe/Rome", "A": "b"})
    changed = elsewhere(own, OTHER).env
    assert {**changed, **own.env} == changed
    assert {"PYTHONHASHSEED", "LC_ALL"} < changed.keys()


def test_another_number_of_processors_needs_an_engine_that_has_them() -> None:
    assert possible(OTHER, ENGINE) == OTHER
    assert possible(OTHER, replace(ENGINE, processors=1)) == possible(OTHER, replace(ENGINE, pins_processors=False))
    assert possible(OTHER, replace(ENGINE, processors=1)) == OTHER[:-1]


def test_they_are_named_in_a_sentence() -> None:
    assert named(OTHER[:1]) == "hash seed"
    assert named(OTHER[:3]) == "hash seed, time zone and locale"
