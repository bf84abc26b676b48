"""A verdict is opened where the index says, and never another in its place, whatever the index says."""

from __future__ import annotations

from pathlib import Path

import pytest
from fabricated import many
from index_bench import listed, named_run, updated

from gradebox.graders.errors import RunRefused
from gradebox.graders.runs import evidence_log
from gradebox.graders.runs.index.indexed_run import IndexedRuns
from gradebox.graders.runs.saved_evidence import changes_of, steps_of
from gradebox.graders.runs.saved_run import read_run


def test_a_verdict_and_its_evidence_are_read_from_where_they_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = named_run(tmp_path, "one", many(30))
    index = updated(tmp_path)
    whole = read_run(run)
    wanted = {verdict.number: verdict for verdict in whole.verdicts.values()}
    looked_at: list[int] = []
    members = evidence_log.members

    def noted(log: object, begin: int = 0) -> object:
        for piece in members(log, begin):  # type: ignore[arg-type]
            looked_at.append(piece.offset)
            yield piece

    monkeypatch.setattr(evidence_log, "members", noted)
    runs = IndexedRuns(index)
    for row in (listed(index, "one")[25], listed(index, "one")[3]):
        found = runs.opened("one", row.key)
        assert found is not None
        assert found.verdict == wanted[row.number]
        assert changes_of(found.run, found.verdict)
        assert steps_of(found.run, found.verdict)
        # Of the log, this verdict's piece alone.
        assert len(set(looked_at)) == 1
        looked_at.clear()
        assert changes_of(found.run, found.verdict) == changes_of(whole, wanted[row.number])
        looked_at.clear()
    index.close()


@pytest.mark.parametrize(
    "place", ["line_offset = 0", "line_offset = line_offset + 1", "line_length = -5", "line_length = 1 << 40"]
)
def test_a_wrong_index_shows_no_other_verdict(tmp_path: Path, place: str) -> None:
    named_run(tmp_path, "one", many(5))
    index = updated(tmp_path)
    row = listed(index, "one")[3]
    runs = IndexedRuns(index)
    index.rows(f"UPDATE verdicts SET {place}")
    assert runs.opened("one", row.key) is None
    index.update()
    found = runs.opened("one", row.key)
    assert found is not None
    assert (found.verdict.case, found.verdict.submission) == (row.case, row.submission)
    index.close()


def test_evidence_that_does_not_lie_where_the_index_says_is_found(tmp_path: Path) -> None:
    named_run(tmp_path, "one", many(5))
    index = updated(tmp_path)
    index.rows("UPDATE pieces SET piece_offset = 0")
    found = IndexedRuns(index).opened("one", listed(index, "one")[3].key)
    assert found is not None
    assert steps_of(found.run, found.verdict)
    index.close()


@pytest.mark.parametrize("name", ["", ".", "..", "../secret", "/etc", "one/../../secret", ".hidden", "link", "missing"])
def test_no_name_leads_out_of_the_directory(tmp_path: Path, name: str) -> None:
    root = tmp_path / "runs"
    named_run(root, "one", many(1))
    secret = named_run(tmp_path / "other", "secret", many(1))
    secret.rename(tmp_path / "secret")
    (root / "link").symlink_to(tmp_path / "secret")
    named_run(root, "x", many(1)).rename(root / ".hidden")
    index = updated(root)
    with pytest.raises(RunRefused):
        IndexedRuns(index).directory(name)
    # Whatever a forged index calls a run.
    index.rows("UPDATE runs SET name = ?", (name,))
    key = listed(index)[0].key
    with pytest.raises(RunRefused):
        IndexedRuns(index).opened(name, key)
    index.close()


def test_what_was_requested_is_read_once_and_again_when_it_changed(tmp_path: Path) -> None:
    run = named_run(tmp_path, "one", many(1))
    index = updated(tmp_path)
    runs = IndexedRuns(index)
    first = runs.requested("one")
    assert runs.requested("one") is first
    (run / "run.json").write_text('{"asked": {"cases": ["changed"]}, "version": "0.1"}')
    assert runs.requested("one") == ({"cases": ["changed"]}, "0.1")
    (run / "run.json").write_text("[]")
    with pytest.raises(RunRefused):
        runs.requested("one")
    index.close()
