"""Runs of versions that kept no submissions: what their evidence holds is graded again, and the rest refused."""

from __future__ import annotations

import json
from pathlib import Path

from world import CHECK, World, the_run

from gradebox.graders.cli.main import run
from gradebox.graders.runs.evidence_log import LOG, members
from gradebox.graders.runs.saved_run import read_run
from gradebox.graders.runs.store import RECORD, RESULTS


def as_version_0_1(directory: Path) -> None:
    """Remove from a run what version 0.1 did not write."""
    log = (directory / LOG).read_bytes()
    with (directory / LOG).open("rb") as stream:
        kept = [piece for piece in members(stream) if not piece.key.startswith(b"submissions/")]
    (directory / LOG).write_bytes(b"".join(log[piece.offset : piece.offset + piece.length] for piece in kept))
    lines = [json.loads(line) for line in (directory / RESULTS).read_text().splitlines()]
    for line in lines:
        del line["submission_hash"], line["case_hash"]
    (directory / RESULTS).write_text("".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines))
    record = json.loads((directory / RECORD).read_text())
    for name in ("work_of", "only", "keep_submissions"):
        del record["asked"][name]
    (directory / RECORD).write_text(json.dumps({**record, "version": "0.1.0"}))


def again(*options: str) -> dict[str, tuple[str, str]]:
    """Grade what the only run kept again; return verdicts and reasons by the names of submissions."""
    as_version_0_1(the_run())
    run(["regrade", str(the_run()), "--execute", "--runs", "again", "-q", *options])
    (directory,) = Path("again").glob("[!.]*")
    return {one.submission: (one.verdict, " ".join(one.reasons)) for one in read_run(directory).verdicts.values()}


def test_answers_and_transcripts(world: World) -> None:
    world.write("a/case.yaml", f"language: python\nanswer_file: answer\n{CHECK}")
    world.write("said.md", "```python answer\nright\n```\n")
    world.write("code.jl", "right")
    world.write("talk.jsonl", '{"role": "assistant", "content": "```python answer\\nright\\n```"}\n')
    run(["-c", "a", "-s", "said.md", "-s", "code.jl", "-s", "talk.jsonl", "-q"])
    before = {one.submission: one.verdict for one in read_run(the_run()).verdicts.values()}
    assert {name: verdict for name, (verdict, _) in again().items()} == before


def test_a_directory_whose_files_are_texts_is_made_from_its_diff(world: World) -> None:
    world.write("a/workspace/answer", "neither")
    world.write("a/workspace/other", "x\n")
    run(["-c", "a", "-s", "work/one", "-s", "work/two", "-q"])
    assert {name: verdict for name, (verdict, _) in again().items()} == {"one": "passed", "two": "failed"}
    (directory,) = Path("again").glob("[!.]*")
    assert {one.origin["made_from"] for one in read_run(directory).verdicts.values()} == {"changes.diff"}


def test_what_a_diff_does_not_hold_is_refused(world: World) -> None:
    Path("work/one/answer").write_bytes(b"right\xff")
    Path("work/two/binary").write_bytes(b"\0")
    run(["-c", "a", "-s", "work/one", "-s", "work/two", "-s", "work/three", "-q"])
    found = again()
    assert found["three"][0] == "passed"
    for name in ("one", "two"):
        verdict, reasons = found[name]
        assert verdict == "error"
        assert "Version 0.1.0 kept no submissions. What it kept of this one is not all" in reasons


def test_a_workspace_that_has_changed_is_no_proof(world: World) -> None:
    run(["-c", "a", "-s", "work/one", "-q"])
    world.write("a/workspace/answer", "x")
    assert "the case's workspace has changed since" in again()["one"][1]
