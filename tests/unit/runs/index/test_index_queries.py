"""Lists of verdicts and runs, part by part: nothing is missing, nothing comes twice, and words are only words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fabricated import hostile, many
from index_bench import named_run, updated

from gradebox.graders.runs.index.index_queries import (
    SORTS,
    VerdictFilter,
    VerdictRow,
    count,
    earlier_run,
    find_row,
    find_verdict,
    neighbours,
    piece_place,
    run_page,
    same_elsewhere,
    verdict_page,
)
from gradebox.graders.runs.index.run_index import RunIndex


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunIndex]:
    root = tmp_path_factory.mktemp("runs")
    named_run(root, "20260101-000000-aaaaaa", many(60))
    named_run(root, "20260102-000000-bbbbbb", [*many(60, seed=8), hostile()])
    named_run(root, "20260103-000000-cccccc", [])
    index = updated(root)
    yield index
    index.close()


def walked(index: RunIndex, wanted: VerdictFilter, sort: str, *, descending: bool) -> list[VerdictRow]:
    """Return all verdicts of a list, a part at a time, after going back once from each part."""
    found: list[VerdictRow] = []
    page = verdict_page(index, wanted, sort, descending=descending, most=7)
    while True:
        found += page.rows
        if not page.has_after:
            return found
        last = page.rows[-1].row
        before = page
        page = verdict_page(index, wanted, sort, descending=descending, after=last, most=7)
        assert page.has_before
        back = verdict_page(index, wanted, sort, descending=descending, before=page.rows[0].row, most=7)
        assert back.rows == before.rows


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("sort", SORTS)
def test_parts_of_a_list_are_the_whole_list(index: RunIndex, sort: str, descending: bool) -> None:
    wanted = VerdictFilter("20260102-000000-bbbbbb")
    whole = verdict_page(index, wanted, sort, descending=descending, most=1000).rows
    assert len(whole) == len({row.key for row in whole}) == 61
    assert walked(index, wanted, sort, descending=descending) == whole
    values = [{"score": row.score or -1, "time": row.wall_seconds, "case": row.case}.get(sort, 0) for row in whole]
    assert values == sorted(values, reverse=descending)  # type: ignore[type-var]


def test_filters_and_words(index: RunIndex) -> None:
    def all_of(**fields: str) -> list[VerdictRow]:
        rows = verdict_page(index, VerdictFilter(**fields), most=1000).rows
        assert count(index, VerdictFilter(**fields)) == len(rows)
        return rows

    assert len(all_of()) == 121
    assert {row.verdict for row in all_of(status="failed")} == {"failed"}
    assert {row.target for row in all_of(target="model-d")} == {"model-d"}
    assert all("web" in row.tags for row in all_of(tag="web"))
    assert {row.category for row in all_of(category="bug")} == {"bug"}
    assert {row.submission for row in all_of(submission="model-a-00")} == {"model-a-00"}
    found = all_of(q="PARSER exit")
    assert found
    assert all("parser" in row.case and "exit" in row.reasons[0] for row in found)
    assert [row.category for row in all_of(q="<script>")] == ['"><script>document.title="owned"</script>\u202e']


@pytest.mark.parametrize(
    "words",
    [
        "' OR 1=1 --",
        '"',
        "%",
        "_",
        "\0",
        "a" * 100_000,
        "\ud800".encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
    ],
)
def test_words_are_never_part_of_a_query(index: RunIndex, words: str) -> None:
    for fields in ({name: words} for name in VerdictFilter._fields):
        wanted = VerdictFilter(**fields)
        found = verdict_page(index, wanted, most=1000).rows
        assert count(index, wanted) == len(found)
        # Words that nothing holds find nothing, whatever they would mean to a database.
        assert all(words.strip().lower() in " ".join([row.case, row.submission, *row.reasons]).lower() for row in found)
    assert index.rows("SELECT count(*) FROM verdicts") == [(121,)]


def test_a_row_that_is_gone_ends_a_list(index: RunIndex) -> None:
    page = verdict_page(index, VerdictFilter(), after=10**9, most=5)
    assert (page.rows, page.has_after) == ([], False)


def test_runs_are_listed_the_newest_first_part_by_part(index: RunIndex) -> None:
    first = run_page(index, most=2)
    assert [row.run[:8] for row in first.rows] == ["20260103", "20260102"]
    assert first.has_after
    second = run_page(index, after=first.rows[-1].row, most=2)
    assert [row.run[:8] for row in second.rows] == ["20260101"]
    assert not second.has_after
    assert [row.total for row in (*first.rows, *second.rows)] == [0, 61, 60]
    assert second.rows[0].mean_score == pytest.approx(0.7, abs=0.2)
    assert [row.run[:8] for row in run_page(index, "20260101").rows] == ["20260101"]
    assert earlier_run(index, first.rows[0].row)[:8] == "20260102"
    assert earlier_run(index, second.rows[0].row) == ""
    assert find_row(index, "no such run") is None


def test_a_verdict_is_found_by_its_key_with_its_neighbours_and_in_other_runs(index: RunIndex) -> None:
    rows = verdict_page(index, VerdictFilter("20260101-000000-aaaaaa"), most=100).rows
    found = find_verdict(index, rows[3].run, rows[3].key)
    assert found is not None
    assert found[0] == rows[3]
    assert neighbours(index, VerdictFilter(rows[3].run), "#", rows[3].row, descending=False) == [rows[2], rows[4]]
    assert neighbours(index, VerdictFilter(rows[0].run), "#", rows[0].row, descending=True) == [rows[1], None]
    assert [row.run[:8] for row in same_elsewhere(index, rows[3].key, 9)] == ["20260102", "20260101"]
    for key in ("", "no hex", "00" * 16, "../" * 4):
        assert find_verdict(index, rows[3].run, key) is None
    assert piece_place(index, rows[3].run, b"none") is None
