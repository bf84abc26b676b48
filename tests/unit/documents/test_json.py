"""JSON text -> nodes with positions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.documents.json import read_json
from gradebox.graders.documents.positions import Document, Malformed, Problem, data

MALFORMED = [
    ("", 1, 1, "expecting value"),
    ("{", 1, 2, "expecting property name enclosed in double quotes"),
    ("[1,", 1, 4, "expecting value"),
    ("[1 2]", 1, 4, "expecting ',' delimiter"),
    ("{'a': 1}", 1, 2, "expecting property name enclosed in double quotes"),
    ("{a: 1}", 1, 2, "expecting property name enclosed in double quotes"),
    ('{"a" 1}', 1, 6, "expecting ':' delimiter"),
    ("[1] 2", 1, 5, "extra data"),
    ("[NaN]", 1, 2, "`NaN` is not JSON"),
    ("[-Infinity]", 1, 2, "`-Infinity` is not JSON"),
    ("[True]", 1, 2, "expecting value"),
    ("[01]", 1, 3, "expecting ',' delimiter"),
    ("[.5]", 1, 2, "expecting value"),
    ("[1e999]", 1, 2, "too large"),
    ("[" + "1" * 400 + "]", 1, 2, "too long"),
    ("[" + "1" * 10_000 + "]", 1, 2, "too long"),
    ('["a\nb"]', 1, 4, "invalid control character"),
    ('["a', 1, 2, "unterminated string"),
    ('["\\q"]', 1, 3, "invalid \\escape"),
    ('["\\u12"]', 1, 4, "invalid \\uXXXX escape"),
    ('["\\ud800"]', 1, 2, "half of a surrogate pair"),
    ('{\n  "a": [\n    tru\n  ]\n}', 3, 5, "expecting value"),
    ("[" * 200 + "]" * 200, 1, 102, "nested deeper than 100"),
    ("[" * 100_000, 1, 1, "nested deeper than 100"),
]


@pytest.mark.parametrize("text", ["[1,]", '{"a": 1,}'])
def test_a_comma_after_the_last_value_is_refused(text: str) -> None:
    with pytest.raises(Malformed) as caught:
        read_json(text, [])
    assert "comma" in caught.value.hint


@pytest.mark.parametrize(("text", "line", "column", "says"), MALFORMED)
def test_what_is_not_json_is_refused_at_its_place(text: str, line: int, column: int, says: str) -> None:
    with pytest.raises(Malformed) as caught:
        read_json(text, [])
    assert (caught.value.line, caught.value.column) == (line, column)
    assert says in caught.value.message


def test_every_part_of_a_document_has_its_place() -> None:
    document = Document(Path("x.json"), read_json('{\n  "a": [1,\n    {"b": "c"}]\n}', [], first_line=10))
    place = document.place(("a", 1, "b"))
    assert (place.line, place.column) == (12, 11)
    place = document.place(("a", 1, "b"), of_key=True)
    assert (place.line, place.column) == (12, 6)


def test_a_key_that_is_written_twice_is_reported() -> None:
    problems: list[Problem] = []
    read_json('{"a": 1,\n "a": 2}', problems)
    assert [(problem.line, problem.column) for problem in problems] == [(2, 2)]
    assert "first in line 1" in problems[0].message


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(json_values, st.sampled_from([None, 1]), st.booleans())
def test_data_written_as_json_is_read_back(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    if max((len(str(abs(part))) for part in _integers(value)), default=0) < 300:
        assert data(read_json(text, [])) == value


def _integers(value: Any) -> list[int]:
    match value:
        case bool():
            return []
        case int():
            return [value]
        case list():
            return [part for child in value for part in _integers(child)]
        case dict():
            return [part for child in value.values() for part in _integers(child)]
        case _:
            return []


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read = data(read_json(text, []))
    except Malformed:
        return
    assert read == json.loads(text)
