"""Rubrics: judged by a command, by another check, or not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from evidence_bench import COMMAND, LOST, SLOW, case, done, exited, judge, make, result
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.checks import evaluation
from gradebox.graders.checks.llm_grader import LlmGrader
from gradebox.graders.checks.rubric import Rubric
from gradebox.graders.checks.rubrics import Judged, Rubrics, combine, meaning
from gradebox.graders.grading.planner import Planner
from gradebox.graders.model.crossing import Isolation
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.plan import Files, User
from gradebox.graders.model.tree import Tree
from gradebox.graders.model.verdict import CheckResult, Status
from gradebox.sandbox.types import Ending, Outcome

RANGES = {0: "broken", 5: "works", 10: "shines"}
NO_TOOL = Outcome(Ending.NOT_STARTED, errno=2, refused="program")


def rubrics(*listed: Rubric, **fields: Any) -> Rubrics:
    return make(Rubrics, rubrics=listed, **fields)


def by_command(outcome: Any, **fields: Any) -> CheckResult:
    return judge(rubrics(Rubric(id="r", command=COMMAND, **fields)), Evidence(done=(done(outcome, "r"),)))


@pytest.mark.parametrize(
    ("outcome", "ranges", "status", "score"),
    [
        (exited(0), {}, Status.PASSED, 1.0),
        (exited(0, "0"), {}, Status.PASSED, 1.0),
        (exited(1, "10"), {}, Status.FAILED, 0.0),
        (SLOW, {}, Status.FAILED, 0.0),
        (LOST, {}, Status.ERROR, None),
        (NO_TOOL, {}, Status.ERROR, None),
        (exited(0, "10\n"), RANGES, Status.PASSED, 1.0),
        (exited(0, "7"), RANGES, Status.FAILED, 0.7),
        (exited(0, "0"), RANGES, Status.FAILED, 0.0),
        (exited(0, "11"), RANGES, Status.ERROR, None),
        (exited(0, "-1"), RANGES, Status.ERROR, None),
        (exited(0, "7.5"), RANGES, Status.ERROR, None),
        (exited(0, "\N{ARABIC-INDIC DIGIT SEVEN}"), RANGES, Status.ERROR, None),
        (exited(0, "7 of 10"), RANGES, Status.ERROR, None),
        (exited(0, ""), RANGES, Status.ERROR, None),
        (exited(0, "0" * 500 + "7"), RANGES, Status.ERROR, None),
        (exited(1, "10"), RANGES, Status.ERROR, None),
        (SLOW, RANGES, Status.FAILED, 0.0),
    ],
)
def test_a_command_judges_by_its_status_or_by_the_number_it_prints(
    outcome: Any, ranges: Any, status: Status, score: float | None
) -> None:
    found = by_command(outcome, score_ranges=ranges)
    assert (found.status, found.score) == (status, None if score is None else pytest.approx(score))


@pytest.mark.parametrize(
    ("number", "words"), [(0, "broken"), (4, "broken"), (5, "works"), (9, "works"), (10, "shines")]
)
def test_a_number_means_what_its_range_says(number: int, words: str) -> None:
    assert meaning(Rubric(id="r", score_ranges=RANGES), number) == words
    assert meaning(Rubric(id="r", score_ranges={5: "works"}), 4) == ""


@pytest.mark.parametrize(
    ("other", "status", "score"),
    [
        (result(0.9, "login"), Status.PASSED, 0.9),
        (result(0.0, "login"), Status.FAILED, 0.0),
        (result(None, "login"), Status.NOT_JUDGED, None),
        (result(None, "login", Status.ERROR), Status.ERROR, None),
        (result(1.0, "another"), Status.ERROR, None),
    ],
)
def test_another_check_of_the_case_can_judge(other: CheckResult, status: Status, score: float | None) -> None:
    found = judge(rubrics(Rubric(id="r", check="login")), Evidence(results={other.name: other}))
    assert (found.status, found.score) == (status, score)


def test_without_a_judge_what_only_a_judge_can_say_is_left_out_and_shown() -> None:
    words = Rubric(id="words", expected_outcome="Be kind.")
    found = judge(rubrics(Rubric(id="r", command=COMMAND), words), Evidence(done=(done(exited(0), "r"),)))
    assert found.score == 1.0
    assert "words: not judged" in found.reason
    assert [each["score"] for each in found.details["rubrics"]] == [1.0, None]
    assert judge(rubrics(words)).status is Status.NOT_JUDGED
    assert judge(rubrics(words, required=True)).status is Status.ERROR


def test_a_required_rubric_that_nobody_judged_is_an_error() -> None:
    spec = rubrics(Rubric(id="r", command=COMMAND), Rubric(id="words", required=True))
    assert judge(spec, Evidence(done=(done(exited(0), "r"),))).status is Status.ERROR


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize(
    ("score", "min_score", "missed"),
    [
        (0.7, 0.7, False),
        (0.7, 0.8, True),
        (0.8, None, False),
        (0.7, None, True),
        (0.0, 0, False),
        (0.3, 0.30000000001, False),
    ],
)
def test_a_required_rubric_that_is_missed_closes_a_gate(
    score: float, min_score: Any, *, missed: bool, negate: bool
) -> None:
    gate = Rubric(id="gate", required=True, min_score=min_score, weight=0.0, check="login")
    other = Rubric(id="other", weight=9.0)
    spec = rubrics(gate, other, negate=negate)
    found = combine(spec, case(), [Judged(gate, score), Judged(other, 1.0)])
    assert found.missed is missed
    assert found.score == (0.0 if negate else 1.0)
    if missed:
        assert "gate" in found.reason


def test_a_gate_without_weight_closes_although_nothing_else_was_judged() -> None:
    gate = Rubric(id="gate", required=True, weight=0.0, check="login")
    spec = rubrics(gate, Rubric(id="words"))
    assert judge(spec, Evidence(results={"login": result(0.0, "login")})).missed
    assert judge(spec, Evidence(results={"login": result(1.0, "login")})).status is Status.NOT_JUDGED


@given(
    st.lists(
        st.tuples(st.integers(0, 10), st.sampled_from([0.0, 1.0, 2.5]) | st.floats(0.1, 9)), min_size=1, max_size=8
    )
)
def test_the_score_is_the_weighted_mean(listed: list[tuple[int, float]]) -> None:
    judged = [Judged(Rubric(id=f"r{n}", weight=weight), number / 10) for n, (number, weight) in enumerate(listed)]
    found = combine(rubrics(*(one.rubric for one in judged)), case(), judged)
    total = sum(weight for _, weight in listed)
    if total:
        assert found.score == pytest.approx(sum(number * weight for number, weight in listed) / 10 / total)
    else:
        assert found.status is Status.NOT_JUDGED


def test_whoever_uses_up_the_time_gains_nothing_by_negate() -> None:
    spec = rubrics(Rubric(id="r", command=COMMAND), negate=True)
    found = judge(spec, Evidence(done=(done(SLOW, "r", cut_off=True),)))
    assert (found.status, found.score) == (Status.FAILED, 0.0)


def test_a_command_that_never_ran_is_an_error() -> None:
    assert judge(rubrics(Rubric(id="r", command=COMMAND))).status is Status.ERROR


def test_two_rubrics_of_one_id_are_refused() -> None:
    twice = rubrics(Rubric(id="r", check="a"), Rubric(id="r", check="b"))
    assert judge(twice, Evidence(results={"a": result(), "b": result()})).status is Status.ERROR


def test_every_command_has_a_stage_of_its_own() -> None:
    spec = make(
        Rubrics, "quality", rubrics=(Rubric(id="a", command=COMMAND), Rubric(id="b"), Rubric(id="c", command=COMMAND))
    )
    planned = evaluation.stages(spec, case(), Planner(case(), Files(Tree(), Tree())))
    assert [(stage.name, stage.check) for stage in planned] == [("quality a", "quality"), ("quality c", "quality")]
    assert len({stage.user for stage in planned}) == 2
    found = judge(spec, Evidence(done=tuple(StepOutcome(stage.steps[0], exited(n)) for n, stage in enumerate(planned))))
    assert found.score == 0.5
    assert [step.passed for step in found.steps] == [True, False]


def test_words_alone_are_never_judged() -> None:
    assert judge(make(LlmGrader, prompt="Be kind.")).status is Status.NOT_JUDGED
    assert judge(make(LlmGrader, prompt="Be kind.", negate=True)).score is None
    assert "Be kind." in judge(make(LlmGrader, prompt="Be kind.", required=True)).reason


@pytest.mark.parametrize("rubric", [Rubric(id="r", command=COMMAND), Rubric(id="r", check="other")])
def test_whoever_makes_a_judge_crash_or_hang_gains_nothing_by_negate(rubric: Rubric) -> None:
    evidence = Evidence(done=(done(SLOW, "r"),), results={"other": result(0.0, unfinished=True)})
    found = judge(rubrics(rubric, negate=True), evidence)
    assert (found.status, found.score, found.unfinished) == (Status.FAILED, 0.0, True)
    assert judge(rubrics(rubric), evidence).unfinished


@pytest.mark.parametrize("isolation", [None, *Isolation])
def test_commands_run_as_the_grader_where_the_case_is_judged_apart(isolation: Isolation | None) -> None:
    spec = rubrics(Rubric(id="a", command=COMMAND), Rubric(id="b", command=COMMAND, score_ranges=RANGES))
    judged = replace(case(spec), isolation=isolation)
    planned = evaluation.stages(spec, judged, Planner(judged, Files(Tree(), Tree())))
    is_apart = isolation == Isolation.APART
    assert [stage.apart for stage in planned] == [is_apart, is_apart]
    assert [step.user is User.GRADER for stage in planned for step in stage.steps] == [is_apart, is_apart]
    # A number on stdout is the grader's.
    assert [step.own_stdout for stage in planned for step in stage.steps] == [False, True]
    assert evaluation.is_apart(spec, judged) is is_apart
    assert evaluation.is_apart(rubrics(Rubric(id="c", expected_outcome="x")), judged) is None
