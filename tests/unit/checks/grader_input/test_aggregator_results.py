"""Which stages run an aggregator, and what its command reads."""

from __future__ import annotations

import json

from evidence_bench import COMMAND, case, make

from gradebox.graders.checks.aggregation import Aggregator
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.composite import Composite
from gradebox.graders.checks.grader_input.aggregator_results import aggregated, with_aggregator_input
from gradebox.graders.checks.text.contains import Contains
from gradebox.graders.model.evidence import Evidence, part
from gradebox.graders.model.plan import Role, Stage, Step

RED = make(Contains, "red", value="red")
MIX = make(Composite, "mix", assertions=(RED,), aggregator=Aggregator.CODE_GRADER, command=COMMAND)
OUTER = make(Composite, "outer", assertions=(MIX,))
CASE = case(make(CodeGrader, "plain", command=COMMAND), MIX, OUTER)


def stage(check: str | None) -> Stage:
    return Stage("s", 1, (), (Step(Role.CHECK, "s", ("mix",), "/workspace", 5.0, stdin=b"{}"),), check)


def test_an_aggregator_is_found_through_the_composites_around_it() -> None:
    assert aggregated(CASE, stage("mix")) == [MIX]
    assert aggregated(CASE, stage(part("outer", "mix"))) == [OUTER, MIX]
    for name in ("plain", "outer", "none", part("mix", "red"), None):
        assert aggregated(CASE, stage(name)) == []


def test_its_command_reads_the_results_of_its_members_and_others_nothing_new() -> None:
    known = Evidence(output="red")
    for name in ("mix", part("outer", "mix")):
        (step,) = with_aggregator_input(stage(name), CASE, known, {}).steps
        assert '"name": "red"' in json.dumps(json.loads(step.stdin))
    assert with_aggregator_input(stage("plain"), CASE, known, {}) == stage("plain")
