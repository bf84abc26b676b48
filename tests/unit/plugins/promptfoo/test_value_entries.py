"""Values of checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from promptfoo_files import checks, loaded, said


@pytest.mark.parametrize(
    ("written", "kind", "fields"),
    [
        ({"type": "contains", "value": "{{w}} {{n}}"}, "contains", {"value": "x 5"}),
        ({"type": "equals", "value": 5}, "equals", {"value": "5"}),
        ({"type": "equals", "value": True}, "equals", {"value": "true"}),
        ({"type": "equals", "value": {"a": [1]}}, "is-json", {"schema": {"const": {"a": [1]}}}),
        ({"type": "not-equals", "value": [1]}, "is-json", {"negate": True}),
        ({"type": "contains-all", "value": "a, b"}, "contains-all", {"value": ("a", "b")}),
        ({"type": "contains-any", "value": ["a, b"]}, "contains-any", {"value": ("a, b",)}),
        ({"type": "is-json", "value": '{"type": "object"}'}, "is-json", {"schema": {"type": "object"}}),
        ({"type": "is-json", "value": "file://s.json"}, "is-json", {"schema": {"type": "list"}}),
        ({"type": "contains", "value": "file://t.txt"}, "contains", {"value": "text of x"}),
        ({"type": "regex", "value": r"\{\{.*\}\}"}, "regex", {"value": r"\{\{.*\}\}"}),
    ],
    ids=str,
)
def test_a_value_has_our_shape(written: Any, kind: str, fields: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('{"type": "list"}')
    (tmp_path / "t.txt").write_text("text of {{w}}\n")
    if fields.get("schema") == {"type": "list"}:
        (tmp_path / "s.json").write_text('{"type": "array"}')
        fields = {"schema": {"type": "array"}}
    (check,) = checks(tmp_path, written, vars={"w": "x", "n": 5})
    assert (check.type, {name: getattr(check, name) for name in fields}) == (kind, fields)


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ({"type": "equals", "value": "{{wrod}}"}, "`{{wrod}}` stays as it is: no variable has this name"),
        ({"type": "equals", "value": "{{ word | upper }}"}, "only `{{name}}` is filled in"),
        ({"type": "contains-any", "value": ["a", "{% if word %}b{% endif %}"]}, "only `{{name}}` is filled in"),
        ({"type": "is-json", "value": "{not json"}, "`value` is not a JSON Schema"),
        ({"type": "contains", "value": "file://gone.txt"}, "the file `gone.txt` does not exist"),
        ({"type": "contains", "value": "file://make.js:f"}, "a value is not made by one"),
    ],
    ids=str,
)
def test_a_value_that_no_answer_could_meet_is_an_error(check: Any, message: str, tmp_path: Path) -> None:
    found = loaded(tmp_path, {"prompts": ["p"], "tests": [{"vars": {"word": "x"}, "assert": [check]}]})
    assert message in said(found)
    assert found.broken


def test_words_keep_what_no_variable_fills_in(tmp_path: Path) -> None:
    (check,) = checks(tmp_path, {"type": "llm-rubric", "value": "{{output}} is {{w}}"}, vars={"w": "x"})
    assert check.prompt == "{{output}} is x"
