"""What the index says of verdicts together is what they say one by one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from fabricated import check, graded, many
from index_bench import named_run, updated

from gradebox.graders.runs.index.index_numbers import choices, measured_verdicts, trend
from gradebox.graders.runs.index.index_queries import VerdictFilter
from gradebox.graders.runs.saved_run import read_run


def test_measured_verdicts_are_those_of_the_run(tmp_path: Path) -> None:
    run = named_run(tmp_path, "one", many(40))
    index = updated(tmp_path)
    found = {(one.submission, one.started): one for one in measured_verdicts(index, "one")}
    verdicts = read_run(run).verdicts.values()
    assert len(found) == len(verdicts) == 40
    for verdict in verdicts:
        one = found[verdict.submission, verdict.started]
        for name in ("verdict", "score", "wall_seconds", "target", "category", "tags"):
            assert getattr(one, name) == getattr(verdict, name)
    index.close()


def test_choices_are_the_values_that_there_are(tmp_path: Path) -> None:
    named_run(tmp_path, "one", [graded("a", check("x", 1.0), target="t", tags=("b", "a"))])
    named_run(tmp_path, "two", [graded("a", check("x", 0.0, "no"), category="c", repeat=2)])
    index = updated(tmp_path)
    assert choices(index, "one", 9) == {"status": ["passed"], "tag": ["a", "b"], "target": ["t"]}
    assert choices(index, "two", 9) == {"status": ["failed"], "category": ["c"], "repeat": ["yes"], "reason": ["yes"]}
    assert choices(index, "", 1) == {
        "category": ["c"], "reason": ["yes"], "repeat": ["yes"], "status": ["failed"], "tag": ["a"], "target": ["t"],
    }  # fmt: skip
    index.close()


def test_a_trend_counts_one_case_in_each_run(tmp_path: Path) -> None:
    for day, score in ((1, 0.0), (2, 1.0), (3, 1.0)):
        named_run(
            tmp_path, f"2026010{day}-000000-aaaaaa", [graded("a", check("x", score)), graded("b", check("x", 1.0))]
        )
    named_run(tmp_path, "20260104-000000-aaaaaa", [graded("b", check("x", 1.0))])
    index = updated(tmp_path)
    found = trend(index, VerdictFilter(case="a"), 9)
    assert [row.run[:8] for row in found] == ["20260101", "20260102", "20260103"]
    assert [row.mean_score for row in found] == [0, 1, 1]
    assert found[0].counts == Counter(failed=1)
    assert [row.run[:8] for row in trend(index, VerdictFilter(case="a"), 2)] == ["20260102", "20260103"]
    index.close()
