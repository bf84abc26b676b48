"""JSON from whoever: what is refused beyond what the standard refuses."""

from __future__ import annotations

import pytest

from gradebox.graders.documents import strict_json
from gradebox.graders.documents.strict_json import MAX_DEPTH


@pytest.mark.parametrize("opened", ["[", '{"a":'])
def test_what_is_nested_no_deeper_than_the_limit_is_read_whatever_python_would_take(opened: str) -> None:
    closed = "]" if opened == "[" else "}"
    assert strict_json.loads(f"{opened * MAX_DEPTH}1{closed * MAX_DEPTH}")
    with pytest.raises(ValueError, match=f"deeper than {MAX_DEPTH} levels"):
        strict_json.loads(f"{opened * (MAX_DEPTH + 1)}1{closed * (MAX_DEPTH + 1)}")


@pytest.mark.parametrize(
    ("text", "said"),
    [("NaN", "no|not a number"), ("1e999", "too large"), ("[" * 100_000, "too deeply"), ("1" * 5000, "digits")],
)
def test_what_others_cannot_hold_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        strict_json.loads(text)


def test_an_object_may_be_asked_to_name_each_key_once() -> None:
    assert strict_json.loads('{"a": 1, "a": 2}') == {"a": 2}
    with pytest.raises(ValueError, match="twice"):
        strict_json.loads('[{"b": {"a": 1, "a": 2}}]', unique=True)
