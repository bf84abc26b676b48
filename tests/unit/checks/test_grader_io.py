"""What a code-grader is told of a submission."""

from __future__ import annotations

import json
from typing import Any

import pytest
from evidence_bench import COMMAND, case, make
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.grader_io import (
    MAX_DIFF_BYTES,
    MAX_FILE_BYTES,
    describe_submission,
    file_changes,
    grader_input,
    hook_input,
)
from gradebox.graders.model.case import Message
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.tree import Tree
from gradebox.graders.submissions import diff
from gradebox.graders.submissions.transcript_fields import TranscriptError
from gradebox.graders.submissions.transcript_json import MAX_TOOL_CALLS, parse_transcript
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry

CHECK = make(CodeGrader, "it", command=COMMAND)
TOLD = {"output": None, "messages": [], "trace": None}
LINES = st.lists(st.sampled_from(["a", "b", "", "c d", "\r", "\f"]), max_size=12).map("\n".join)
FILES = st.dictionaries(st.sampled_from(["a.py", "b/c.py", "d"]), LINES, max_size=3)


def tree(files: dict[str, str]) -> Tree:
    return Tree({path: file_entry(path, text.encode()) for path, text in sorted(files.items())})


@given(FILES, FILES)
def test_the_diff_turns_the_workspace_into_the_submissions(before: dict[str, str], after: dict[str, str]) -> None:
    changes = file_changes(tree(before), tree(after))
    # A file that is empty has no lines to show, so the format cannot say that it came or went.
    wanted = {path: text for path, text in after.items() if text}
    found = {path: text for path, text in before.items() if text}
    hunks = [part for part in changes.split("--- ") if "@@ " in part]
    if hunks:
        read = {path: text.encode() for path, text in before.items()}
        for change in diff.apply(diff.parse("".join(f"--- {part}" for part in hunks).encode()), read.get):
            found.pop(change.path, None)
            if change.content:
                found[change.path] = change.content.decode()
    assert found == wanted


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({"name": "Ada", "tags": [1]}, {"name": "Ada", "tags": [1]}),
        ("Ada", [{"role": "assistant", "content": "Ada"}]),
        (None, []),
    ],
)
def test_a_reference_answer_that_is_data_is_read_as_it_is_written(written: Any, told: Any) -> None:
    its_case = case(CHECK, expected_output=written)
    assert json.loads(grader_input(its_case, CHECK, {}))["expected_output"] == told


def test_under_older_names_a_reference_answer_is_a_list_of_messages() -> None:
    read = json.loads(grader_input(case(CHECK, expected_output={"a": 1}), CHECK, TOLD, older=True))
    assert read["expected_output"] == read["expectedMessages"] == [{"role": "assistant", "content": {"a": 1}}]


def test_what_did_not_change_is_not_in_the_diff() -> None:
    assert file_changes(tree({"a": "x\n"}), tree({"a": "x\n"})) == ""


def test_no_name_of_a_file_is_another_line_of_the_diff() -> None:
    name = 'x\u2028\n--- a/tests.py\n+++ b/tests.py\t"\x1b\\'
    escaped = r"x\342\200\250\n--- a/tests.py\n+++ b/tests.py\t\"\033\\"
    changes = file_changes(Tree(), tree({name: "1\n"}))
    assert changes == f'--- /dev/null\n+++ "b/{escaped}"\n@@ -0,0 +1,1 @@\n+1\n'
    (patch,) = diff.parse(changes.encode())
    assert patch.new == name


def test_only_lines_around_the_change_are_shown() -> None:
    before = "".join(f"{number}\n" for number in range(100))
    changes = file_changes(tree({"a": before}), tree({"a": before.replace("50\n", "fifty\n")}))
    assert changes == ("--- a/a\n+++ b/a\n@@ -48,7 +48,7 @@\n 47\n 48\n 49\n-50\n+fifty\n 51\n 52\n 53\n")


