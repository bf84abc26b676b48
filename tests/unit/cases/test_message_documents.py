"""Messages as they are written, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from gradebox.graders.cases.message_documents import ExpectedOutput, Input, expected_output, messages, named_files
from gradebox.graders.documents.validators import Context
from gradebox.graders.model.case import Case, Message


def read(kind: Any, value: Any) -> Any:
    return TypeAdapter(kind).validate_python(value, strict=True, context=Context({}))


def find(name: str) -> Path:
    return Path("/files") / name


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("hello", (Message("user", "hello"),)),
        ({"role": "system", "content": "be brief"}, (Message("system", "be brief"),)),
        ([{"role": "user"}], (Message("user", ""),)),
        ([{"role": "user", "content": {"a": 1}}], (Message("user", ({"type": "json", "value": {"a": 1}},)),)),
    ],
)
def test_every_way_to_write_the_input(written: Any, expected: tuple[Message, ...]) -> None:
    assert messages(read(Input, written), find) == expected


def test_a_block_of_a_file_keeps_where_the_file_is() -> None:
    written = read(Input, [{"role": "user", "content": [{"type": "file", "value": "a.txt"}]}])
    (message,) = messages(written, find)
    assert message.content == ({"type": "file", "value": "a.txt", "path": "/files/a.txt"},)
    assert list(named_files(written)) == [((0, "content", 0, "value"), "a.txt")]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("42", "42"),
        ({"answer": 42}, {"answer": 42}),
        ([1, 2], "[1, 2]"),
        ({"role": "assistant", "content": "42"}, (Message("assistant", "42"),)),
        ([{"role": "assistant", "content": "42"}], (Message("assistant", "42"),)),
    ],
)
def test_messages_have_a_role_and_everything_else_is_data(written: Any, expected: Any) -> None:
    assert expected_output(read(ExpectedOutput, written), find) == expected


def test_a_number_is_the_text_of_a_message(case_of: Callable[..., Case]) -> None:
    case = case_of("expected_output: [{role: assistant, content: 42}]\ncriteria: x\n")
    assert case.expected_output == (Message("assistant", "42"),)
