"""Bars show what they are said to show."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from gradebox.graders.reports.html_report.article import ShownCommand
from gradebox.graders.reports.viewer.charts import timeline, trend_chart
from gradebox.graders.runs.index.index_queries import RunRow


def command(name: str, seconds: float, *, passed: bool = True) -> ShownCommand:
    return ShownCommand(False, passed, name, "", "exit status 0", seconds, "", "", "", "", [])


def run(name: str, **counts: int) -> RunRow:
    return RunRow(1, name, datetime(2026, 1, 1, tzinfo=UTC), "", None, "", Counter(counts), None)


def test_commands_follow_each_other_as_long_as_they_took() -> None:
    found = timeline([command("a", 1.0), command("b", 3.0, passed=False), command("c", 0.0)])
    assert found is not None
    assert [(bar.x, bar.width, bar.status) for bar in found.bars] == [
        (0, 250, "passed"), (250, 750, "failed"), (997, 3, "passed"),
    ]  # fmt: skip
    assert found.bars[1].title == "b: 3.00 s, from 1.00 s"
    assert len({bar.y for bar in found.bars}) == 3
    assert max(bar.y + bar.height for bar in found.bars) == found.height


def test_one_command_or_no_time_is_no_timeline() -> None:
    assert timeline([]) is None
    assert timeline([command("a", 1.0)]) is None
    assert timeline([command("a", 0.0), command("b", 0.0)]) is None


def test_a_run_is_a_column_of_shares() -> None:
    chart = trend_chart([run("a", passed=3, failed=1), run("none"), run("b", error=2)])
    assert chart is not None
    assert [(bar.status, bar.height / chart.height) for bar in chart.bars] == [
        ("passed", 0.75), ("failed", 0.25), ("error", 1),
    ]  # fmt: skip
    assert chart.bars[0].y + chart.bars[0].height == chart.height
    assert chart.bars[1].y == 0
    assert chart.bars[0].x == chart.bars[1].x < chart.bars[2].x
    assert chart.bars[0].title == "a: 3 of 4 passed"


def test_there_is_no_trend_of_one_run() -> None:
    assert trend_chart([run("a", passed=1), run("none")]) is None
