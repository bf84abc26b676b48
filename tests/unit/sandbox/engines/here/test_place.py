"""What a sandbox needs of the place that we are in."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.sandbox.engines.here import place, users_lock
from gradebox.sandbox.errors import NameTaken, SandboxError


def test_files_below_a_closed_directory_cannot_be_read(tmp_path: Path) -> None:
    case = tmp_path / "case"
    case.mkdir()
    for path in (case, *case.parents):
        if path.is_relative_to(tmp_path):
            path.chmod(0o755)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    assert place.can_be_read(str(case)) == all(one.stat().st_mode & 1 for one in tmp_path.parents)
    assert not place.can_be_read(str(closed / "case"))


def test_a_directory_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    place.make(str(tmp_path / "workspace"))
    assert (tmp_path / "workspace").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(SandboxError, match="is missing here and cannot be made"):
        place.make(str(tmp_path / "file" / "workspace"))


def test_writable_directories_are_those_of_everybody(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    assert place.is_writable(tmp_path)
    tmp_path.chmod(0o755)
    assert not place.is_writable(tmp_path)
    assert not place.is_writable(tmp_path / "missing")


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    locks, workspace = tmp_path / "locks", tmp_path / "workspace"
    locks.mkdir()
    workspace.mkdir()
    monkeypatch.setattr(users_lock, "directory", lambda: locks)
    monkeypatch.setattr(place, "WORKSPACE", str(workspace))
    monkeypatch.setattr(place, "_TURN_SECONDS", 0.05)
    return workspace


def test_one_sandbox_at_a_time_has_the_workspace(shared: Path) -> None:
    lock = place.turn()
    # What it has left is removed by the next one.
    (shared / "left").touch()
    with pytest.raises(SandboxError, match="for too long") as raised:
        place.turn()
    assert isinstance(raised.value.__cause__, NameTaken)
    lock.release()
    place.turn().release()


def test_files_of_others_in_the_workspace_are_an_error(shared: Path) -> None:
    (shared / "theirs").touch()
    with pytest.raises(SandboxError, match="Sandboxes would remove them"):
        place.turn()


def test_a_user_without_rights_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(SandboxError, match="needs root with the capabilities"):
        place.check_rights()
