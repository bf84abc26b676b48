"""A run directory of AgentV, file by file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from recorded_answers import TRANSCRIPT, saved

from graders.errors import RunRefused, UsageRefused
from graders.reports.agentv_report import report
from graders.reports.report_formats import ReportFile, check_places, save_report
from graders.submissions.transcript_json import parse_transcript

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
