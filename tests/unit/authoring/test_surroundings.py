"""A case with another hash seed, time zone and locale."""

from __future__ import annotations

from dataclasses import replace

from evidence_bench import COMMAND, case, make

from gradebox.graders.authoring.surroundings import NAMES, OTHER, elsewhere
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.sandbox.types import DEFAULT_ENV

CASE = case(make(CodeGrader, "it", command=COMMAND, required=True))


def test_each_value_is_another_one_than_that_of_every_command() -> None:
    for name, variables in OTHER.items():
        assert name in NAMES
        assert all(DEFAULT_ENV.get(variable) != value for variable, value in variables.items())


def test_what_the_case_says_itself_stays() -> None:
    assert elsewhere(CASE, ["time zone"]).env == OTHER["time zone"]
    own = replace(CASE, env={"TZ": "Europe/Rome", "A": "b"})
    assert elsewhere(own, OTHER).env == {**OTHER["hash seed"], **OTHER["locale"], "TZ": "Europe/Rome", "A": "b"}
