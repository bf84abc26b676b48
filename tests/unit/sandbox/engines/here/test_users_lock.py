"""Locks of users: one sandbox has a range, and a crashed one leaves a file without a lock."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gradebox.sandbox.engines.here import users_lock
from gradebox.sandbox.errors import NameTaken, SandboxError
from gradebox.sandbox.users import FIRST_UID, UID_COUNT, USERS, container_name

# Before it is replaced.
real_directory, real_processes = users_lock.directory, users_lock.processes


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = users_lock.directory((str(tmp_path),))
    monkeypatch.setattr(users_lock, "directory", lambda: directory)
    # Sandboxes of an engine may run on this machine.
    monkeypatch.setattr(users_lock, "processes", lambda _: [])
    return directory


NAME = container_name(FIRST_UID + USERS)


def test_a_range_has_one_sandbox_at_a_time(place: Path) -> None:
    lock = users_lock.lock_users(NAME, {})
    with pytest.raises(NameTaken):
        users_lock.lock_users(NAME, {})
    lock.release()
    assert list(place.iterdir()) == []
    users_lock.lock_users(NAME, {}).release()


def test_users_of_living_processes_are_taken(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    monkeypatch.setattr(users_lock, "processes", lambda _: [17])
    with pytest.raises(NameTaken, match="Process 17"):
        users_lock.lock_users(NAME, {})
    assert list(place.iterdir()) == []


def test_processes_are_found_by_their_user() -> None:
    assert os.getpid() in real_processes(os.getuid())
    assert real_processes(2_000_000_000) == []


def test_spare_users_are_nobody_elses() -> None:
    spare = {users_lock.spare_uid(first) for first in range(FIRST_UID, FIRST_UID + UID_COUNT, USERS)}
    assert len(spare) == UID_COUNT // USERS
    assert min(spare) == FIRST_UID + UID_COUNT


def test_leftovers_are_told_from_living_sandboxes(place: Path) -> None:
    (place / container_name(FIRST_UID)).write_text('{"owner": "dead"}')
    (place / container_name(FIRST_UID + 2 * USERS)).write_text("damaged")
    lock = users_lock.lock_users(NAME, {"owner": "alive"})
    found = {path.name: (labels, locked) for path, labels, locked in users_lock.left()}
    lock.release()
    assert found == {container_name(FIRST_UID): ({"owner": "dead"}, False), NAME: ({"owner": "alive"}, True)}


def test_a_directory_that_others_can_enter_is_not_used(tmp_path: Path) -> None:
    shared, own = tmp_path / "a", tmp_path / "b"
    (shared / "gradebox").mkdir(parents=True)
    own.mkdir()
    assert real_directory((str(shared), str(own))) == own / "gradebox"
    with pytest.raises(SandboxError, match="No directory for locks"):
        real_directory((str(shared), str(tmp_path / "missing")))
