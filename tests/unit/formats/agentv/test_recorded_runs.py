"""Recorded runs of AgentV, old and new, as submissions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from recorded_answers import TRANSCRIPT, saved

from gradebox.graders.cases.load import load
from gradebox.graders.formats.agentv import recorded_run
from gradebox.graders.formats.agentv.recorded_runs import RecordedRuns, files_of
from gradebox.graders.model.case import Case
from gradebox.graders.model.submission import Submission
from gradebox.graders.reports.report_formats import save_report

SUITE = """\
name: benchmark
execution: {targets: [baseline, candidate]}
assertions: [{type: contains, value: Fixed}]
tests:
  - {id: add-auth, input: Add it.}
  - {id: fix-null, input: Fix it.}
"""
ALONE = SUITE.replace("execution: {targets: [baseline, candidate]}\n", "")
MESSAGES = [
    {"role": "assistant", "content": "Looking.", "tool_calls": [{"tool": "Read", "input": {"path": "a.ts"}}]},
    {"role": "assistant", "content": "Fixed.", "token_usage": {"input": 7, "output": 3}},
]


def cases(root: Path, text: str = ALONE) -> tuple[Case, ...]:
    root.mkdir(parents=True, exist_ok=True)
    (root / "benchmark.eval.yaml").write_text(text)
    loaded = load(root / "benchmark.eval.yaml")
    assert not loaded.errors
    return loaded.cases


def written(root: Path, *rows: Any, name: str = "index.jsonl") -> Path:
    root.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return root


def read(path: Path, *graded: Case, left_out: tuple[str, ...] = ()) -> RecordedRuns:
    found = recorded_run(path, graded, left_out)
    assert found is not None
    return found


def pairs(runs: RecordedRuns) -> list[tuple[str, str | None, Submission]]:
    found = [(case.id, case.target, submission) for case, submission in runs.pairs()]
    assert len(found) == runs.count
    return found


def messages_of(runs: RecordedRuns) -> list[str]:
    return [str(found) for found in runs.findings]


def test_a_run_that_gradebox_wrote_is_read_back(tmp_path: Path) -> None:
    save_report(saved(tmp_path / "runs"), "agentv", tmp_path / "out")
    runs = read(tmp_path / "out", *cases(tmp_path, SUITE))
    first, second = pairs(runs)
    assert first[:2] == ("add-auth", "baseline")
    assert (first[2].name, first[2].output, first[2].transcript) == ("baseline", "Fixed.\n", TRANSCRIPT)
    # An error is none of the candidate's. Work without an answer is not in AgentV's files.
    assert (*second[:2], second[2].fault) == ("fix-null", "candidate", "AgentV recorded no answer: no engine")
    assert [line.split(": ", 2)[2] for line in messages_of(runs)] == [
        "the result of `fix-null` holds no answer. Record it again."
    ]


@pytest.mark.parametrize(
    "row",
    [
        {"test_id": "add-auth", "answer": "Fixed."},
        {"eval_id": "add-auth", "candidate_answer": "Fixed."},
        {"evalId": "add-auth", "dataset": "other", "candidateAnswer": "Fixed.", "verdict": "pass"},
        {"testId": "add-auth", "output": "Fixed.", "score": 0},
        {"test_id": "add-auth", "output": MESSAGES},
        {"test_id": "add-auth", "outputMessages": MESSAGES, "trace": {"costUsd": 0.5}},
    ],
)
def test_rows_of_every_version_hold_an_answer(tmp_path: Path, row: dict[str, Any]) -> None:
    for name in ("results.jsonl", "eval_2026.jsonl", "a.results.jsonl"):
        root = written(tmp_path / name, row, name=name)
        ((case, _, submission),) = pairs(read(root, *cases(tmp_path)))
        answer = submission.output or (submission.transcript.output if submission.transcript else None)
        assert (case, answer) == ("add-auth", "Fixed.")
        ((_, _, alone),) = pairs(read(root / name, *cases(tmp_path)))
        assert alone == submission


def test_the_numbers_of_messages_of_the_row_and_of_its_summary_count(tmp_path: Path) -> None:
    row = {"test_id": "add-auth", "output": MESSAGES, "trace": {"cost_usd": 0.5, "llm_call_count": 4}}
    ((_, _, submission),) = pairs(read(written(tmp_path, {**row, "duration_ms": 12}), *cases(tmp_path)))
    transcript = submission.transcript
    assert transcript is not None
    assert (transcript.cost_usd, transcript.duration_ms, transcript.llm_calls) == (0.5, 12, 4)
    assert (transcript.total_tokens, [call.name for call in transcript.tool_calls]) == (10, ["Read"])
    # Without messages it is not known which tools were called, and no calls at all would be made up.
    ((_, _, bare),) = pairs(read(written(tmp_path, {"test_id": "add-auth", "answer": "a"}), *cases(tmp_path)))
    assert bare.transcript is None


def test_the_files_of_a_row_are_found_by_its_paths_or_by_its_directory(tmp_path: Path) -> None:
    outputs = tmp_path / "benchmark" / "add-auth" / "outputs"
    outputs.mkdir(parents=True)
    (outputs / "answer.md").write_text("--- a/x\n+++ b/x\n")
    (outputs / "transcript.jsonl").write_text("\n".join(map(json.dumps, MESSAGES)))
    for row in (
        {"artifact_dir": "benchmark/add-auth"},
        {"answer_path": "benchmark/add-auth/outputs/answer.md", "result_dir": "benchmark/add-auth"},
    ):
        root = written(tmp_path, {"test_id": "add-auth", "target": "gpt", "cost_usd": 0.1, **row})
        ((_, _, submission),) = pairs(read(root, *cases(tmp_path)))
        assert submission.transcript is not None
        assert (submission.name, submission.output) == ("gpt", "--- a/x\n+++ b/x\n")
        assert (submission.transcript.cost_usd, submission.transcript.total_tokens) == (0.1, 10)


def test_names_are_unique_as_documents_write_them(tmp_path: Path) -> None:
    rows = ({"test_id": "add-auth", "target": name, "answer": "Fixed."} for name in ("x\ud800", "x\\ud800"))
    runs = read(written(tmp_path / "run", *rows), *cases(tmp_path))
    assert [submission.name for _, _, submission in pairs(runs)] == ["x\\ud800", "x\\ud800 2"]


def test_a_row_that_cannot_be_graded_is_named_and_the_others_are_graded(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("Fixed.")
    root = written(
        tmp_path / "run",
        "{",
        "[1]",
        {"score": 1},
        {"test_id": "add-auht", "answer": "x"},
        {"test_id": "other", "answer": "x"},
        {"test_id": "add-auth", "answer_path": "../secret.md"},
        {"test_id": "add-auth", "score": 0.9},
        {"test_id": "fix-null", "answer": "Fixed.", "transcript_path": "t.jsonl"},
        {"test_id": "add-auth", "answer": "Fixed."},
    )
    (root / "t.jsonl").write_text("no transcript")
    runs = read(root, *cases(tmp_path), left_out=("other",))
    found = messages_of(runs)
    assert [line.split(": ", 1)[0].rpartition("run/")[2] for line in found] == [
        f"index.jsonl:{number}:1" for number in (1, 2, 3, 4, 6, 7)
    ]
    assert "Did you mean `add-auth`?" in found[3]
    assert "names the answer `../secret.md`, which is not a file below" in found[4]
    assert "holds no answer" in found[5]
    broken, answered = (submission for _, _, submission in pairs(runs))
    assert "t.jsonl cannot be read as a transcript" in broken.fault
    assert answered.output == "Fixed."


def test_a_target_of_the_case_gets_its_own_answer_and_any_other_goes_to_all(tmp_path: Path) -> None:
    rows = [{"test_id": "add-auth", "target": target, "answer": "a"} for target in ("candidate", "gpt", "gpt")]
    runs = read(written(tmp_path, *rows), *cases(tmp_path, SUITE))
    assert [(target, submission.name) for _, target, submission in pairs(runs)] == [
        ("candidate", "candidate"),
        ("baseline", "gpt"),
        ("candidate", "gpt"),
        ("baseline", "gpt 2"),
        ("candidate", "gpt 2"),
    ]
    assert "1 of 2 cases have no answer here and are not graded: fix-null" in messages_of(runs)[0]


def test_a_directory_of_runs_is_all_of_them_and_another_one_is_none(tmp_path: Path) -> None:
    for name in ("2026-01-01", "2026-01-02"):
        written(tmp_path / "results" / name, {"test_id": "add-auth", "target": "gpt", "answer": name})
    runs = read(tmp_path / "results", *cases(tmp_path))
    assert [(submission.name, submission.output) for _, _, submission in pairs(runs)] == [
        ("gpt", "2026-01-01"),
        ("gpt 2", "2026-01-02"),
    ]
    for name, text in (("a.jsonl", '{"case": "x", "test_id": "y"}\n'), ("b.jsonl", ""), ("c.txt", "")):
        (tmp_path / name).write_text(text)
        assert files_of(tmp_path / name) == []
    assert recorded_run(tmp_path / "a.jsonl", (), ()) is None


def test_the_messages_of_an_imported_transcript_are_one_recording(tmp_path: Path) -> None:
    rows = [
        {"test_id": case, "target": "codex", "message_index": index, **message, "transcript_cost_usd": 0.5}
        for index, message in enumerate(MESSAGES)
        for case in ("fix-null", "add-auth")
    ]
    written(tmp_path, *rows, name="imported.jsonl")
    found = pairs(read(tmp_path / "imported.jsonl", *cases(tmp_path)))
    assert [(case, submission.name) for case, _, submission in found] == [("fix-null", "codex"), ("add-auth", "codex")]
    for _, _, submission in found:
        assert submission.transcript is not None
        assert (submission.transcript.output, submission.transcript.cost_usd) == ("Fixed.", 0.5)
        assert (submission.transcript.llm_calls, submission.transcript.total_tokens) == (2, 10)


def test_an_error_of_agentv_is_no_failure_of_the_candidate(tmp_path: Path) -> None:
    row = {"test_id": "add-auth", "execution_status": "execution_error", "error": "exit 3", "answer": "Error: exit 3"}
    rows = [{**row, "failure_stage": stage} for stage in ("agent", "setup", "evaluator")]
    found = [submission for _, _, submission in pairs(read(written(tmp_path, row, *rows), *cases(tmp_path)))]
    assert [one.fault for one in found] == [*["AgentV recorded an error: exit 3"] * 3, ""]
    assert found[-1].output == "Error: exit 3", "an answer whose grader failed there is graded"


@pytest.mark.parametrize("place", ["add-auth", "benchmark/add-auth", "benchmark/add-auth/gpt", "add-auth/gpt"])
def test_a_row_without_paths_has_its_files_where_its_names_say(tmp_path: Path, place: str) -> None:
    outputs = tmp_path / place / "outputs"
    outputs.mkdir(parents=True)
    (outputs / "answer.md").write_text("Fixed.")
    (outputs / "transcript.jsonl").write_text("\n".join(map(json.dumps, MESSAGES)))
    row = {"test_id": "add-auth", "suite": "benchmark", "target": "gpt", "score": 1}
    ((_, _, submission),) = pairs(read(written(tmp_path, row), *cases(tmp_path)))
    assert (submission.output, submission.transcript is not None) == ("Fixed.", True)


def test_what_made_an_answer_keeps_the_tries_of_two_targets_apart(tmp_path: Path) -> None:
    rows = [
        {"test_id": "add-auth", "target": target, "answer": "a", "timestamp": "2026-01-31"}
        for target in ("gpt", "gpt", "o")
    ]
    found = [submission for _, _, submission in pairs(read(written(tmp_path, *rows), *cases(tmp_path)))]
    assert [one.origin for one in found] == [
        {"model": target, "timestamp": "2026-01-31"} for target in ("gpt", "gpt", "o")
    ]


@pytest.mark.parametrize(("answer", "known"), [("Fixed.", False), ("```py path=a.py\npass\n```", True)])
def test_a_recording_holds_no_workspace_but_the_code_of_its_answer(tmp_path: Path, answer: str, *, known: bool) -> None:
    run = written(tmp_path / "run", {"test_id": "fix-null", "target": "x", "answer": answer})
    ((_, _, submission),) = pairs(read(run, *cases(tmp_path)))
    assert submission.no_workspace == ("" if known else "the recording holds no workspace")


@pytest.mark.parametrize(("trace", "calls"), [({"event_count": 0}, 0), ({"event_count": 2}, None), (None, None)])
def test_a_row_without_messages_may_tell_that_no_tool_was_called(
    tmp_path: Path, trace: dict[str, int] | None, calls: int | None
) -> None:
    run = written(tmp_path / "run", {"test_id": "fix-null", "answer": "Fixed.", "trace": trace, "duration_ms": 5})
    ((_, _, submission),) = pairs(read(run, *cases(tmp_path)))
    found = submission.transcript
    assert (None if found is None else (len(found.tool_calls), found.duration_ms)) == (
        None if calls is None else (calls, 5)
    )
