"""pydantic's errors are explained in plain English, with what to write instead."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from gradebox.graders.documents.messages import explain, subject
from gradebox.graders.documents.scalars import plain_scalar


@pytest.mark.parametrize(
    ("kind", "value", "message", "hint"),
    [
        (str, 5, "must be text, not the number 5", 'Quote it: "5".'),
        (str, plain_scalar("no"), "must be text, not `no`, which YAML also reads as a truth value", 'Quote it: "no".'),
        (str, plain_scalar(""), "has no value", "Write one, or remove the key."),
        (int, "12", "must be a whole number, not the text `12`", "Write it without quotes: 12."),
        (bool, "yes", "must be true or false, not the text `yes`", "Write true without quotes."),
        (list[str], "x", "must be a list, not the text `x`", "Begin each of its entries with `- `."),
        (dict[str, int], [1], "must be a mapping, not a list", ""),
        (Literal["docker", "none"], "dcker", "cannot be the text `dcker`", "Did you mean `docker`?"),
        (Annotated[float, Field(le=1)], 80.0, "must be at most 1, not the number 80.0", "Write 0.8 if you mean 80 %."),
        (Annotated[list[int], Field(min_length=1)], [], "must not be empty", ""),
    ],
)
def test_an_error_says_what_is_wrong_and_what_to_write(kind: Any, value: Any, message: str, hint: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value, strict=True)
    assert explain(caught.value.errors()[0]) == (message, hint)


@pytest.mark.parametrize(
    ("kind", "value", "message", "hint"),
    [
        (list[str], "x", "must be a list, not the text `x`", "Put its entries into brackets: `[...]`."),
        (str, plain_scalar("no"), "must be text, not `no`", 'Quote it: "no".'),
        (int, "12", "must be a whole number, not the text `12`", "Write it without quotes: 12."),
    ],
)
def test_outside_yaml_nothing_is_said_of_yaml(kind: Any, value: Any, message: str, hint: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value, strict=True)
    assert explain(caught.value.errors()[0], yaml=False) == (message, hint)


def test_the_subject_is_the_last_field_of_the_path() -> None:
    assert [subject(path) for path in [(), ("a", "b"), ("a", "b", 0, 1)]] == ["this", "`b`", "`b[0][1]`"]
