"""Data of the answer against the expected output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from evidence_bench import judge, make
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.checks.field_accuracy import FieldAccuracy, FieldRule, answer_data, compare, read_date
from gradebox.graders.documents import strict_json
from gradebox.graders.documents.strict_json import MISSING
from gradebox.graders.model.case import Message, Place
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.verdict import CheckResult, Status

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=8,
)
EXPECTED = {"id": "INV-1", "total": 100.0, "day": "2026-03-04", "lines": [{"n": 1}, {"n": 2}], "paid": True}


def compared(answer: Any, *fields: FieldRule, expected: Any = EXPECTED, **changes: Any) -> CheckResult:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return judge(make(FieldAccuracy, fields=fields, **changes), Evidence(output=text), expected_output=expected)


@pytest.mark.parametrize(
    ("rule", "value", "expected", "met"),
    [
        (FieldRule(path="x"), {"a": [1, 2]}, {"a": [1, 2.0]}, True),
        (FieldRule(path="x"), 1, True, False),
        (FieldRule(path="x"), 0, False, False),
        (FieldRule(path="x"), [True], [1], False),
        (FieldRule(path="x"), "1", 1, False),
        (FieldRule(path="x"), None, None, True),
        (FieldRule(path="x"), [1], [1, 2], False),
        (FieldRule(path="x", match="contains"), "Acme Shipping Ltd", "Acme", True),
        (FieldRule(path="x", match="contains"), "Acme", "Acme Shipping", False),
        (FieldRule(path="x", match="regex"), "INV-12", r"INV-\d+", True),
        (FieldRule(path="x", match="regex"), "12", r"INV-\d+", False),
        (FieldRule(path="x", match="regex"), 12, r"\d+", False),
        (FieldRule(path="x", match="numeric_tolerance"), 5, 5.0, True),
        (FieldRule(path="x", match="numeric_tolerance"), "5.0", 5, True),
        (FieldRule(path="x", match="numeric_tolerance"), "5 apples", 5, False),
        (FieldRule(path="x", match="numeric_tolerance"), True, 1, False),
        (FieldRule(path="x", match="numeric_tolerance"), None, 1, False),
        (FieldRule(path="x", match="numeric_tolerance"), "nan", 1, False),
        (FieldRule(path="x", match="numeric_tolerance", tolerance=1e9), "inf", 1, False),
        (FieldRule(path="x", match="numeric_tolerance", tolerance=0.05), 10.05, 10.0, True),
        (FieldRule(path="x", match="numeric_tolerance", tolerance=0.05), 10.06, 10.0, False),
        (FieldRule(path="x", match="numeric_tolerance", tolerance=0.01, relative=True), 101, 100, True),
        (FieldRule(path="x", match="numeric_tolerance", tolerance=0.01, relative=True), 98.9, 100, False),
        (FieldRule(path="x", match="numeric_tolerance", tolerance=0.01, relative=True), 0.005, 0, True),
        (FieldRule(path="x", match="numeric_tolerance", tolerance=0.1, relative=True), -109, -100, True),
        (FieldRule(path="x", match="numeric_tolerance"), 10**400, 1, False),
        (FieldRule(path="x", match="date"), "2026-03-04T23:59:59Z", "2026-03-04", True),
        (FieldRule(path="x", match="date"), "04-MAR-2026", "2026-03-04", True),
        (FieldRule(path="x", match="date"), "03/04/2026", "2026-03-04", True),
        (FieldRule(path="x", match="date"), "13/04/2026", "2026-04-13", True),
        (FieldRule(path="x", match="date", formats=("DD/MM/YYYY", "YYYY-MM-DD")), "03/04/2026", "2026-04-03", True),
        (FieldRule(path="x", match="date", formats=("%d.%m.%Y", "YYYY-MM-DD")), "3.4.2026", "2026-04-03", True),
        (FieldRule(path="x", match="date", formats=("DD.MM.YYYY",)), "2026-04-03", "03.04.2026", False),
        (FieldRule(path="x", match="date"), "2026-02-30", "2026-03-02", False),
        (FieldRule(path="x", match="date"), "soon", "soon", False),
        (FieldRule(path="x", match="date"), "2" * 10_000, "2026-03-04", False),
        (FieldRule(path="x", match="date"), None, "2026-03-04", False),
    ],
)
def test_a_value_is_compared_as_its_field_says(rule: FieldRule, value: Any, expected: Any, *, met: bool) -> None:
    found = compare(rule, value, expected)
    assert (found.counts, found.met) == (True, met)


@pytest.mark.parametrize(
    ("answer", "fields", "score"),
    [
        (EXPECTED, [FieldRule(path="id"), FieldRule(path="lines[1].n"), FieldRule(path="paid")], 1.0),
        ({"id": "INV-1"}, [FieldRule(path="id", weight=3), FieldRule(path="total")], 0.75),
        ({"id": "INV-1"}, [FieldRule(path="id"), FieldRule(path="total", required=False)], 1.0),
        ({"id": "INV-2", "total": 1}, [FieldRule(path="id"), FieldRule(path="total", required=False)], 0.0),
        ({"lines": [{"n": 1}]}, [FieldRule(path="lines[0].n"), FieldRule(path="lines[1].n")], 0.5),
        ({"other": 1}, [FieldRule(path="id", required=False)], 0.0),
        ("no data at all", [FieldRule(path="id")], 0.0),
        ('Here:\n```json\n{"id": "INV-1"}\n```\nDone.', [FieldRule(path="id")], 1.0),
        ('```\n{"id": "INV-1"}\n```\n```\n{"id": "INV-2"}\n```', [FieldRule(path="id")], 0.0),
        ("[]", [FieldRule(path="id")], 0.0),
        ("null", [FieldRule(path="id")], 0.0),
    ],
)
def test_the_score_is_the_weight_of_the_right_fields(answer: Any, fields: Any, score: float) -> None:
    assert compared(answer, *fields).score == pytest.approx(score)


def test_all_or_nothing_is_that() -> None:
    fields = [FieldRule(path="id", weight=9), FieldRule(path="total")]
    assert compared(EXPECTED, *fields, aggregation="all_or_nothing").score == 1.0
    assert compared({"id": "INV-1", "total": 99}, *fields, aggregation="all_or_nothing").score == 0.0


@pytest.mark.parametrize("negate", [False, True])
def test_an_answer_without_data_meets_nothing_and_no_opposite(*, negate: bool) -> None:
    assert compared("prose", FieldRule(path="id"), negate=negate).status is Status.FAILED


@pytest.mark.parametrize(
    "expected",
    [
        EXPECTED,
        json.dumps(EXPECTED),
        (Message("assistant", json.dumps(EXPECTED)),),
        (Message("assistant", ({"type": "json", "value": EXPECTED},)), Message("assistant", "That was all.")),
    ],
)
def test_the_expected_data_is_found_in_whatever_form(expected: Any) -> None:
    assert compared(EXPECTED, FieldRule(path="lines[0].n"), expected=expected).score == 1.0


@pytest.mark.parametrize("expected", [None, "prose", {"other": 1}, (Message("assistant", "prose"),)])
def test_a_field_that_is_not_expected_is_the_authors_mistake(expected: Any) -> None:
    assert compared(EXPECTED, FieldRule(path="id"), expected=expected).status is Status.ERROR


@pytest.mark.parametrize("formats", [(), ("DD/MM/YYYY",)])
@given(st.dates())
def test_a_day_is_read_back(formats: tuple[str, ...], day: Any) -> None:
    text = f"{day:%d}/{day:%m}/{day.year:04}" if formats else day.isoformat()
    assert read_date(text, formats) == day


@given(JSON)
def test_every_value_is_the_same_as_itself_and_so_is_its_json(value: Any) -> None:
    assert strict_json.same(value, strict_json.loads(json.dumps(value)))


@given(JSON, JSON)
def test_sameness_is_that_of_canonical_json(one: Any, other: Any) -> None:
    def plain(value: Any) -> Any:
        match value:
            case float() if value.is_integer():
                return int(value)
            case list():
                return [plain(item) for item in value]
            case dict():
                return {key: plain(item) for key, item in value.items()}
        return value

    canonical = [json.dumps(plain(value), sort_keys=True) for value in (one, other)]
    assert strict_json.same(one, other) is (canonical[0] == canonical[1])


@pytest.mark.parametrize(
    ("path", "found"),
    [("a.b[0]", 1), ("a.b[1].c", 2), ("a.b.0", 1), ("a.x", MISSING), ("a.b[9]", MISSING), ("a.b[-1]", MISSING),
     ("a.b[²]", MISSING), ("", MISSING), ("a.b[0].c", MISSING)],
)  # fmt: skip
def test_a_path_leads_somewhere_or_nowhere(path: str, found: Any) -> None:
    assert strict_json.at({"a": {"b": [1, {"c": 2}]}}, path) is found


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ("Here:\n``` \t\n[1]\n```  \nDone.", [1]),
        ("```json\n[1,\n```json\n2]\n```", None),
        ("```python\n1\n```\n2\n```", 2),
        ("```json\n1", None),
        ("```json", None),
        (" ```\n1\n ```", None),
    ],
)
def test_data_in_a_fenced_block(text: str, data: Any) -> None:
    if data is None:
        with pytest.raises(ValueError, match=r".+"):
            answer_data(text)
    else:
        assert answer_data(text) == data


def test_very_many_fences_are_looked_at_once() -> None:
    with pytest.raises(ValueError, match=r".+"):
        answer_data("```json\n" * 500_000)


def test_the_minimum_is_all_or_nothing() -> None:
    fields = FieldRule(path="id"), FieldRule(path="paid")
    assert compared({"id": "INV-1", "paid": False}, *fields, aggregation="minimum").score == 0.0
    assert compared({"id": "INV-1", "paid": True}, *fields, aggregation="minimum").score == 1.0


@pytest.mark.parametrize("answer", ["", {"id": "x"}])
def test_a_pattern_that_cannot_be_used_is_the_authors_mistake(answer: Any) -> None:
    found = compared(answer, FieldRule(path="id", match="regex"), expected={"id": "("})
    assert found.status is Status.ERROR


def test_a_check_of_a_suite_leaves_out_what_a_case_does_not_expect() -> None:
    fields = FieldRule(path="id"), FieldRule(path="gone")
    assert compared({"id": "INV-1"}, *fields).status is Status.ERROR
    of_suite = make(FieldAccuracy, fields=fields).but(place=Place(Path("suite.yaml"), 1, 1))
    evidence = Evidence(output='{"id": "INV-1"}')
    assert judge(of_suite, evidence, expected_output=EXPECTED).score == 1.0
    assert judge(of_suite.but(fields=fields[1:]), evidence, expected_output=EXPECTED).status is Status.NOT_JUDGED
