"""What a candidate wrote into a line of a file of answers, and how it is read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gradebox.graders.documents.positions import Malformed, Problem, data
from gradebox.graders.submissions.answer_line import AnswerEntry, read_line

LONG = "9" * 5000


def read(text: str) -> tuple[Any, list[str]]:
    problems: list[Problem] = []
    unreadable: list[str] = []
    node = read_line(text, unreadable, problems, first_line=1)
    assert not problems
    return data(node), unreadable


def called(arguments: str) -> str:
    return f'{{"case": "fix", "messages": [{{"role": "assistant", "tool_calls": [{{"input": {arguments}}}]}}]}}'


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"case": "fix", "answer": "a\\ud800b"}', "a\ufffdb"),
        ('{"case": "fix", "output": "\\ud83d\\ude00 \\udc00"}', "\U0001f600 \ufffd"),
    ],
)
def test_half_a_character_is_replaced(text: str, answer: str) -> None:
    found, unreadable = read(text)
    assert answer in found.values()
    assert not unreadable


@pytest.mark.parametrize(
    ("arguments", "value"),
    [("NaN", "NaN"), ("-Infinity", "-Infinity"), ("1e999", "1e999"), (LONG, LONG), ('{"\\ud800": 1}', {"\ufffd": 1})],
)
def test_what_is_no_json_in_messages_becomes_text(arguments: str, value: object) -> None:
    found, unreadable = read(called(arguments))
    assert found["messages"][0]["tool_calls"][0]["input"] == value
    assert not unreadable


@pytest.mark.parametrize("arguments", ["[" * 200 + "]" * 200, json.dumps([[]] * 400_001)])
def test_what_cannot_be_read_of_a_candidate_is_unreadable(arguments: str) -> None:
    found, unreadable = read(called(arguments))
    assert found == {"case": "fix", "answer": ""}
    assert unreadable[0].startswith("What it holds cannot be read: ")


@pytest.mark.parametrize(
    "text",
    [
        '{"case": "\\ud800", "answer": "\\ud800"}',
        '{"case": "fix", "answer": NaN}',
        '{"case": "fix", "messages": [], "cost_usd": 1e999',
        '{"case": "fix", "answer": "", "parameters": [' + "[" * 200 + "]" * 201 + "}",
        "NaN",
        "[" * 200 + "]" * 200,
    ],
)
def test_other_mistakes_are_those_of_the_file(text: str) -> None:
    with pytest.raises(Malformed):
        read(text)


def test_a_line_says_where_its_answer_comes_from() -> None:
    entry = AnswerEntry.model_validate({"case": "fix", "answer": "", "model": "gpt", "parameters": {"top": 1}})
    assert entry.origin == {"model": "gpt", "parameters": {"top": 1}}
