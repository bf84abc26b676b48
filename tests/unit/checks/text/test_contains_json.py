"""JSON that stands somewhere in a text."""

from __future__ import annotations

from typing import Any

import pytest
from evidence_bench import text_is_judged

from gradebox.graders.checks.text.contains_json import ContainsJson, found_in

SCHEMA = {"type": "object", "required": ["a"]}


@pytest.mark.parametrize(
    ("text", "schema", "met"),
    [
        ('Here: {"a": 1}. Done.', None, True),
        ("```json\n[1, 2]\n```", None, True),
        ("{not json} and 5", None, False),
        ("no", None, False),
        ('{broken {"a": 1}', SCHEMA, True),
        ('{"b": 1} {"a": 1}', SCHEMA, True),
        ('{"b": 1}', SCHEMA, False),
    ],
)
def test_one_of_the_values_is_enough(text: str, schema: Any, *, met: bool) -> None:
    text_is_judged(ContainsJson, {"schema": schema}, text, met=met)


@pytest.mark.parametrize("piece", ["[", "[1,", '{"a":', "{"])
@pytest.mark.timeout(60)
def test_a_text_that_is_made_for_it_is_given_up_soon(piece: str) -> None:
    assert list(found_in(piece * 200_000, seconds=0.5)) == []
