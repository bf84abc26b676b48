"""Checks made of checks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from check_table import PLACE, ROWS
from evidence_bench import COMMAND, LOST, SLOW, case, done, exited, judge, make, result
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.cases import Loaded
from gradebox.graders.checks import evaluation
from gradebox.graders.checks.aggregation import Aggregator, aggregate, aggregator_input, all_or_mean
from gradebox.graders.checks.base import Check
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.composite import Composite
from gradebox.graders.checks.llm_grader import LlmGrader
from gradebox.graders.checks.text.contains import Contains
from gradebox.graders.grading.planner import Planner
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.model.evidence import Evidence, StepOutcome, part
from gradebox.graders.model.plan import Files
from gradebox.graders.model.tree import Tree
from gradebox.graders.model.verdict import DEFAULT_SHOWN, HIDDEN, CheckResult, Seen, Status, Visibility
from gradebox.sandbox.types import Ending, Outcome

CaseOf = Callable[..., Case]
LoadText = Callable[..., Loaded]
OTHER = {"type": "code-grader", "name": "other", "command": "true"}
ROW_OF = {row.type: row for row in ROWS}


ANSWER = Evidence(output="red green")
RED, GREEN = ({"value": "red"}, {"value": "green"})
BLUE = {"value": "blue"}
SCORES = st.lists(st.tuples(st.sampled_from([0.0, 0.3, 0.8, 1.0]), st.sampled_from([0.0, 1.0, 2.0]), st.booleans()))


def composite(*members: Any, **fields: Any) -> Composite:
    named = [
        make(Contains, f"m{n}", **member) if isinstance(member, dict) else member for n, member in enumerate(members)
    ]
    return make(Composite, assertions=tuple(named), **fields)


def results(*scores: tuple[float | None, float, bool]) -> list[CheckResult]:
    return [result(score, f"m{n}", weight=weight, required=gate) for n, (score, weight, gate) in enumerate(scores)]


@pytest.mark.parametrize(
    ("aggregator", "scores", "score"),
    [
        ("weighted_average", [(1.0, 3, False), (0.0, 1, False)], 0.75),
        ("weighted_average", [(1.0, 3, False), (None, 9, False)], 1.0),
        ("minimum", [(0.9, 3, False), (0.4, 1, False)], 0.4),
        ("minimum", [(0.9, 3, False), (0.4, 0, False)], 0.9),
        ("maximum", [(0.9, 3, False), (0.4, 1, False)], 0.9),
        ("threshold", [(0.8, 1, False), (0.7, 1, False), (1.0, 2, False)], 0.75),
        ("all_or_nothing", [(0.8, 1, False), (1.0, 1, False)], 1.0),
        ("all_or_nothing", [(0.7, 1, False), (1.0, 1, False)], 0.0),
        ("safety_gate", [(1.0, 1, True), (0.5, 1, False)], 0.75),
        ("safety_gate", [(0.5, 1, True), (1.0, 1, False)], 0.0),
        ("safety_gate", [(0.5, 0, True), (1.0, 1, False)], 0.0),
        ("safety_gate", [(0.9, 1, False), (0.8, 1, False)], 0.85),
        ("safety_gate", [(0.9, 1, False), (0.5, 1, False)], 0.0),
    ],
)
def test_an_aggregator_makes_one_score_of_many(aggregator: str, scores: Any, score: float) -> None:
    assert aggregate(Aggregator(aggregator), results(*scores)) == pytest.approx(score)


@pytest.mark.parametrize(
    ("scores", "score"),
    [
        ([(0.6, 1, False), (0.0, 1, False)], 0.3),
        ([(0.59, 1, False), (1.0, 1, False)], 0.0),
        ([(0.59, 0, False), (1.0, 1, False)], 0.0),
        # Once gates are named, `required` of the others is their own affair.
        ([(0.7, 1, False), (0.5, 1, True)], 0.6),
    ],
)
def test_a_named_gate_needs_a_score_of_its_own(scores: Any, score: float) -> None:
    assert aggregate(Aggregator.SAFETY_GATE, results(*scores), ["m0"]) == pytest.approx(score)


def test_a_named_gate_that_nobody_judged_leaves_the_check_unjudged() -> None:
    words = make(LlmGrader, "words", prompt="Be kind.")
    gated = composite(RED, words, aggregator=Aggregator.SAFETY_GATE, gates=("words",))
    assert judge(gated, ANSWER).status is Status.NOT_JUDGED
    assert judge(gated.but(gates=("m0",)), ANSWER).score == 1.0


@given(SCORES, st.sampled_from([one for one in Aggregator if one is not Aggregator.LLM_GRADER]))
def test_every_aggregator_stays_between_0_and_the_highest_and_ignores_what_weighs_nothing(
    scores: list[tuple[float, float, bool]], aggregator: Aggregator
) -> None:
    found = aggregate(aggregator, results(*scores))
    weighing = [score for score, weight, _ in scores if weight]
    assert (found is None) is (not weighing)
    if found is not None:
        assert 0 <= found <= 1
        more = aggregate(aggregator, [*results(*scores), result(0.0, "more", weight=0.0)])
        assert more == found


@given(SCORES.filter(lambda scores: any(weight for _, weight, _ in scores)))
def test_the_aggregators_are_in_order(scores: list[tuple[float, float, bool]]) -> None:
    by = {each: aggregate(each, results(*scores)) for each in Aggregator}
    mean = by[Aggregator.WEIGHTED_AVERAGE]
    assert mean is not None
    assert by[Aggregator.MINIMUM] <= mean + 1e-9  # type: ignore[operator]
    assert mean <= by[Aggregator.MAXIMUM] + 1e-9  # type: ignore[operator]
    assert by[Aggregator.SAFETY_GATE] in {0.0, mean}
    assert by[Aggregator.ALL_OR_NOTHING] == float(by[Aggregator.THRESHOLD] == 1.0)


def test_members_keep_weight_and_negate() -> None:
    found = judge(composite(RED, {**BLUE, "weight": 2}, {**BLUE, "negate": True}), ANSWER)
    assert found.score == pytest.approx(0.5)
    assert [member["score"] for member in found.details["members"]] == [1.0, 0.0, 1.0]
    assert found.reason == "failed: m1"


@pytest.mark.parametrize("aggregator", [each for each in Aggregator if each is not Aggregator.CODE_GRADER])
@pytest.mark.parametrize("negate", [False, True])
def test_a_required_member_that_is_missed_closes_a_gate_whatever_the_aggregator(
    aggregator: Any, *, negate: bool
) -> None:
    missed = judge(composite(RED, GREEN, {**BLUE, "required": True}, aggregator=aggregator, negate=negate), ANSWER)
    assert missed.missed
    assert "m2" in missed.reason


def test_a_member_in_error_makes_it_an_error_and_negate_does_not_turn_that() -> None:
    broken = make(CodeGrader, "broken", command=COMMAND)
    evidence = Evidence(output="red", within={"broken": (done(LOST),)})
    for negate in (False, True):
        found = judge(composite(RED, broken, negate=negate), evidence)
        assert (found.status, found.score) == (Status.ERROR, None)
        assert "broken" in found.reason


def test_a_member_that_nobody_judged_is_left_out_unless_a_gate_needs_it() -> None:
    words = make(LlmGrader, "words", prompt="Be kind.")
    assert judge(composite(RED, words), ANSWER).score == 1.0
    assert judge(composite(words), ANSWER).status is Status.NOT_JUDGED
    assert judge(composite(RED, words, required=True), ANSWER).status is Status.ERROR
    required = make(LlmGrader, "words", prompt="Be kind.", required=True)
    assert judge(composite(RED, required), ANSWER).status is Status.ERROR


def test_a_threshold_is_met_by_its_share() -> None:
    assert judge(composite(RED, BLUE, aggregator=Aggregator.THRESHOLD, threshold=0.5), ANSWER).status is Status.PASSED
    assert judge(composite(RED, BLUE, aggregator=Aggregator.THRESHOLD, threshold=0.6), ANSWER).status is Status.FAILED
    strict = composite(RED, BLUE, aggregator=Aggregator.THRESHOLD, threshold=0.5, min_score=0.9)
    assert judge(strict, ANSWER).status is Status.FAILED


def test_a_composite_can_hold_composites() -> None:
    inner = make(Composite, "inner", assertions=(make(Contains, value="red"), make(Contains, "b", value="blue")))
    assert judge(composite(inner, GREEN), ANSWER).score == pytest.approx(0.75)


def test_a_bent_judge_in_a_member_is_seen_outside() -> None:
    graded = make(CodeGrader, "code", command=COMMAND, control=COMMAND)
    planned = evaluation.stages(composite(graded), case(), Planner(case(), Files(Tree(), Tree())))
    within = {"code": tuple(StepOutcome(step, exited(0)) for stage in planned for step in stage.steps)}
    found = judge(composite(graded), Evidence(within=within))
    assert (found.status, found.score) == (Status.FAILED, 0.0)
    assert found.tampering


def test_what_members_run_is_kept_apart_at_any_depth() -> None:
    def code(name: str) -> CodeGrader:
        return make(CodeGrader, name, command=COMMAND)

    inner = make(Composite, "inner", assertions=(code("a"), code("b")))
    spec = make(Composite, "outer", assertions=(code("a"), inner))
    planned = evaluation.stages(spec, case(), Planner(case(), Files(Tree(), Tree())))
    assert [stage.check for stage in planned] == [
        part("outer", "a"), part("outer", part("inner", "a")), part("outer", part("inner", "b")),
    ]  # fmt: skip
    statuses = dict(zip((stage.check or "" for stage in planned), (0, 0, 1), strict=True))
    ran = {stage.check or "": (StepOutcome(stage.steps[0], exited(statuses[stage.check or ""])),) for stage in planned}
    found = judge(spec, checks_evidence(ran))
    assert found.score == pytest.approx(0.75)
    assert [step.passed for step in found.steps] == [True, True, False]


def checks_evidence(ran: Any) -> Evidence:
    from gradebox.graders.model.evidence import of_check

    return of_check(Evidence(), "outer", ran)


@pytest.mark.parametrize(
    ("outcome", "status", "score"),
    [
        (exited(0, '{"score": 0.9}'), Status.PASSED, 0.9),
        (exited(0, '{"score": 0.1}'), Status.FAILED, 0.1),
        (exited(0, "fine"), Status.ERROR, None),
        (exited(1), Status.ERROR, None),
        (LOST, Status.ERROR, None),
    ],
)
def test_a_command_can_be_the_aggregator(outcome: Any, status: Status, score: float | None) -> None:
    spec = composite(RED, BLUE, aggregator=Aggregator.CODE_GRADER, command=COMMAND)
    found = judge(spec, Evidence(output="red", done=(done(outcome),)))
    assert (found.status, found.score, found.type) == (status, score, "composite")


def test_whoever_uses_up_the_time_gains_nothing_by_negate() -> None:
    evidence = Evidence(within={"code": (done(SLOW, cut_off=True),)})
    found = judge(composite(make(CodeGrader, "code", command=COMMAND), negate=True), evidence)
    assert (found.status, found.score) == (Status.FAILED, 0.0)


def test_an_aggregator_without_its_command_is_an_error() -> None:
    assert judge(composite(RED, aggregator=Aggregator.CODE_GRADER), ANSWER).status is Status.ERROR


def test_an_aggregator_is_told_what_the_members_came_to() -> None:
    told = json.loads(aggregator_input(results((0.5, 2, True), (None, 1, False))))
    assert told["results"]["m0"]["score"] == 0.5
    assert told["results"]["m1"]["verdict"] == "not_judged"


def test_two_members_of_one_name_are_refused() -> None:
    twice = make(Composite, assertions=(make(Contains, value="red"), make(Contains, value="red")))
    assert judge(twice, ANSWER).status is Status.ERROR


def test_the_commands_of_members_are_those_of_the_check() -> None:
    spec = composite(
        make(CodeGrader, "code", command=COMMAND, setup=(COMMAND,), control=COMMAND),
        make(Composite, "inner", assertions=(make(CodeGrader, command=COMMAND),)),
        aggregator=Aggregator.CODE_GRADER,
        command=COMMAND,
    )
    assert list(evaluation.commands(spec)) == [COMMAND] * 5


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("ended", [SLOW, Outcome(Ending.SIGNALLED, signal=9), Outcome(Ending.OUT_OF_MEMORY)])
def test_whoever_makes_a_member_crash_or_hang_gains_nothing_by_negate(ended: Outcome, depth: int) -> None:
    spec, kept = make(CodeGrader, "code", command=COMMAND), "code"
    for level in range(depth):
        spec = composite(spec, GREEN, name=f"level{level}", negate=level == depth - 1)
        kept = part(f"level{level}", kept) if level < depth - 1 else kept
    found = judge(spec, Evidence(within={kept: (done(ended),)}, output="red"))
    assert (found.status, found.score) == (Status.FAILED, 0.0)
    assert "code" in found.reason


def test_whoever_brings_no_file_gains_nothing_by_negate() -> None:
    found = judge(composite({"value": "red", "file": "answer.txt"}, negate=True), ANSWER)
    assert (found.status, found.score) == (Status.FAILED, 0.0)


def test_a_gate_is_missed_also_where_a_member_was_cut_short() -> None:
    members = (make(CodeGrader, "code", command=COMMAND), make(Contains, "gate", value="blue", required=True))
    spec = composite(*members, negate=True, weight=0.0)
    found = judge(spec, Evidence(within={"code": (done(SLOW),)}, output="red"))
    assert found.missed


# As it is written


def somewhere(spec: Any) -> Any:
    """Return a check without the places at which it and its members are written."""
    changes: dict[str, Any] = {"place": PLACE}
    if isinstance(spec, Composite):
        changes["assertions"] = tuple(somewhere(member) for member in spec.assertions)
    return spec.model_copy(update=changes)


def first_check(case: Case) -> Check:
    assert isinstance(somewhere(case.checks[0]).place, Place)
    return case.checks[0]


def written(*checks: Any, **fields: Any) -> str:
    return json.dumps({"assertions": [*checks, OTHER], **fields})


def composite_of(case: Case) -> Composite:
    check = first_check(case)
    assert isinstance(check, Composite)
    return check


MEMBERS = "assertions: [{type: contains, name: a, value: x}, {type: contains, name: b, value: y}]"
A = Contains(name="a", place=PLACE, value="x")
AGGREGATORS = [
    ("", Aggregator.WEIGHTED_AVERAGE),
    ("aggregator: weighted_average", Aggregator.WEIGHTED_AVERAGE),
    ("aggregator: weighted-average", Aggregator.WEIGHTED_AVERAGE),
    ("aggregator: {type: minimum}", Aggregator.MINIMUM),
    ("aggregator: maximum", Aggregator.MAXIMUM),
    ("aggregator: threshold", Aggregator.THRESHOLD),
    ("threshold: 0.7", Aggregator.THRESHOLD),
    ("aggregator: all-or-nothing", Aggregator.ALL_OR_NOTHING),
    ("aggregator: {type: safety_gate}", Aggregator.SAFETY_GATE),
    ("command: judge", Aggregator.CODE_GRADER),
    ("aggregator: {type: code_judge, script: judge}", Aggregator.CODE_GRADER),
    ("aggregator: code-grader, command: judge", Aggregator.CODE_GRADER),
    ("aggregator: {type: script, command: judge, protocol: exit}", Aggregator.CODE_GRADER),
]


@pytest.mark.parametrize(("text", "aggregator"), AGGREGATORS)
def test_every_way_to_name_an_aggregator(text: str, aggregator: Aggregator, case_of: CaseOf) -> None:
    check = composite_of(case_of(f"assertions: [{{type: composite, {MEMBERS}{', ' * bool(text)}{text}}}]"))
    assert check.aggregator is aggregator
    assert (check.command is not None) is (aggregator is Aggregator.CODE_GRADER)
    assert check.threshold == (0.7 if "0.7" in text else 0.5)
    assert check.protocol == ("exit" if "exit" in text else "json")


@pytest.mark.parametrize(
    "text", ["aggregator: {type: safety_gate, required: [b]}", "aggregator: safety_gate, gates: [b]"]
)
def test_gates_are_named(text: str, case_of: CaseOf) -> None:
    check = composite_of(case_of(f"assertions: [{{type: composite, {MEMBERS}, {text}}}]"))
    assert (check.aggregator, check.gates, check.required) == (Aggregator.SAFETY_GATE, ("b",), False)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("aggregator: {type: safety_gate, required: [c]}", "no member is called `c`"),
        ("aggregator: {type: minimum, required: [a]}", "`gates` belongs to the aggregator `safety_gate`"),
    ],
)
def test_gates_that_cannot_be_are_refused(text: str, says: str, load_text: LoadText) -> None:
    loaded = load_text(f"assertions: [{{type: composite, {MEMBERS}, {text}}}]")
    assert any(says in diagnostic.message for diagnostic in loaded.diagnostics)


@pytest.mark.parametrize(
    "text",
    [
        "weights: {a: 3}",
        "aggregator: {type: weighted_average, weights: {a: 3}}",
        "aggregator: {type: minimum, weights: {a: 3}}",
    ],
)
def test_listed_weights_are_those_of_the_members(text: str, case_of: CaseOf) -> None:
    check = composite_of(case_of(f"assertions: [{{type: composite, {MEMBERS}, {text}}}]"))
    assert [(member.name, member.weight) for member in check.assertions] == [("a", 3.0), ("b", 1.0)]


def test_composites_nest(case_of: CaseOf) -> None:
    inner = f"{{type: composite, {MEMBERS}, name: inner, required: 0.4}}"
    check = composite_of(case_of(f"assertions: [{{type: composite, evaluators: [{inner}]}}]"))
    (member,) = check.assertions
    assert isinstance(member, Composite)
    assert (member.name, member.required, member.min_score) == ("inner", True, 0.4)
    assert somewhere(member.assertions[0]) == A


def test_a_member_takes_the_items_of_the_case(case_of: CaseOf) -> None:
    case = case_of(
        "language: bash\nexamples: [x]\nassertions: [{type: composite, assert: [{type: examples, required: true}]}]\n"
    )
    (check,) = case.checks
    assert isinstance(check, Composite)
    assert [(member.type, member.required) for member in check.assertions] == [("examples", True)]


@pytest.mark.parametrize(("scores", "score"), [((0.9, 0.7), 0.8), ((0.9, 0.69), 0.0)])
def test_all_or_nothing_with_a_threshold_is_the_mean_or_nothing(scores: tuple[float, ...], score: float) -> None:
    members = results(*((one, 1.0, False) for one in scores))
    assert all_or_mean(members, 0.7) == pytest.approx(score)


def test_a_judge_as_aggregator_is_not_judged_without_one() -> None:
    found = judge(composite(GREEN, aggregator=Aggregator.LLM_GRADER, prompt="Weigh them."), ANSWER)
    assert (found.status, found.reason) == (Status.NOT_JUDGED, "not judged: no judge is configured")


@pytest.mark.parametrize(
    ("path", "argv"),
    [
        ("scripts/sum.ts", ("bun", "run", "scripts/sum.ts")),
        ("sum.py", ("python3", "sum.py")),
        ("./sum", ("./sum",)),
        ("node sum.js", ("sh", "-c", "node sum.js")),
    ],
)
def test_an_aggregator_may_be_the_file_of_a_program(path: str, argv: tuple[str, ...], case_of: CaseOf) -> None:
    written = f"{{type: composite, assertions: [x], aggregator: {{type: code_grader, path: {path}}}}}"
    (check,) = case_of(f"assertions: [{written}]").checks
    assert isinstance(check, Composite)
    assert check.command == CommandSpec(argv, shell=argv[0] == "sh")


def test_candidates_see_neither_members_nor_what_is_said_of_them() -> None:
    assert composite(RED, visibility="visible").seen() == Seen(Visibility.VISIBLE, DEFAULT_SHOWN)
    assert composite(RED).seen() == Seen(Visibility.VISIBLE, DEFAULT_SHOWN)
    assert composite(RED, visibility="hidden").seen() == HIDDEN
