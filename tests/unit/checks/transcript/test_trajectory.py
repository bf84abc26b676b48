"""Steps of a transcript against the words of promptfoo and AgentV 5."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from evidence_bench import judge, make

from gradebox.graders.cases import Loaded
from gradebox.graders.checks.transcript.trajectory import (
    ArgsEntry,
    CountedSteps,
    StepCount,
    StepEntry,
    StepSequence,
    ToolArgsMatch,
    ToolSequence,
    ToolUsed,
)
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.transcript import ToolCall, Transcript, TranscriptMessage
from gradebox.graders.model.verdict import Status

CALLS = (
    ToolCall("search", {"q": "x", "page": 1}),
    ToolCall("fetch_page", '{"url": "u", "options": {"deep": true}}'),
    ToolCall("shell", {"command": ["git", "push"]}),
    ToolCall("search", {"q": "y"}),
)
TALK = Evidence(
    transcript=Transcript(
        messages=(
            TranscriptMessage("user", "Go."),
            TranscriptMessage("assistant", "I look.", CALLS[:2]),
            TranscriptMessage("assistant", "", CALLS[2:]),
            TranscriptMessage("assistant", "Done."),
        ),
        tool_calls=CALLS,
    )
)


@pytest.mark.parametrize(
    ("value", "negate", "score"),
    [
        ("search", False, 1.0),
        ("SEARCH", False, 1.0),
        ("fetch*", False, 1.0),
        ("sear", False, 0.0),
        ("[a-z]*", False, 0.0),
        (("search", "fetch_page"), False, 1.0),
        (("search", "delete"), False, 0.0),
        # None of several may be called.
        (("search", "delete"), True, 0.0),
        (("delete", "drop"), True, 1.0),
        (CountedSteps(name="search", min=2), False, 1.0),
        (CountedSteps(name="search", max=1), False, 0.0),
        (CountedSteps(name="delete", min=0, max=0), False, 1.0),
        # A command line is a step of its own kind.
        ("shell", False, 0.0),
        (CountedSteps(name="git", type=("command",)), False, 1.0),
    ],
)
def test_tools_are_used(value: Any, score: float, *, negate: bool) -> None:
    found = judge(make(ToolUsed, value=value, negate=negate), TALK)
    assert (found.score, "search" in found.reason) == (score, True)


@pytest.mark.parametrize(
    ("steps", "mode", "score"),
    [
        (("search", "fetch*", "search"), "in_order", 1.0),
        (("search", "search"), "in_order", 1.0),
        (("fetch_page", "search", "search"), "in_order", 0.0),
        (("search", "fetch_page", "search"), "exact", 1.0),
        (("search", "search"), "exact", 0.0),
        (("search", StepEntry(name="git", type=("command",)), "search"), "in_order", 1.0),
    ],
)
def test_tools_are_used_in_an_order(steps: Any, mode: Any, score: float) -> None:
    assert judge(make(ToolSequence, value=StepSequence(steps=steps, mode=mode)), TALK).score == score
    if mode == "in_order":
        assert judge(make(ToolSequence, value=steps), TALK).score == score


@pytest.mark.parametrize(
    ("entry", "score"),
    [
        ({"name": "search", "args": {"q": "y"}}, 1.0),
        ({"name": "search", "args": {"q": "x"}, "mode": "exact"}, 0.0),
        ({"name": "search", "args": {"q": "x"}, "mode": "exact", "ignore": ("p*",)}, 1.0),
        ({"name": "search", "args": {"q": "x"}, "mode": "exact", "defaults": {"page": 1}}, 1.0),
        ({"name": "search", "args": {"q": "x"}, "mode": "exact", "defaults": {"page": True}}, 0.0),
        ({"name": "fetch*", "args": {"options": {"deep": True}}}, 1.0),
        ({"name": "fetch*", "args": {"options": {"deep": 1}}}, 0.0),
        ({"name": "delete", "args": {}}, 0.0),
    ],
)
def test_a_tool_is_given_arguments(entry: Any, score: float) -> None:
    assert judge(make(ToolArgsMatch, value=ArgsEntry(**entry)), TALK).score == score


@pytest.mark.parametrize(
    ("entry", "score"),
    [
        ({"max": 6}, 1.0),
        ({"max": 5}, 0.0),
        ({"type": ("message",), "min": 2, "max": 2}, 1.0),
        ({"type": ("tool", "command"), "min": 4, "max": 4}, 1.0),
        ({"name": "search", "max": 1}, 0.0),
    ],
)
def test_steps_are_counted(entry: Any, score: float) -> None:
    assert judge(make(StepCount, value=CountedSteps(**entry)), TALK).score == score


def test_calls_that_no_message_has_are_steps_too() -> None:
    evidence = Evidence(transcript=Transcript(tool_calls=CALLS))
    assert judge(make(StepCount, value=CountedSteps(min=4, max=4)), evidence).score == 1.0


@pytest.mark.parametrize("kind", [ToolUsed, ToolSequence])
def test_without_a_transcript_nothing_is_judged(kind: Any) -> None:
    assert judge(make(kind, value=("a",), negate=True), Evidence(output="x")).status is Status.NOT_JUDGED


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ("trajectory:tool-used, value: {min: 2}", "`value` names no tool"),
        ("trajectory:tool-used, value: []", "must not be empty"),
        ("trajectory:tool-args-match, value: {args: {}}", "`value` names no tool"),
        ("trajectory:tool-args-match, value: {name: a}", "is missing"),
        ("trajectory:step-count, value: {type: tool}", "asks for no number"),
        ("trajectory:step-count, value: {type: tols, max: 1}", "cannot be the text `tols`"),
        ("trajectory:tool-sequence, value: {mode: any}", "cannot be the text `any`"),
        ("skill-used, value: {min: 1}", "`value` names no skill"),
    ],
)
def test_a_mistake_is_reported(check: str, message: str, load_text: Callable[..., Loaded]) -> None:
    loaded = load_text(f"assertions: [{{type: {check}}}]\n")
    assert message in "\n".join(map(str, loaded.errors))
