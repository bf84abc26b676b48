"""A run in the JSON lines of AgentEvals."""

from __future__ import annotations

from pathlib import Path

from recorded_answers import saved

from gradebox.graders.reports.agentevals_report import report

GOLDEN = Path(__file__).with_name("agentevals-results.jsonl")


def test_the_lines_are_as_they_were(tmp_path: Path) -> None:
    found = "".join(report(saved(tmp_path)))
    if not GOLDEN.exists():
        GOLDEN.write_text(found)
    assert found == GOLDEN.read_text()
