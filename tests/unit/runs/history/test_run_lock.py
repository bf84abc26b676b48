"""A directory to which a run is writing is known, and no run gets into one that is being removed."""

from __future__ import annotations

import errno
import fcntl
from pathlib import Path

import pytest

from gradebox.graders.errors import RunRefused
from gradebox.graders.runs.history.run_lock import is_written, kept_out
from gradebox.graders.runs.store import Store


def test_a_run_that_is_open_is_written(tmp_path: Path) -> None:
    store = Store.create(tmp_path, {})
    assert is_written(store.directory)
    with pytest.raises(RunRefused, match="A run is writing to"), kept_out(store.directory):
        pytest.fail("it was let in")
    store.close()
    assert not is_written(store.directory)
    assert not is_written(tmp_path)


def test_no_run_gets_in_while_it_is_kept_out(tmp_path: Path) -> None:
    store = Store.create(tmp_path, {})
    store.close()
    with kept_out(store.directory), pytest.raises(RunRefused, match="Another run is writing"):
        Store.reopen(store.directory)
    Store.reopen(store.directory).close()


def test_what_fails_while_runs_are_kept_out_is_not_taken_for_the_lock(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), kept_out(tmp_path):
        (tmp_path / "absent").unlink()


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to("elsewhere")
    assert not is_written(tmp_path)
    with pytest.raises(RunRefused, match="cannot be locked"), kept_out(tmp_path):
        pytest.fail("it was let in")
    assert not (tmp_path / "elsewhere").exists()


def test_without_locks_nothing_is_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.create(tmp_path, {})
    store.close()

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    assert not is_written(store.directory)
    with pytest.raises(RunRefused, match="No locks available") as refused, kept_out(store.directory):
        pytest.fail("it was let in")
    assert "`rm -r`" in refused.value.remedy
