"""Rubrics as they are written, and the ids that they get."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from check_table import PLACE, ROWS

from gradebox.graders.cases import Loaded
from gradebox.graders.checks.base import Check
from gradebox.graders.checks.composite import Composite
from gradebox.graders.checks.rubric import Rubric
from gradebox.graders.checks.rubrics import Rubrics
from gradebox.graders.model.case import Case, Place

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
    ("{description: x}", Rubric(id="rubric-1", expected_outcome="x")),
    ("{criteria: x}", Rubric(id="rubric-1", expected_outcome="x")),
    ("{criteria: x, id: r, weight: 2}", Rubric(id="r", expected_outcome="x", weight=2.0)),
    ("{outcome: x, required: true}", Rubric(id="rubric-1", expected_outcome="x", required=True)),
    (
        "{outcome: x, required: yes, min_score: 0.7}",
        Rubric(id="rubric-1", expected_outcome="x", required=True, min_score=0.7),
    ),
    (
        "{outcome: x, required: true, required_min_score: 7}",
        Rubric(id="rubric-1", expected_outcome="x", required=True, min_score=0.7),
    ),
    # Where the name comes from, it is the gate.
    ("{outcome: x, required_min_score: 7}", Rubric(id="rubric-1", expected_outcome="x", required=True, min_score=0.7)),
    (
        "{outcome: x, operator: contradiction}",
        Rubric(id="rubric-1", expected_outcome="The answer does not contradict this: x", operator="contradiction"),
    ),
    (
        "{outcome: x, score_ranges: [{score_range: [0, 4], outcome: bad}, {score_range: [5, 10], outcome: good}]}",
        Rubric(id="rubric-1", expected_outcome="x", score_ranges={0: "bad", 5: "good"}),
    ),
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
        ("{outcome: x, min_score: 0.7}", "has no effect on a rubric", "required: true"),
        ("{outcome: x, required_min_score: 7, required: false}", "has no effect on a rubric", "required: true"),
        ("{outcome: x, required: true, min_score: 0}", "met by every score", "higher"),
    ],
)
def test_a_doubtful_score_is_pointed_out(rubric: str, says: str, hint: str, load_text: LoadText) -> None:
    loaded = load_text(f"rubrics: [{rubric}]")
    assert not loaded.errors
    (found,) = loaded.warnings
    assert says in found.message
    assert hint in found.hint
    assert (found.line, found.column) == (1, rubric.index("min_score: ") + 11 + 11)
