"""A run directory of AgentV, file by file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fabricated import check, graded, write
from recorded_answers import TRANSCRIPT, saved

from gradebox.graders.errors import RunRefused, UsageRefused
from gradebox.graders.reports.agentv_report import report
from gradebox.graders.reports.report_formats import ReportFile, check_places, save_report
from gradebox.graders.submissions.transcript_json import parse_transcript

GOLDEN = Path(__file__).with_name("agentv-directory.txt")


def listing(directory: Path, run: str) -> str:
    """Return all files of a directory as one text."""
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    return "".join(
        f"== {path.relative_to(directory)}\n{path.read_text().rstrip()}\n".replace(run, "RUN") for path in files
    )


def test_the_directory_is_as_it_was(tmp_path: Path) -> None:
    run = saved(tmp_path / "runs")
    save_report(run, "agentv", tmp_path / "out")
    found = listing(tmp_path / "out", run.id)
    if not GOLDEN.exists():
        GOLDEN.write_text(found)
    assert found == GOLDEN.read_text()
    assert "".join(report(run)) == (tmp_path / "out" / "index.jsonl").read_text()


def test_every_row_has_what_compare_and_results_read(tmp_path: Path) -> None:
    save_report(saved(tmp_path / "runs"), "agentv", tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "index.jsonl").read_text().splitlines()]
    assert [(one["test_id"], one["target"], one["execution_status"]) for one in rows] == [
        ("add-auth", "baseline", "ok"),
        ("fix-null", "baseline", "quality_failure"),
        ("fix-null", "candidate", "execution_error"),
    ]
    for one in rows:
        assert isinstance(one["score"], float)
        assert all((tmp_path / path).is_file() for key, path in one.items() if key.endswith("_path"))
        assert all(
            set(score) >= {"name", "type", "score", "weight", "verdict", "assertions"} for score in one["scores"]
        )


def test_its_transcript_is_one_that_gradebox_reads(tmp_path: Path) -> None:
    save_report(saved(tmp_path / "runs"), "agentv", tmp_path / "out")
    (file,) = (tmp_path / "out").rglob("transcript.jsonl")
    assert parse_transcript(file.read_bytes()) == TRANSCRIPT


def test_it_is_written_into_a_directory_and_not_into_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    check_places([ReportFile("agentv", tmp_path), ReportFile("agentv", tmp_path / "new")])
    with pytest.raises(UsageRefused, match="Not a directory"):
        check_places([ReportFile("agentv", tmp_path / "file")])
    with pytest.raises(RunRefused, match="cannot be written: "):
        save_report(saved(tmp_path / "runs"), "agentv", tmp_path / "file")


def test_the_tries_of_a_case_are_one_row_of_the_best_one(tmp_path: Path) -> None:
    shared = {"target": "gpt", "trials": "pass_at_k"}
    run = write(
        tmp_path / "runs",
        [
            graded("a", check("t", 0.5), **shared),
            graded("a", check("t", 1.0), repeat=2, answer="right", **shared),
            graded("a", check("t", None), repeat=3, **shared),
            graded("b", check("t", 0.5), target="gpt", trials="mean"),
            graded("b", check("t", 0.9), target="gpt", trials="mean", repeat=2),
        ],
    )
    save_report(run, "agentv", tmp_path / "out")
    first, second = (json.loads(line) for line in (tmp_path / "out" / "index.jsonl").read_text().splitlines())
    assert (first["score"], first["execution_status"], first["target"]) == (1.0, "ok", "gpt")
    assert first["trials"] == [
        {"attempt": 0, "score": 0.5, "verdict": "fail"},
        {"attempt": 1, "score": 1.0, "verdict": "pass"},
        {"attempt": 2, "score": 0.0, "verdict": "fail", "execution_status": "execution_error"},
    ]
    assert first["aggregation"] == {"strategy": "pass_at_k", "passed_attempts": 1, "total_attempts": 3}
    assert (tmp_path / "out" / first["answer_path"]).read_text() == "right"
    assert (second["score"], second["execution_status"]) == (pytest.approx(0.7), "quality_failure")
    assert second["aggregation"] == {"strategy": "mean", "mean": pytest.approx(0.7), "min": 0.5, "max": 0.9}
