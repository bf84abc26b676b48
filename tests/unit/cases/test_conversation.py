"""The turns of a conversation in a case file."""

from __future__ import annotations

from collections.abc import Callable

from gradebox.graders.cases import Loaded
from gradebox.graders.model.case import Case, Message

CHECK = "assertions: [{type: code-grader, command: [make, test]}]\n"
CaseOf = Callable[..., Case]


def test_a_conversation_has_turns_with_checks_of_their_own(case_of: CaseOf) -> None:
    case = case_of(
        "mode: conversation\naggregation: min\non_turn_failure: stop\nwindow_size: 2\n"
        "input: [{role: system, content: Be brief.}]\nturns:\n"
        "- {input: What is 2 + 2?, expected_output: '4', assertions: [Answers 4, {type: contains, value: '4'}]}\n"
        "- {input: [{type: text, value: Double it.}]}\nassertions: [Stays brief]\n"
    )
    first, second = case.turns
    assert first.input == (Message("user", "What is 2 + 2?"),)
    assert first.expected_output == "4"
    assert [check.type for check in first.checks] == ["llm-grader", "contains"]
    assert second.input == (Message("user", ({"type": "text", "value": "Double it."},)),)
    assert second.checks == ()
    assert [check.type for check in case.checks] == ["llm-grader"]
    assert (case.aggregation, case.on_turn_failure, case.window_size) == ("min", "stop", 2)


def test_a_conversation_may_have_checks_of_its_turns_alone(case_of: CaseOf) -> None:
    case = case_of("mode: conversation\ncriteria: x\nturns: [{input: Hello, assertions: [Greets]}]\n")
    assert (case.checks, len(case.turns[0].checks)) == ((), 1)


def test_a_conversation_without_turns_is_a_mistake(load_text: Callable[..., Loaded]) -> None:
    assert "no `turns`" in load_text(f"mode: conversation\n{CHECK}").errors[0].message


def test_mistakes_in_a_turn_have_their_place(load_text: Callable[..., Loaded]) -> None:
    loaded = load_text(
        "mode: conversation\nturns:\n"
        "- input: [{role: user, content: [{type: file, value: gone.md}]}]\n  assertions: [{type: contans, value: x}]\n"
    )
    assert sorted((found.line, found.path) for found in loaded.errors) == [
        (3, "turns[0].input[0].content[0].value"),
        (4, "turns[0].assertions[0].type"),
    ]
