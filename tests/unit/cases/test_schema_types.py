"""What pydantic generates becomes draft-07."""

from __future__ import annotations

from gradebox.graders.cases.schema import definitions
from gradebox.graders.cases.schema_types import plain, unknown_validators


def test_every_validator_of_a_field_is_known_to_the_schema() -> None:
    """If a new one is not, say in `schema_types` what it takes, or give it a `json_schema_input_type`."""
    definitions()
    assert unknown_validators == set()


def test_words_of_later_drafts_become_those_of_draft_07() -> None:
    written = {"$defs": {"AbcEntry": {"ge": 1, "title": "Abc", "oneOf": [{"type": "null"}, {"anyOf": [{"lt": 2}]}]}}}
    assert plain(written, str.lower) == {
        "definitions": {"abcentry": {"minimum": 1, "anyOf": [{"type": "null"}, {"exclusiveMaximum": 2}]}}
    }
    assert plain({"$ref": "#/$defs/A", "default": None}, str.lower) == {"$ref": "#/definitions/a"}
