"""JSON Schemas of authors on data of candidates."""

from __future__ import annotations

import time
from typing import Any

import pytest

from gradebox.graders.checks.text import json_schema


@pytest.mark.timeout(60)
def test_a_schema_that_never_ends_on_data_made_for_it_is_given_up() -> None:
    both = [{"items": {"$ref": "#"}}, {"items": {"$ref": "#"}}]
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "allOf": both}
    data: Any = 1
    for _ in range(40):
        data = [data]
    with pytest.raises(json_schema.SchemaFault, match="took longer than"):
        json_schema.violation(schema, data, seconds=0.3)


@pytest.mark.parametrize("more", [{}, {"additionalProperties": {}}])
def test_many_keys_with_a_slow_pattern_are_given_up(more: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    monkeypatch.setattr(json_schema, "found", lambda _, text: bool(searched.append(text) or time.sleep(0.02)))
    data = dict.fromkeys(map(str, range(500)), 1)
    with pytest.raises(json_schema.SchemaFault, match="took longer than"):
        json_schema.violation({"patternProperties": {"a": {}}, **more}, data, seconds=0.1)
    assert len(searched) < 100


@pytest.mark.parametrize("inner", ["#/definitions/m", "other.json", "https://example.org/elsewhere.json"])
def test_a_reference_that_leads_nowhere_is_found_before_there_is_data(inner: str) -> None:
    schema = {"definitions": {"n": {"items": {"$ref": inner}}}, "properties": {"x": {"$ref": "#/definitions/n"}}}
    with pytest.raises(json_schema.SchemaFault, match="which is not in it"):
        json_schema.check(schema)
    json_schema.check({"enum": [schema], "definitions": {"m": {"$id": "other.json"}, "n": {"$ref": "other.json"}}})


@pytest.mark.parametrize(
    ("schema", "data", "fits"),
    [
        ({"uniqueItems": True}, [1, "1", True, [1], {"a": 1}], True),
        ({"uniqueItems": True}, [{"a": 1, "b": 2}, {"b": 2, "a": 1.0}], False),
        ({"uniqueItems": True}, [[n] for n in range(50_000)], True),
        ({"patternProperties": {"^a": {"type": "string"}}, "additionalProperties": False}, {"ab": "x"}, True),
        ({"patternProperties": {"^a": {"type": "string"}}, "additionalProperties": False}, {"ab": 1}, False),
        ({"patternProperties": {"^a": {"type": "string"}}, "additionalProperties": False}, {"b": "x"}, False),
        ({"properties": {"b": True}, "additionalProperties": {"type": "null"}}, {"b": 1, "c": None}, True),
        ({"properties": {"b": True}, "additionalProperties": {"type": "null"}}, {"b": 1, "c": 1}, False),
        ({"pattern": "^a+$"}, "aaa", True),
        ({"pattern": "^a+$"}, "ab", False),
        ({"multipleOf": 0.1}, 10**400, False),
        ({"definitions": {"n": {"type": "integer"}}, "items": {"$ref": "#/definitions/n"}}, [1, 2], True),
        ({"definitions": {"n": {"type": "integer"}}, "items": {"$ref": "#/definitions/n"}}, [1, "2"], False),
        ({"properties": {"$schema": {"type": "string"}}}, {"$schema": 1}, False),
    ],
)
def test_schemas_are_those_of_draft_07(schema: Any, data: Any, *, fits: bool) -> None:
    assert (json_schema.violation(schema, data) == "") is fits
