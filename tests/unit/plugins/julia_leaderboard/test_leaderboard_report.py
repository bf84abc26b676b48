"""The leaderboard's counters by model, as a table in Markdown."""

from __future__ import annotations

from pathlib import Path

from fabricated import answered, check, graded, write

from gradebox.plugins.julia_leaderboard.leaderboard_report import report


def test_each_model_is_a_row_with_the_best_first(tmp_path: Path) -> None:
    verdicts = [
        answered("a", "small", tests="10", examples="1"),
        answered("a", "large", submission="l"),
        answered("b", "large"),
    ]
    lines = "".join(report(write(tmp_path, verdicts))).splitlines()
    assert lines[2].startswith("| model | score | answers | errors | parsed |")
    assert lines[4] == "| <code>large</code> | 100.0 | 2 | 0 | 2 | 2 | 4/4 | 4/4 | 2 | 0 |"
    assert lines[5] == "| <code>small</code> | 87.5 | 1 | 0 | 1 | 1 | 1/2 | 1/1 | 0 | 0 |"


def test_the_name_of_a_model_is_no_markup(tmp_path: Path) -> None:
    text = "".join(report(write(tmp_path, [answered("a", "a|b <script> @you")])))
    assert not {"a|b", "<script>", "@you"} & set(text.split())
    assert text.count("\n|") == 3


def test_a_run_without_such_answers_says_so(tmp_path: Path) -> None:
    text = "".join(report(write(tmp_path, [graded("other", check("t", 1.0))])))
    assert "This run has no answers to a definition.toml." in text
