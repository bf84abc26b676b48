"""Every type of check, under every name that it has: what is written arrives, and no gate is lost on the way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from check_table import PLACE, ROWS, Row

from graders.cases import Loaded
from graders.cases.documents import CaseEntry
from graders.checks.aggregation import Aggregator
from graders.checks.base import Check
from graders.checks.check_reference import CheckReference
from graders.checks.composite import Composite
from graders.checks.llm_grader import LlmGrader
from graders.checks.registry import check_types
from graders.checks.rubric import Rubric
from graders.checks.rubrics import Rubrics
from graders.checks.text.contains import Contains
from graders.documents.entries import spellings as field_spellings
from graders.model.case import Case, Place

CaseOf = Callable[..., Case]
LoadText = Callable[..., Loaded]
OTHER = {"type": "code-grader", "name": "other", "command": "true"}
ROW_OF = {row.type: row for row in ROWS}


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


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.type)
def test_what_is_written_arrives(row: Row, case_of: CaseOf) -> None:
    check = first_check(case_of(written({"type": row.type, **row.fields})))
    assert somewhere(check) == row.kind(name=row.type, place=PLACE, **row.expected)
    assert (check.place.line, check.place.column) == (1, 17)


def test_every_type_is_in_the_table() -> None:
    assert set(ROW_OF) == set(check_types())


COMMON = {
    "metric": "gate",
    "weight": 2,
    "required": 0.9,
    "negate": True,
    "timeout_seconds": "5s",
    "env": {"A": "b"},
    "cwd": "sub",
}
GATE = {"name": "gate", "weight": 2.0, "required": True, "min_score": 0.9, "timeout_seconds": 5.0, "cwd": "sub"}
TYPE_NAMES = [
    (prefix + name, first, bool(prefix))
    for first, kind in check_types().items()
    for name in (first, *kind.spellings)
    for prefix in ("", *(["not-"] if kind.negatable else []))
]


@pytest.mark.parametrize("separator", ["-", "_"])
@pytest.mark.parametrize(("name", "first", "negated"), TYPE_NAMES, ids=[name for name, *_ in TYPE_NAMES])
def test_no_name_of_a_type_loses_a_gate(name: str, first: str, negated: bool, separator: str, case_of: CaseOf) -> None:
    row = ROW_OF[first]
    check = first_check(case_of(written({"type": name.replace("-", separator), **row.fields, **COMMON})))
    assert type(check) is row.kind
    assert {field: getattr(check, field) for field in GATE} == GATE
    assert check.env == {"A": "b"}
    assert check.negate is not negated


LIST_NAMES = ["assertions", *field_spellings(CaseEntry)["assertions"]]


@pytest.mark.parametrize("listed_as", LIST_NAMES)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.type)
def test_no_name_of_the_list_loses_a_gate(row: Row, listed_as: str, case_of: CaseOf) -> None:
    listed = [{"type": row.type, **row.fields, **COMMON}, OTHER]
    outer, _, inner = listed_as.rpartition(".")
    check = first_check(case_of(json.dumps({outer: {inner: listed}} if outer else {inner: listed})))
    assert (type(check), check.name, check.required, check.min_score) == (row.kind, "gate", True, 0.9)


FIELD_NAMES = [
    (first_type, field, other)
    for first_type, kind in check_types().items()
    for field, others in field_spellings(kind).items()
    for other in others
    # The names with a dot have tests of their own.
    if field in {**ROW_OF[first_type].fields, "name": ""} and "." not in other
    # Under its old name a command speaks another protocol.
    if other != "script"
]


@pytest.mark.parametrize(("first_type", "field", "other"), FIELD_NAMES)
def test_every_name_of_a_field_is_the_same_field(first_type: str, field: str, other: str, case_of: CaseOf) -> None:
    plain = {"type": first_type, "name": "n", **ROW_OF[first_type].fields, "required": True}
    renamed = {other if name == field else name: value for name, value in plain.items()}
    (one, other_one) = (first_check(case_of(written(fields))) for fields in (plain, renamed))
    assert somewhere(one) == somewhere(other_one)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.type)
def test_every_type_can_be_a_member_with_its_gate(row: Row, case_of: CaseOf) -> None:
    members = [{"type": row.type, **row.fields, **COMMON}, {"type": row.type, **row.fields}]
    check = first_check(case_of(written({"type": "assert_set", "assert": [*members, "be nice"], "negate": True})))
    assert isinstance(check, Composite)
    assert check.negate
    assert [type(member) for member in check.assertions] == [row.kind, row.kind, LlmGrader]
    assert {field: getattr(check.assertions[0], field) for field in GATE} == GATE
    assert check.assertions[0].negate
    assert len({member.name for member in check.assertions}) == 3


@pytest.mark.parametrize("name", [name for name, kind in check_types().items() if kind.negatable])
@pytest.mark.parametrize(("negate", "expected"), [(True, False), (False, True), (None, True)])
def test_not_turns_a_check_round(name: str, negate: bool | None, expected: bool, case_of: CaseOf) -> None:
    check = first_check(case_of(written({"type": f"not-{name}", **ROW_OF[name].fields, "negate": negate})))
    assert (check.negate, check.name) == (expected, f"not-{name}")


# Words


def test_text_among_the_checks_is_a_rubric_in_words(case_of: CaseOf) -> None:
    case = case_of('assertions: [Be nice., {type: code-grader, command: a}, "${{ WORDS }}"]', WORDS="Be brief.")
    one, _, other = case.checks
    assert isinstance(one, LlmGrader)
    assert isinstance(other, LlmGrader)
    assert (one.name, one.prompt, one.required, one.weight) == ("llm-grader", "Be nice.", False, 1.0)
    assert (other.name, other.prompt) == ("llm-grader-2", "Be brief.")
    assert (one.place.line, one.place.column) == (1, 14)


# Rubrics


def rubrics_of(case: Case) -> tuple[Rubric, ...]:
    return next(check.rubrics for check in case.checks if isinstance(check, Rubrics))


def test_rubrics_of_a_case_are_a_check_after_its_assertions(case_of: CaseOf) -> None:
    case = case_of("rubrics: [Polite.]\nassertions: [{type: code-grader, command: a}]\nlanguage: bash\nexamples: [x]\n")
    assert [check.name for check in case.checks] == ["code-grader", "rubrics", "examples"]
    check = case.checks[1]
    assert isinstance(check, Rubrics)
    assert check.rubrics == (Rubric(id="rubric-1", expected_outcome="Polite."),)
    assert (check.weight, check.required, check.place.line, check.place.column) == (1.0, False, 1, 1)


RUBRICS: list[tuple[str, Rubric]] = [
    ("{expected_outcome: x}", Rubric(id="rubric-1", expected_outcome="x")),
    ("{outcome: x}", Rubric(id="rubric-1", expected_outcome="x")),
    ("{criteria: x}", Rubric(id="rubric-1", expected_outcome="x")),
    ("{criteria: x, id: r, weight: 2}", Rubric(id="r", expected_outcome="x", weight=2.0)),
    ("{outcome: x, required: true}", Rubric(id="rubric-1", expected_outcome="x", required=True)),
    (
        "{outcome: x, required: yes, min_score: 7}",
        Rubric(id="rubric-1", expected_outcome="x", required=True, min_score=7.0),
    ),
    (
        "{outcome: x, required: true, required_min_score: 7}",
        Rubric(id="rubric-1", expected_outcome="x", required=True, min_score=7.0),
    ),
    # Where the name comes from, it is the gate.
    ("{outcome: x, required_min_score: 7}", Rubric(id="rubric-1", expected_outcome="x", required=True, min_score=7.0)),
    ("{check: other}", Rubric(id="rubric-1", check="other")),
    (
        "{outcome: x, score_ranges: {0: bad, 5: fair, 10: good}}",
        Rubric(id="rubric-1", expected_outcome="x", score_ranges={0: "bad", 5: "fair", 10: "good"}),
    ),
]


@pytest.mark.parametrize(("text", "expected"), RUBRICS)
@pytest.mark.parametrize("where", ["rubrics: [{}]", "assertions: [{{type: rubric, criteria: [{}]}}]"])
def test_every_way_to_write_a_rubric(where: str, text: str, expected: Rubric, case_of: CaseOf) -> None:
    other = "\nexamples: [x]\nlanguage: bash\n"
    case = case_of(where.format(text.replace("other", "examples")) + other)
    named = expected.model_copy(update={"check": "examples"}) if expected.check else expected
    assert rubrics_of(case) == (named,)


def test_a_rubric_without_an_id_takes_none_that_is_given(case_of: CaseOf) -> None:
    case = case_of("rubrics: [a, {id: rubric-1, outcome: b}, c]\n")
    assert [rubric.id for rubric in rubrics_of(case)] == ["rubric-2", "rubric-1", "rubric-3"]


@pytest.mark.parametrize(
    ("rubric", "says", "hint"),
    [
        ("{outcome: x, min_score: 7}", "has no effect on a rubric", "required: true"),
        ("{outcome: x, required_min_score: 7, required: false}", "has no effect on a rubric", "required: true"),
        ("{outcome: x, required: true, min_score: 0}", "met by every score", "1 to 10"),
        ("{outcome: x, required: true, min_score: 0.8}", "scale from 0 to 10", "Write 8 if you mean 80%"),
    ],
)
def test_a_doubtful_score_is_pointed_out(rubric: str, says: str, hint: str, load_text: LoadText) -> None:
    loaded = load_text(f"rubrics: [{rubric}]")
    assert not loaded.errors
    (found,) = loaded.warnings
    assert says in found.message
    assert hint in found.hint
    assert (found.line, found.column) == (1, rubric.index("min_score: ") + 11 + 11)


# Composites


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


# References


def test_a_check_can_take_the_result_of_one_of_its_suite(tmp_path: Path) -> None:
    from graders.cases import load

    suite = {
        "assertions": [{"type": "code-grader", "name": "build", "command": "make"}, {"type": "check", "check": "own"}],
        "tests": [
            {"id": "a", "rubrics": [{"check": "build"}], "assertions": [{**OTHER, "name": "own"}]},
            {"id": "b", "assertions": [OTHER]},
        ],
    }
    (tmp_path / "EVAL.yaml").write_text(json.dumps(suite))
    loaded = load(tmp_path / "EVAL.yaml", environ={})
    (case,) = loaded.cases
    assert [check.name for check in case.checks] == ["own", "rubrics", "build", "check"]
    assert isinstance(case.checks[3], CheckReference)
    (error,) = loaded.errors
    assert error.message == "check: no check of the case is called `own`"
    assert [broken.id for broken in loaded.broken] == ["b"]


@pytest.mark.parametrize(
    ("checks", "places"),
    [
        ([{"type": "check", "name": "a", "check": "a"}], ["a"]),
        (
            [
                {"type": "check", "name": "a", "check": "b"},
                {"type": "rubrics", "name": "b", "rubrics": [{"check": "a"}]},
            ],
            ["b", "a"],
        ),
    ],
)
def test_checks_that_take_each_others_results_are_refused(
    checks: list[Any], places: list[str], load_text: LoadText
) -> None:
    text = written(*checks)
    found = load_text(text).errors
    assert [error.column for error in found] == [text.index(f'"check": "{name}"') + 10 for name in places]
    assert all("result" in error.message for error in found)
