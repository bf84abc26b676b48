"""Every type of check, under every name that it has: what is written arrives, and no gate is lost on the way."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from check_table import PLACE, ROWS, Row

from gradebox.graders.cases import Loaded
from gradebox.graders.cases.case_fields import CaseEntry
from gradebox.graders.checks.base import Check
from gradebox.graders.checks.composite import Composite
from gradebox.graders.checks.llm_grader import LlmGrader
from gradebox.graders.checks.registry import check_types
from gradebox.graders.documents.entries import spellings as field_spellings
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