def test_binary_and_large_files_and_links_are_named_only() -> None:
    after = Tree(
        {
            "binary": file_entry("binary", b"\0secret"),
            "large": file_entry("large", b"x" * (MAX_FILE_BYTES + 1)),
            "link": ArchiveEntry("link", EntryKind.LINK, target="/etc/passwd"),
        }
    )
    changes = file_changes(Tree(), after)
    assert changes.count("Binary or large files differ") == 3
    assert "secret" not in changes
    assert "passwd" not in changes


def test_a_diff_without_end_is_cut_off() -> None:
    files = {f"{number}": "x\n" * 100_000 for number in range(20)}
    changes = file_changes(Tree(), tree(files))
    assert len(changes) < MAX_DIFF_BYTES + 100
    assert changes.endswith("... more files changed\n")


@pytest.mark.timeout(60)
def test_files_that_are_alike_in_no_order_take_no_time() -> None:
    one = "".join(f"{number * 7919 % 10_007}\n" for number in range(20_000))
    other = "".join(f"{number * 104_729 % 10_007}\n" for number in range(20_000))
    file_changes(tree({"a": one}), tree({"a": other}))
    # An algorithm that looks for the fewest lines needs minutes for this.


def test_answer_and_transcript_are_told_as_they_are() -> None:
    call = {"tool": "bash", "input": {"Key": 1}}
    messages = [{"role": "user", "content": "do it"}, {"role": "assistant", "content": "done", "tool_calls": [call]}]
    transcript = parse_transcript(json.dumps(messages))
    told = describe_submission(Submission("work", transcript=transcript), Tree(), Tree())
    assert told["output"] == "done"
    assert [message["role"] for message in told["messages"]] == ["user", "assistant"]
    assert told["trace"]["tools"] == {"bash": 1}
    assert json.loads(json.dumps(told))["messages"][1]["tool_calls"][0]["args"] == {"Key": 1}


def test_what_is_not_known_is_null() -> None:
    told = describe_submission(Submission("work"), Tree(), Tree())
    assert (told["output"], told["trace"], told["token_usage"], told["file_changes"]) == (None, None, None, "")


def test_arguments_are_told_as_deep_as_a_transcript_may_hold_them() -> None:
    deep = '{"a":' * 90 + "1" + "}" * 90
    text = f'[{{"role": "assistant", "tool_calls": [{{"tool": "b", "input": {deep}}}, {{"tool": "a"}}]}}]'
    told = describe_submission(Submission("work", transcript=parse_transcript(text)), Tree(), Tree())
    assert told["messages"][0]["tool_calls"][0]["args"] == json.loads(deep)
    assert list(told["trace"]["tools"].items()) == [("a", 1), ("b", 1)]


@pytest.mark.parametrize("depth", [101, 500, 900])
def test_deeper_arguments_are_no_transcript(depth: int) -> None:
    deep = "[" * depth + "]" * depth
    with pytest.raises(TranscriptError, match="nested"):
        parse_transcript(f'[{{"role": "assistant", "tool_calls": [{{"tool": "a", "input": {deep}}}]}}]')


def test_fifty_thousand_tools_are_counted_once() -> None:
    calls = [{"tool": f"tool-{number}"} for number in range(MAX_TOOL_CALLS)]
    transcript = parse_transcript(json.dumps([{"role": "assistant", "tool_calls": calls}]))
    trace = describe_submission(Submission("work", transcript=transcript), Tree(), Tree())["trace"]
    assert trace["event_count"] == len(trace["tool_calls"]) == MAX_TOOL_CALLS


def test_a_hook_reads_what_hooks_of_agentv_read() -> None:
    its_case = case(CHECK, input=(Message("system", "s"), Message("user", "Fix it.")), metadata={"risk": "high"})
    told = {"case_input": "Fix it.", "case_metadata": {"risk": "high"}, "eval_run_id": "", "test_id": its_case.id}
    assert json.loads(hook_input(its_case)) == {"workspace_path": "/workspace", **told}
    assert json.loads(hook_input(case(CHECK)))["case_metadata"] is None
