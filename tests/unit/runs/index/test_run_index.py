"""The index stays up to date while it is asked, and goes on where its database cannot."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from pathlib import Path

import pytest
from fabricated import check, graded, many
from index_bench import append, listed, named_run, updated

from gradebox.graders.errors import RunRefused
from gradebox.graders.runs.index import run_index
from gradebox.graders.runs.index.run_index import RunIndex


def test_it_is_brought_up_to_date_when_it_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_index, "_REST_SECONDS", 0)
    run = named_run(tmp_path, "one", many(3))
    index = RunIndex(tmp_path)
    assert not index.complete
    index.refresh(60)
    assert index.complete
    assert len(listed(index)) == 3
    before = index.generation
    index.refresh(60)
    assert index.generation == before
    append(run, graded("later", check("a", 1.0)))
    index.refresh(60)
    assert index.generation > before
    assert len(listed(index)) == 4
    index.close()


def test_who_asks_does_not_wait_for_all_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named_run(tmp_path, "one", many(1))
    index = RunIndex(tmp_path)
    held = threading.Event()
    update = index.update
    monkeypatch.setattr(index, "update", lambda: (held.wait(60), update()))
    index.refresh(0.01)
    assert listed(index) == []
    assert not index.complete
    held.set()
    index.refresh(60)
    assert len(listed(index)) == 1
    index.close()


def test_a_query_that_fails_says_so(tmp_path: Path) -> None:
    index = RunIndex(tmp_path)
    with pytest.raises(RunRefused, match="cannot be read"):
        index.rows("SELECT * FROM nothing")
    index.close()


def test_a_database_that_breaks_meanwhile_is_made_anew(tmp_path: Path) -> None:
    named_run(tmp_path, "one", many(200))
    index = updated(tmp_path)
    place = index.database.place
    assert place is not None
    with place.open("r+b") as stream:
        stream.write(b"\xff" * 20_000)
    index.database.connection.execute("PRAGMA shrink_memory")
    with pytest.raises(RunRefused):
        index.rows("SELECT count(*) FROM verdicts WHERE searched = 'x'")
    index.update()
    assert len(listed(index)) == 200
    assert index.database.place == place
    index.close()


def test_one_that_cannot_be_written_any_more_goes_on_in_memory(tmp_path: Path) -> None:
    named_run(tmp_path, "one", many(2))
    index = updated(tmp_path)
    index._mend(sqlite3.OperationalError("disk I/O error"))
    assert index.database.place is None
    assert index.database.why_elsewhere == "disk I/O error"
    index.update()
    assert len(listed(index)) == 2
    index.close()


def test_a_lock_of_another_process_is_no_damage(tmp_path: Path) -> None:
    index = updated(tmp_path)
    index._mend(sqlite3.OperationalError("database is locked"))
    assert index.database.place is not None
    index.close()


def test_what_is_no_run_is_none(tmp_path: Path) -> None:
    run = named_run(tmp_path, "one", many(1))
    (tmp_path / "link").symlink_to(run)
    shutil.copytree(run, tmp_path / ".hidden")
    (tmp_path / "file").touch()
    shutil.copytree(run, tmp_path / "\udcff")
    index = updated(tmp_path)
    assert index.rows("SELECT name FROM runs") == [("one",)]
    index.close()
    missing = updated(tmp_path / "nowhere")
    assert missing.rows("SELECT name FROM runs") == []
    missing.close()


def test_a_run_is_read_anew_on_request(tmp_path: Path) -> None:
    named_run(tmp_path, "one", many(3))
    index = updated(tmp_path)
    index.rows("UPDATE verdicts SET line_offset = 7")
    index.read_anew("one")
    index.update()
    assert index.rows("SELECT count(*) FROM verdicts WHERE line_offset = 7") == [(0,)]
    assert len(listed(index)) == 3
    index.close()
