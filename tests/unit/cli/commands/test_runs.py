"""``grade runs``: a list, and what is removed and moved by it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from world import World, the_run

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.runs.store import Store

OLD = "20260131-142501-3f9c2a"


@pytest.fixture
def out(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> pytest.CaptureFixture[str]:
    monkeypatch.setenv("NO_COLOR", "1")
    return capsys


def stored(name: str) -> Path:
    store = Store.create(Path("runs"), {"cases": ["/cases/add"], "reference": True, "tasks": 1}, name=name)
    store.close()
    return store.directory


def test_runs_are_listed_with_the_newest_first(
    world: World, out: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["runs"]) == ExitCode.PASSED
    assert "There is no run in runs." in out.readouterr().err
    stored(OLD)
    run(["-c", "a", "-c", "b", "-s", "work/one", "-s", "work/two", "--name", "nightly", "-q"])
    out.readouterr()
    assert run(["runs"]) == ExitCode.PASSED
    first, second = out.readouterr().out.splitlines()[2:]
    assert first.startswith("nightly ")
    assert "2 passed, 2 failed" in first
    assert first.endswith("a, b; 2 submissions")
    assert second.startswith(OLD)
    assert "none of 1" in second
    monkeypatch.setenv("COLUMNS", "80")
    run(["runs"])
    narrow = out.readouterr().out
    assert "began" not in narrow
    assert max(map(len, narrow.splitlines())) <= 80
    assert len(narrow.splitlines()) == 4
    run(["runs", "--json"])
    assert [json.loads(line)["run"] for line in out.readouterr().out.splitlines()] == ["nightly", OLD]


def test_hostile_words_of_a_record_are_made_visible(world: World, out: pytest.CaptureFixture[str]) -> None:
    Store.create(Path("runs"), {"cases": ["/x/\x1b[31m"]}).close()
    run(["runs"])
    assert "\x1b" not in out.readouterr().out


def test_runs_are_removed_by_name_and_all_or_none(world: World, out: pytest.CaptureFixture[str]) -> None:
    kept, gone = stored("kept"), stored("gone")
    assert run(["runs", "rm", "gone", "other"]) == ExitCode.USAGE
    assert gone.exists()
    open_run = Store.create(Path("runs"), {})
    assert run(["runs", "rm", "gone", open_run.id]) == ExitCode.USAGE
    assert "A run is writing to" in out.readouterr().err
    assert gone.exists()
    open_run.close()
    assert run(["runs", "rm", "gone", "gon"]) == ExitCode.PASSED
    assert kept.exists()
    assert not gone.exists()


def test_pruning_asks_or_needs_yes(
    world: World, out: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, named = stored(OLD), stored("named")
    run(["-c", "a", "-q"])
    assert run(["runs", "prune"]) == ExitCode.USAGE
    assert run(["runs", "prune", "--older-than", "soon"]) == ExitCode.USAGE
    assert run(["runs", "prune", "--keep", "1"]) == ExitCode.USAGE
    assert "Nothing was removed" in out.readouterr().err
    terminal = io.StringIO("n\n")
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", terminal)
    assert run(["runs", "prune", "--keep", "1"]) == ExitCode.INTERRUPTED
    assert old.exists()
    assert run(["runs", "prune", "--older-than", "30d", "--yes"]) == ExitCode.PASSED
    assert not old.exists()
    assert run(["runs", "prune", "--keep", "0", "--older-than", "30d", "--yes"]) == ExitCode.PASSED
    assert "There is nothing to remove." in out.readouterr().err
    assert named.exists()
    assert len([*Path("runs").glob("2*")]) == 1


def test_what_cannot_be_pruned_is_named_and_the_others_are_removed(
    world: World, out: pytest.CaptureFixture[str]
) -> None:
    stored("20260101-000000-000000")
    (stored(OLD) / "notes").touch()
    assert run(["runs", "prune", "--keep", "0", "-y"]) == ExitCode.PASSED
    assert f"kept runs/{OLD}: runs/{OLD} also holds notes." in out.readouterr().err
    assert the_run().name == OLD


def test_a_run_is_exported_and_imported(world: World, out: pytest.CaptureFixture[str]) -> None:
    run(["-c", "a", "-s", "work/one", "-q"])
    assert run(["runs", "export", "latest", "run.tgz"]) == ExitCode.PASSED
    assert run(["runs", "import", "run.tgz", "--name", "2026"]) == ExitCode.USAGE
    assert run(["runs", "import", "run.tgz", "--name", "theirs"]) == ExitCode.PASSED
    assert "run directory: runs/theirs" in out.readouterr().err
    assert run(["show", "theirs", "a"]) == ExitCode.PASSED


def test_an_option_before_the_command_would_prune_elsewhere(world: World, out: pytest.CaptureFixture[str]) -> None:
    assert run(["runs", "--runs", "other", "prune", "--keep", "0"]) == ExitCode.USAGE
    assert "--runs before `prune` would have no effect" in out.readouterr().err
    Path("old").mkdir()
    assert run(["runs", "old"]) == ExitCode.USAGE
    assert "--case" not in out.readouterr().err
