"""Evidence that is read back: as much as there is, and no more than a reader needs."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from unpacked import unpacked

from gradebox.graders.model.result import Result
from gradebox.graders.model.transcript import Transcript, TranscriptMessage
from gradebox.graders.model.verdict import CheckResult, Status, StepRecord, decide
from gradebox.graders.runs.saved_evidence import answer_of, steps_of, transcript_of
from gradebox.graders.runs.saved_run import read_run
from gradebox.graders.runs.store import Store
from gradebox.sandbox.types import Capture, Ending, Outcome

STARTED = datetime(2026, 1, 31, 14, 25, tzinfo=UTC)


def capture(data: bytes) -> Capture:
    return Capture(head=data, total_bytes=len(data), sha256=sha256(data).hexdigest())


def step(name: str, stdout: bytes = b"", stderr: bytes = b"", *, role: str = "check") -> StepRecord:
    outcome = Outcome(Ending.EXITED, 0, stdout=capture(stdout), stderr=capture(stderr))
    return StepRecord(role, name, ("true",), outcome, passed=True)


def graded(
    *steps: StepRecord, case: str = "case", submission: str = "work", own: tuple[StepRecord, ...] = ()
) -> Result:
    check = CheckResult("login", "code-grader", Status.PASSED, 1.0, 0.8, steps=steps)
    return Result("0123", case, submission, decide([check], threshold=0.8), STARTED, own_steps=own)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_what_was_omitted_of_an_output_is_counted(tmp_path: Path) -> None:
    store = Store.create(tmp_path, {})
    outcome = Outcome(Ending.EXITED, 0, stdout=Capture(b"begin", b"end", 1000, "hash"))
    store.add(graded(StepRecord("check", "loud", ("x",), outcome, passed=True)))
    store.close()
    (line,) = lines(unpacked(store.directory) / "case" / "work" / "steps.jsonl")
    assert line["stdout"] == {
        "bytes": 1000, "sha256": "hash", "omitted_bytes": 992, "file": "001-check-loud.stdout",
    }  # fmt: skip


def test_evidence_of_which_the_end_was_lost_is_read_up_to_there(tmp_path: Path) -> None:
    store = Store.create(tmp_path, {})
    store.add(graded(step("login", b"out"), step("more", b"out")))
    store.close()
    path = unpacked(store.directory) / "case" / "work" / "steps.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    run = read_run(store.directory)
    (verdict,) = run.verdicts.values()
    assert [found.name for found in steps_of(run, verdict)] == ["login"]


def test_evidence_of_another_form_ends_where_it_is_not_understood(tmp_path: Path) -> None:
    store = Store.create(tmp_path, {})
    store.add(graded(step("login", b"out"), step("more", b"out")))
    store.close()
    path = unpacked(store.directory) / "case" / "work" / "steps.jsonl"
    first, second = path.read_bytes().splitlines()
    path.write_bytes(first + b"\n" + second.replace(b'"argv"', b'"words"') + b"\n")
    run = read_run(store.directory)
    (verdict,) = run.verdicts.values()
    assert [found.name for found in steps_of(run, verdict)] == ["login"]


def test_the_answer_and_how_it_came_about_are_kept(tmp_path: Path) -> None:
    said = Transcript((TranscriptMessage("assistant", "\ud800 \u00e9"),), llm_calls=1, output="\ud800 \u00e9")
    store = Store.create(tmp_path, {})
    store.add(replace(graded(case="a"), answer="a\r\nb \ud800", transcript=said))
    store.add(replace(graded(case="b"), transcript=said))
    store.add(graded(case="c"))
    store.close()
    run = read_run(store.directory)
    first, second, third = run.verdicts.values()
    assert (answer_of(run, first), answer_of(run, second), answer_of(run, third)) == ("a\r\nb ?", said.output, None)
    assert (transcript_of(run, first), transcript_of(run, third)) == (said, None)
