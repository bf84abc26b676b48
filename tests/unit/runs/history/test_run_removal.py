"""Runs are removed whole, and nothing else is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gradebox.graders.errors import RunRefused
from gradebox.graders.runs.history.run_names import FoundRun
from gradebox.graders.runs.history.run_removal import outdated, remove
from gradebox.graders.runs.store import Store

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def of(name: str, days: int) -> FoundRun:
    return FoundRun(NOW - timedelta(days=days), 0, Path("runs", name))


OLD, MIDDLE, NEW = (of(f"2026010{days}-000000-000000", days) for days in (9, 5, 1))
NAMED = of("baseline", 90)


@pytest.mark.parametrize(
    ("keep", "days", "removed"),
    [(2, None, [OLD]), (0, None, [OLD, MIDDLE, NEW]), (9, None, []), (None, 4, [OLD, MIDDLE]), (2, 4, [OLD])],
)
def test_runs_without_a_name_become_outdated(keep: int | None, days: int | None, removed: list[FoundRun]) -> None:
    older_than = None if days is None else timedelta(days=days)
    assert outdated([NEW, NAMED, OLD, MIDDLE], NOW, keep, older_than) == removed


def test_a_run_is_removed_with_what_version_0_1_kept(tmp_path: Path) -> None:
    store = Store.create(tmp_path, {})
    store.close()
    (store.directory / "evidence" / "case").mkdir(parents=True)
    (store.directory / "evidence" / "case" / "steps.jsonl").touch()
    remove(store.directory)
    assert not store.directory.exists()


def test_what_is_no_run_or_more_than_a_run_stays(tmp_path: Path) -> None:
    store = Store.create(tmp_path, {}, name="named")
    with pytest.raises(RunRefused, match="A run is writing"):
        remove(store.directory)
    store.close()
    (store.directory / "thesis.tex").touch()
    with pytest.raises(RunRefused, match=r"also holds thesis\.tex"):
        remove(store.directory)
    (tmp_path / "link").symlink_to("named")
    with pytest.raises(RunRefused, match="is a link"):
        remove(tmp_path / "link")
    with pytest.raises(RunRefused, match="not a run directory"):
        remove(tmp_path)
    assert {path.name for path in store.directory.iterdir()} > {"run.json", "results.jsonl", "thesis.tex"}


def test_links_in_a_run_are_removed_and_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").touch()
    store = Store.create(tmp_path / "runs", {})
    store.close()
    (store.directory / "evidence").symlink_to(precious)
    remove(store.directory)
    assert (precious / "file").exists()
    assert not store.directory.exists()


def test_what_is_left_of_an_interrupted_removal_can_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.create(tmp_path, {})
    store.close()
    with monkeypatch.context() as patched:
        unlink = Path.unlink

        def fail(path: Path, *, missing_ok: bool = False) -> None:
            if path.name == "run.json":
                raise PermissionError(13, "Permission denied")
            unlink(path, missing_ok=missing_ok)

        patched.setattr(Path, "unlink", fail)
        with pytest.raises(RunRefused, match="cannot be removed: Permission denied"):
            remove(store.directory)
    assert not (store.directory / "results.jsonl").exists()
    remove(store.directory)
    assert not store.directory.exists()
