"""One verdict with its neighbours, its timeline, and where outputs differ from another run."""

from __future__ import annotations

from pathlib import Path

import pytest
from fabricated import capture, check, graded, many, step
from index_bench import listed, named_run, updated

from gradebox.graders.errors import RunRefused
from gradebox.graders.reports.viewer.verdict_page import verdict_values
from gradebox.graders.runs.index.indexed_run import IndexedRuns


def test_a_verdict_knows_the_list_that_it_was_opened_from(tmp_path: Path) -> None:
    named_run(tmp_path, "one", many(40))
    index = updated(tmp_path)
    failed = [row for row in listed(index, "one") if row.verdict == "failed"]
    found = verdict_values(IndexedRuns(index), "one", failed[1].key, {"status": "failed"})
    assert found["previous"] == f"/run/one/{failed[0].key}?status=failed"
    assert found["following"] == f"/run/one/{failed[2].key}?status=failed"
    assert found["article"].verdict.case == failed[1].case
    assert len(found["article"].timeline.bars) == 3
    everywhere = verdict_values(IndexedRuns(index), "one", failed[1].key, {"within": "all"})
    assert everywhere["address"].path == "/verdicts"
    assert everywhere["previous"].endswith("within=all")
    with pytest.raises(RunRefused, match="no such verdict"):
        verdict_values(IndexedRuns(index), "one", "00" * 16, {})
    index.close()


def test_outputs_are_compared_with_another_run(tmp_path: Path) -> None:
    for name, said in (("one", b"a\nb\n"), ("two", b"a\nc\n")):
        named_run(tmp_path, name, [graded("x", check("tests", 1.0, "", step("tests", stdout=capture(said))))])
    index = updated(tmp_path)
    key = listed(index, "two")[0].key
    found = verdict_values(IndexedRuns(index), "two", key, {"against": "one"})
    (difference,) = found["article"].differences
    assert difference.where == "tests, stdout, line 2, column 1"
    assert difference.sides == [("one", "b"), ("two", "c")]
    assert [row.run for row in found["elsewhere_same"]] == ["one"]
    assert found["this_address"]("one") == f"/run/two/{key}?against=one"
    assert verdict_values(IndexedRuns(index), "two", key, {})["article"].differences == []
    assert verdict_values(IndexedRuns(index), "two", key, {"against": "none"})["article"].differences == []
    index.close()
