"""The older names of what a code-grader reads."""

from __future__ import annotations

import json
from typing import Any

import pytest
from evidence_bench import case, make

from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.grader_input import old_names as module
from gradebox.graders.checks.grader_input.old_names import old_names
from gradebox.graders.checks.grader_io import describe_submission, grader_input
from gradebox.graders.model.case import CommandSpec, Message
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.tree import Tree
from gradebox.graders.submissions.transcript_json import parse_transcript

CALLS = [{"tool": "search", "input": {"q": 1}}]
TRANSCRIPT = json.dumps({"messages": [{"role": "assistant", "content": "Paris", "tool_calls": CALLS}], "cost_usd": 2})


def told(submission: Submission, *, older: bool = True) -> dict[str, Any]:
    check = make(CodeGrader, command=CommandSpec(("judge",)))
    its_case = case(check, criteria="Names it.", input=(Message("user", "Which city?"),), expected_output="Paris.")
    data = describe_submission(submission, Tree(), Tree())
    read: dict[str, Any] = json.loads(grader_input(its_case, check, data, older=older))
    return read


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("question", "Which city?"),
        ("candidateAnswer", "Paris"),
        ("candidate_answer", "Paris"),
        ("referenceAnswer", "Paris."),
        ("reference_answer", "Paris."),
        ("expectedOutcome", "Names it."),
        ("expected_outcome", "Names it."),
        ("inputMessages", [{"role": "user", "content": "Which city?"}]),
        ("input_messages", [{"role": "user", "content": "Which city?"}]),
        ("expectedMessages", [{"role": "assistant", "content": "Paris."}]),
        ("expected_messages", [{"role": "assistant", "content": "Paris."}]),
        ("outputMessages", [{"role": "assistant", "content": "Paris"}]),
        ("output_messages", [{"role": "assistant", "content": "Paris"}]),
        ("traceSummary", None),
        ("output_text", "Paris"),
        ("output", "Paris"),
    ],
)
def test_an_older_name_has_the_same_value(name: str, value: object) -> None:
    assert told(Submission("work", output="Paris"))[name] == value


def test_the_summary_of_a_transcript_has_both_spellings() -> None:
    read = told(Submission("work", transcript=parse_transcript(TRANSCRIPT)))
    assert read["trace_summary"]["tool_calls_by_name"] == read["traceSummary"]["toolCallsByName"] == {"search": 1}
    assert (read["trace_summary"]["event_count"], read["traceSummary"]["eventCount"]) == (1, 1)
    assert (read["trace_summary"]["cost_usd"], "token_usage" in read["trace_summary"]) == (2, False)
    assert read["outputMessages"][0]["tool_calls"][0]["tool"] == "search"


def test_they_are_not_there_by_default() -> None:
    plain = told(Submission("work", output="Paris"), older=False)
    assert not {"question", "candidateAnswer", "reference_answer", "output_text", "traceSummary"} & plain.keys()
    assert {"note", "metadata", "config", "input_files"} <= plain.keys()


def test_an_answer_that_there_is_none_of_is_empty_text() -> None:
    read = told(Submission("work"))
    assert (read["candidateAnswer"], read["outputMessages"], read["output"]) == ("", [], None)


def test_large_messages_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_BYTES", 10)
    read = told(Submission("work", transcript=parse_transcript(TRANSCRIPT)), older=False)
    assert old_names(read)["output_messages"] == [{"role": "assistant", "content": "Paris"}]
