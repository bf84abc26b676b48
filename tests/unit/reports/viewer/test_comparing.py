"""Comparisons are those of `grade compare`, made once, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fabricated import check, graded, many
from index_bench import append, named_run, updated

from gradebox.graders.errors import RunRefused
from gradebox.graders.reports import comparison
from gradebox.graders.reports.viewer import comparing
from gradebox.graders.reports.viewer.comparing import Comparisons
from gradebox.graders.runs.index.index_queries import find_verdict
from gradebox.graders.runs.index.indexed_run import IndexedRuns
from gradebox.graders.runs.index.run_index import RunIndex


@pytest.fixture
def index(tmp_path: Path) -> Iterator[RunIndex]:
    named_run(tmp_path, "one", many(150, seed=1))
    named_run(tmp_path, "two", many(150, seed=2))
    index = updated(tmp_path)
    yield index
    index.close()


def test_parts_are_all_of_what_changed(index: RunIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "_PAIRS", 20)
    comparisons = Comparisons(IndexedRuns(index))
    found = comparisons.values("one", "two", {})
    pairs = list(found["pairs"])
    for begin in range(20, found["shown"], 20):
        pairs += comparisons.values("one", "two", {"from": str(begin)})["pairs"]
    assert len(pairs) == found["shown"] == 150 - found["same"]
    assert comparisons.values("one", "two", {"from": "99999"})["pairs"] == []
    lost = comparisons.values("one", "two", {"change": "lost"})
    assert {pair.change for pair in lost["pairs"]} == {comparison.Transition.LOST}
    assert lost["shown"] == dict(lost["changes"])["lost"]
    case = pairs[0].case
    assert {pair.case for pair in comparisons.values("one", "two", {"case": case})["pairs"]} == {case}
    address = found["pair_address"](pairs[0])
    assert address.endswith("?against=one")
    assert find_verdict(index, "two", address.partition("?")[0].rpartition("/")[2]) is not None


def test_two_runs_are_read_once_until_one_changes(index: RunIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    compare = comparing.compare
    monkeypatch.setattr(comparing, "compare", lambda *runs: (compared.append(1), compare(*runs))[1])
    comparisons = Comparisons(IndexedRuns(index))
    for _ in range(3):
        comparisons.values("one", "two", {})
    assert len(compared) == 1
    append(index.root / "two", graded("new", check("x", 1.0), number=151))
    assert len(comparisons.values("one", "two", {})["comparison"].only_after) == 1
    assert len(compared) == 2


def test_a_run_that_is_not_there_is_refused(index: RunIndex) -> None:
    with pytest.raises(RunRefused):
        Comparisons(IndexedRuns(index)).values("one", "../two", {})
    (index.root / "two" / "results.jsonl").unlink()
    with pytest.raises(RunRefused, match="no verdict yet"):
        Comparisons(IndexedRuns(index)).values("one", "two", {})
