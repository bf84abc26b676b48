"""Each answer of a run with the leaderboard's counters, as a line of CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from fabricated import answered, check, graded, write

from gradebox.plugins.julia_leaderboard.leaderboard_csv_report import report


def test_each_answer_is_a_line_and_other_cases_are_none(tmp_path: Path) -> None:
    verdicts = [
        answered("add_one", "org/x:7b", tests="10", examples="1"),
        graded("other", check("t", 1.0)),
        answered("add_one", "=x", fault="no engine", submission="second"),
    ]
    first, second = csv.DictReader(io.StringIO("".join(report(write(tmp_path, verdicts))), newline=""))
    assert (first["name"], first["model"], first["prompt_label"], first["verdict"]) == (
        "add_one", "org/x:7b", "AsIs", "passed"
    )  # fmt: skip
    assert (first["parsed"], first["unit_tests_passed"], first["unit_tests_count"]) == ("True", "1", "2")
    assert (first["examples_executed"], first["examples_count"], first["score"]) == ("1", "1", "87.5")
    assert (second["verdict"], second["score"], second["parsed"]) == ("error", "", "")
    assert second["model"] == "'=x"
