"""Text that is JSON, and meets a schema."""

from __future__ import annotations

from typing import Any

import pytest
from evidence_bench import text_cannot_be_judged, text_is_judged

from gradebox.graders.checks.text.is_json import IsJson
from gradebox.graders.checks.text.text_check import TextCheck

TEXT = "The Answer\nis 42.\n"
SCHEMA = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 1}}}


@pytest.mark.parametrize(
    ("kind", "fields", "text", "met"),
    [
        (IsJson, {}, ' {"n": 1}\n', True),
        (IsJson, {}, "42", True),
        (IsJson, {}, TEXT, False),
        (IsJson, {}, "", False),
        (IsJson, {}, '{"n": NaN}', False),
        (IsJson, {}, '{"n": 1e999}', False),
        (IsJson, {}, "[" * 200_000, False),
        (IsJson, {"schema": SCHEMA}, '{"n": 1}', True),
        (IsJson, {"schema": SCHEMA}, '{"n": 0}', False),
        (IsJson, {"schema": SCHEMA}, "{}", False),
        (IsJson, {"schema": True}, "[]", True),
        (IsJson, {"schema": False}, "[]", False),
    ],
)
def test_text_meets_a_check_or_its_opposite(kind: type[TextCheck], fields: Any, text: str, *, met: bool) -> None:
    text_is_judged(kind, fields, text, met=met)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"schema": {"pattern": r"(?i)(A+)+\1b"}}, '"' + "a" * 5000 + '"'),
        ({"schema": {"patternProperties": {r"(?i)(A+)+\1b": True}}}, '{"' + "a" * 5000 + '": 1}'),
        (
            {"schema": {"additionalProperties": False, "patternProperties": {r"(?i)(A+)+\1b": True}}},
            '{"' + "a" * 5000 + '": 1}',
        ),
        ({"schema": {"type": "nothing"}}, "1"),
        ({"schema": {"$schema": "https://json-schema.org/draft/2020-12/schema"}}, "1"),
        ({"schema": {"$ref": "https://example.org/elsewhere.json"}}, "1"),
        ({"schema": {"$ref": "#"}}, "1"),
    ],
)
def test_a_schema_that_cannot_be_used_is_an_error_whichever_way_round(
    monkeypatch: pytest.MonkeyPatch, fields: Any, text: str
) -> None:
    monkeypatch.setattr("gradebox.graders.checks.text.patterns.found.__kwdefaults__", {"seconds": 0.2})
    text_cannot_be_judged(IsJson, fields, text)
