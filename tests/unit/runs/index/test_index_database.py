"""Where the index lies, what it does not touch, and that a broken one is made anew."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from fabricated import many
from index_bench import listed, named_run, updated

from gradebox.graders.runs.index import index_database
from gradebox.graders.runs.index.index_database import INDEX, discard, is_broken, open_database


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "gradebox"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "runs"
    root.mkdir()
    return root


def test_it_lies_beside_the_runs_and_is_no_run(root: Path) -> None:
    named_run(root, "one", many(3))
    index = updated(root)
    assert index.database.place == root / INDEX
    assert not index.database.why_elsewhere
    index.close()
    assert sorted(path.name for path in root.iterdir()) == [INDEX, "one"]


def test_a_directory_that_cannot_be_written_has_its_index_in_the_cache(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_database.os, "access", lambda path, _: root not in (Path(path), Path(path).parent))
    opened = open_database(root)
    assert opened.place is not None
    assert opened.place.parent == cache
    assert "cannot be written" in opened.why_elsewhere
    assert not (root / INDEX).exists()
    opened.connection.close()
    monkeypatch.setattr(index_database.os, "access", lambda *_: False)
    in_memory = open_database(root)
    assert in_memory.place is None
    assert "cannot be written" in in_memory.why_elsewhere
    in_memory.connection.close()


def test_a_link_is_not_followed(root: Path, tmp_path: Path, cache: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    (root / INDEX).symlink_to(victim)
    opened = open_database(root)
    assert opened.place is not None
    assert opened.place.parent == cache
    assert "link" in opened.why_elsewhere
    (root / INDEX).unlink()
    os.link(victim, root / INDEX)
    other = open_database(root)
    assert other.place == opened.place
    assert victim.read_bytes() == b"mine"
    for one in (opened, other):
        one.connection.close()


def test_a_broken_database_is_made_anew(root: Path) -> None:
    named_run(root, "one", many(3))
    (root / INDEX).write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    index = updated(root)
    assert index.database.place == root / INDEX
    assert len(listed(index)) == 3
    index.close()


def test_one_of_another_version_is_made_anew(root: Path) -> None:
    named_run(root, "one", many(3))
    with sqlite3.connect(root / INDEX) as other:
        other.execute("CREATE TABLE verdicts (strange TEXT)")
        other.execute('CREATE TRIGGER "a ""b" AFTER INSERT ON verdicts BEGIN DELETE FROM verdicts; END')
        other.execute("PRAGMA user_version = 999")
    other.close()
    index = updated(root)
    assert len(listed(index)) == 3
    assert index.rows("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'") == [(0,)]
    index.close()


def test_its_schema_can_call_no_function_of_ours(root: Path) -> None:
    opened = open_database(root)
    assert opened.connection.execute("PRAGMA trusted_schema").fetchone() == (0,)
    opened.connection.close()


def test_only_damage_means_broken(tmp_path: Path) -> None:
    place = tmp_path / "database"
    place.write_bytes(b"no database" * 100)
    connection = sqlite3.connect(place)
    with pytest.raises(sqlite3.DatabaseError) as caught:
        connection.execute("SELECT * FROM sqlite_schema")
    assert is_broken(caught.value)
    connection.close()
    discard(place)
    assert not place.exists()
    with pytest.raises(sqlite3.OperationalError) as other:
        sqlite3.connect(":memory:").execute("SELECT * FROM nothing")
    assert not is_broken(other.value)
