"""What validators of fields share."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError, ValidationInfo

from gradebox.graders.documents.scalars import Trap, TrapKind
from gradebox.graders.documents.validators import After, Before, Context, context, described, refused


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (Trap(TrapKind.EMPTY, ""), "empty"),
        (True, "`true`"),
        (3, "the number 3"),
        ("x", "the text `x`"),
        ("", "empty text"),
        ([1], "a list"),
        ({"a": 1}, "a mapping"),
        (None, "empty"),
    ],
)
def test_a_message_names_a_value(value: object, name: str) -> None:
    assert described(value) == name


def test_the_message_of_a_refusal_and_its_hint_arrive_as_they_are() -> None:
    def refuse(_: str) -> str:
        raise refused("must not be {x}", "Write y.")

    with pytest.raises(ValidationError) as raised:
        TypeAdapter(Annotated[str, After(refuse)]).validate_python("x")
    (error,) = raised.value.errors()
    assert (error["msg"], error["ctx"]["hint"]) == ("must not be {x}", "Write y.")


def test_before_sees_what_was_written_and_after_what_the_type_made_of_it() -> None:
    seen: list[Any] = []

    def look(value: Any) -> Any:
        seen.append(value)
        return value

    assert TypeAdapter(Annotated[int, After(look), Before(look)]).validate_python("7") == 7
    assert seen == ["7", 7]


def test_an_informed_function_gets_the_context() -> None:
    def expand(text: str, info: ValidationInfo) -> str:
        return context(info).environ[text]

    adapter = TypeAdapter(Annotated[str, After(expand, informed=True)])
    assert adapter.validate_python("HOME", context=Context({"HOME": "/root"})) == "/root"
