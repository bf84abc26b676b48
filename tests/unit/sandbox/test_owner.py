"""Who owns a sandbox, and whether they live."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradebox.sandbox import owner
from gradebox.sandbox.owner import Life

NO_PROC = Path("/nowhere")


def test_an_owner_is_a_host_a_process_and_its_start() -> None:
    host, pid, start = owner.me().split(":")
    assert (host, pid) == (owner.host(), str(os.getpid()))
    assert int(start) > 0
    assert owner.me() == owner.me()


def test_another_process_of_this_machine_is_another_owner_on_the_same_host() -> None:
    code = "import sys; from gradebox.sandbox import owner; print(owner.me(), flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        name = other.stdout.readline().strip()
        assert name.split(":")[0] == owner.host()
        assert name != owner.me()
        assert owner.life(name) is Life.ALIVE
        other.stdin.close()
    assert owner.life(name) is Life.DEAD


def test_a_process_that_is_dead_and_was_not_waited_for_still_owns() -> None:
    # Its parent may be about to remove what it left; the reaper waits for that.
    with subprocess.Popen([sys.executable, "-c", "pass"], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.read()
        start = owner._start(other.pid)
        assert start is not None
        assert owner.life(f"{owner.host()}:{other.pid}:{start}") is Life.ALIVE


@pytest.mark.parametrize(
    "name",
    [
        "",
        "::",
        "a:b",
        "a:b:c:d",
        f"{owner.host()}:-1:0",
        f"{owner.host()}:one:2",
        f"{owner.host()}:²:2",
        "elsewhere:1:1",
    ],
)
def test_a_name_that_is_not_one_of_ours_is_never_dead(name: str) -> None:
    assert owner.life(name) is Life.ELSEWHERE


def test_a_process_id_that_no_process_can_have_is_dead() -> None:
    assert owner.life(f"{owner.host()}:{2**40}:1") is Life.DEAD


def test_without_proc_a_process_is_asked_by_a_signal_that_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "Path", lambda _: NO_PROC)
    assert owner._start(os.getpid()) == "0"
    with subprocess.Popen([sys.executable, "-c", "pass"]) as other:
        other.wait()
    assert owner._start(other.pid) is None


def test_a_process_that_proc_hides_is_not_taken_for_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with `hidepid`, where /proc shows nobody the processes of another user."""
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as other:
        name = f"{owner.host()}:{other.pid}:{owner._start(other.pid)}"
        hidden = f"/proc/{other.pid}/stat"
        monkeypatch.setattr(owner, "Path", lambda path: NO_PROC if path == hidden else Path(path))
        assert owner.life(name) is Life.ELSEWHERE
        assert other.stdin is not None
        other.stdin.close()
    assert owner.life(name) is Life.DEAD


def test_without_proc_two_machines_of_one_name_are_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "Path", lambda _: NO_PROC)
    names = set()
    for address in (1, 2):
        monkeypatch.setattr("uuid.getnode", lambda address=address: address)
        names.add(owner.host.__wrapped__())
    assert len(names) == 2
