"""The messages of a case, and the files that they name, as a code-grader reads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gradebox.graders.cases import load
from gradebox.graders.checks.grader_input.case_messages import (
    MAX_TEXT_BYTES,
    expected_messages,
    input_entries,
    input_files,
    input_messages,
    text_of,
)
from gradebox.graders.model.case import Case
from gradebox.graders.model.tree import content

CaseOf = Callable[..., Case]
CHECK = "assertions: [{type: code-grader, command: [judge]}]\n"


@pytest.fixture
def with_files(tmp_path: Path) -> Case:
    """A case whose task names a file of the workspace, one beside the case, and one that is not text."""
    (tmp_path / "workspace" / "src").mkdir(parents=True)
    (tmp_path / "workspace" / "src" / "a.py").write_text("x = 1\n")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "b.md").write_text("# Notes\n")
    (tmp_path / "c.bin").write_bytes(b"\0\1")
    blocks = ", ".join(f"{{type: file, value: {name}}}" for name in ("workspace/src/a.py", "notes/b.md", "c.bin"))
    text = f"input: [{{role: user, content: [{{type: text, value: Read them.}}, {blocks}]}}]\n{CHECK}"
    (tmp_path / "case.yaml").write_text(text)
    (case,) = load(tmp_path).cases
    return case


def test_file_blocks_have_their_text_and_their_path_in_the_sandbox(with_files: Case) -> None:
    (message,) = input_messages(with_files)
    assert [(block.get("path"), block["text"]) for block in message["content"]] == [
        (None, "Read them."),
        ("/workspace/src/a.py", "x = 1\n"),
        ("/workspace/.inputs/notes/b.md", "# Notes\n"),
        ("/workspace/.inputs/c.bin", None),
    ]
    assert [block["value"] for block in message["content"]][1:] == ["workspace/src/a.py", "notes/b.md", "c.bin"]
    assert input_files(with_files) == [block["path"] for block in message["content"][1:]]
    assert str(with_files.directory) not in repr(message)


def test_files_that_are_not_in_the_workspace_are_delivered(with_files: Case) -> None:
    assert {entry.path: content(entry) for entry in input_entries(with_files)} == {
        ".inputs/notes/b.md": b"# Notes\n",
        ".inputs/c.bin": b"\0\1",
    }


def test_a_long_text_is_cut_off(with_files: Case) -> None:
    (with_files.directory / "notes" / "b.md").write_text("x" * (MAX_TEXT_BYTES + 9))
    (message,) = input_messages(with_files)
    assert len(message["content"][2]["text"]) == MAX_TEXT_BYTES


@pytest.mark.parametrize(
    ("written", "messages"),
    [
        ("", []),
        ("expected_output: Hello", [{"role": "assistant", "content": "Hello"}]),
        ("expected_output: {answer: 42}", [{"role": "assistant", "content": {"answer": 42}}]),
        (
            "expected_output: [{role: assistant, content: {riskLevel: High}}]",
            [{"role": "assistant", "content": {"riskLevel": "High"}}],
        ),
        (
            "expected_output: [{role: assistant, content: [{type: text, value: a}]}]",
            [{"role": "assistant", "content": [{"type": "text", "value": "a", "text": "a"}]}],
        ),
    ],
)
def test_the_reference_answer_is_a_list_of_messages(written: str, messages: object, case_of: CaseOf) -> None:
    assert expected_messages(case_of(f"{written}\n{CHECK}")) == messages


def test_calls_have_a_tool_and_an_input_in_both_shapes(case_of: CaseOf) -> None:
    calls = """
    - {id: a, type: function, function: {name: read, arguments: '{"path": "x"}'}}
    - {id: b, type: function, function: {name: list}}
    - {tool: edit, input: {path: y}, output: {results: [1]}}
"""
    case = case_of(f"expected_output:\n- role: assistant\n  tool_calls:{calls}{CHECK}")
    (message,) = expected_messages(case)
    assert [(call["tool"], call["input"]) for call in message["tool_calls"]] == [
        ("read", {"path": "x"}),
        ("list", {}),
        ("edit", {"path": "y"}),
    ]
    assert message["tool_calls"][2]["output"] == {"results": [1]}


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        ([], ""),
        ([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}, {"role": "system", "content": "c"}], "b"),
        ([{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "file", "text": "b"}]}], "a\nb"),
        ([{"role": "user", "content": {"a": "ä"}}], '{"a": "ä"}'),
    ],
)
def test_the_text_of_messages(messages: list[dict[str, object]], text: str) -> None:
    assert text_of(messages, "user") == text
