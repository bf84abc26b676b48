"""The engine of the place that we are in, with a program in place of the supervisor. tests/docker has the real one."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradebox.sandbox.engines.connect import connect
from gradebox.sandbox.engines.here import delegated, here_engine, place, users_lock
from gradebox.sandbox.engines.here.here_engine import HereEngine
from gradebox.sandbox.errors import NameTaken, SandboxError
from gradebox.sandbox.limits import Limits, Network
from gradebox.sandbox.types import SandboxSpec
from gradebox.sandbox.users import FIRST_UID, container_name
from gradebox.sandbox.walls import Wall

NAME = container_name(FIRST_UID)
SPEC = SandboxSpec("any", Limits(memory_bytes=1 << 20), hidden=("/cases/one",), masked=("/proc/modules",), apart=True)


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HereEngine]:
    directory = users_lock.directory((str(tmp_path),))
    monkeypatch.setattr(users_lock, "directory", lambda: directory)
    # Sandboxes of an engine may run on this machine.
    monkeypatch.setattr(users_lock, "processes", lambda _: [])
    engine = HereEngine()
    monkeypatch.setattr(delegated, "make", lambda *_: [])
    engine.__dict__["lacks"] = (Wall.LIMITS,)
    engine.__dict__["_program"] = os.open(sys.executable, os.O_RDONLY)
    yield engine
    engine.close()


def words(engine: HereEngine, spec: SandboxSpec = SPEC) -> list[str]:
    name = engine.create(spec, engine.image("any"), NAME)
    try:
        return engine._command(engine._sandboxes[name])
    finally:
        engine.remove(name)


def test_an_address_selects_it() -> None:
    for url in ("here", "here://"):
        assert isinstance(connect(url), HereEngine)


def test_the_supervisor_gets_everything_that_it_has_to_enforce(engine: HereEngine) -> None:
    command = words(engine)
    assert command[-4:] == ["--", "/workspace", "3600", "default"]
    given = {f"first={FIRST_UID}", "users=32", "memory=1048576", "disk=268435456", "inodes=100000", "apart"}
    assert given <= {*command}
    assert {"hide=/cases/one", "hide=/proc/modules", "hide=/proc/kcore"} <= {*command}
    assert {"network", "open"}.isdisjoint(command)


def test_a_network_is_left_if_it_is_wanted(engine: HereEngine) -> None:
    assert "network" in words(engine, SandboxSpec("any", Limits(network=Network.BRIDGE)))


def test_a_case_that_everybody_can_read_is_reported(engine: HereEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.__dict__["lacks"] = (Wall.FILES,)
    monkeypatch.setattr(place, "turn", lambda: users_lock.Lock(users_lock.directory() / "workspace"))
    monkeypatch.setattr(place, "can_be_read", lambda path: path == "/cases/one")
    assert "open" in words(engine)
    assert "open" not in words(engine, SandboxSpec("any", hidden=("/cases/two",)))


def test_where_files_are_shared_one_sandbox_runs_at_a_time(engine: HereEngine) -> None:
    assert engine.info().processors == len(os.sched_getaffinity(0))
    engine.__dict__["lacks"] = (Wall.FILES,)
    assert (engine.info().processors, engine.info().most_sandboxes) == (1, 1)


def test_what_it_cannot_do_is_an_error(engine: HereEngine) -> None:
    with pytest.raises(SandboxError, match="runtime runsc"):
        engine.create(SandboxSpec("any", runtime="runsc"), engine.image("any"), NAME)
    with pytest.raises(SandboxError, match="Too many sandboxes"):
        engine.create(SPEC, engine.image("any"))
    with pytest.raises(SandboxError, match="cannot be disconnected"):
        engine.disconnect(NAME)


def test_a_sandbox_lives_and_ends(engine: HereEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import sys; sys.stdout.write('ready'); sys.stdout.flush(); sys.stdin.read()"
    command = ["python", "-c", program]
    monkeypatch.setattr(engine, "_command", lambda _: command)
    name = engine.create(SPEC, engine.image("any"), NAME)
    assert [(found.id, found.running) for found in engine.leftovers()] == [(NAME, True)]
    channel = engine.attach(name)
    engine.start(name)
    assert channel.receive(30.0) == b"ready"
    state = engine.state(name)
    assert state is not None
    assert state.running
    engine.kill(name)
    state = engine.state(name)
    assert state is not None
    assert (state.running, state.exit_code) == (False, 143)
    assert engine.remove(name) is None
    assert engine.state(name) is None
    assert engine.leftovers() == ()
    engine.kill(name)


def test_closing_removes_all(engine: HereEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_command", lambda _: ["python", "-c", "import sys; sys.stdin.read()"])
    name = engine.create(SPEC, engine.image("any"), NAME)
    engine.attach(name)
    engine.start(name)
    engine.close()
    assert engine.leftovers() == ()


def test_what_a_crashed_run_left_is_removed(engine: HereEngine) -> None:
    (users_lock.directory() / NAME).write_text('{"io.gradebox.owner": "dead"}')
    (found,) = engine.leftovers()
    assert (found.labels, found.running) == ({"io.gradebox.owner": "dead"}, False)
    assert found.created <= time.time()
    engine.remove_leftover(found)
    assert engine.leftovers() == ()


def test_what_a_killed_client_left_is_taken_over_when_its_supervisor_has_ended(
    engine: HereEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_command", lambda _: ["python", "-c", "import sys; sys.stdin.read()"])
    monkeypatch.setattr(here_engine, "_END_SECONDS", 0.0)
    engine.attach(engine.create(SPEC, engine.image("any"), NAME))
    engine.start(NAME)
    sandbox = engine._sandboxes.pop(NAME)
    assert sandbox.channel is not None
    assert sandbox.process is not None
    for lock in sandbox.locks:
        os.close(lock.fd)
    (found,) = engine.leftovers()
    assert found.running
    with pytest.raises(NameTaken):
        engine.remove_leftover(found)
    monkeypatch.setattr(here_engine, "_END_SECONDS", 30.0)
    sandbox.channel.close()
    engine.remove_leftover(found)
    assert engine.leftovers() == ()
    assert sandbox.process.wait() == 0


def test_a_forked_process_leaves_the_sandboxes_of_its_parent(engine: HereEngine) -> None:
    engine.create(SPEC, engine.image("any"), NAME)
    sandboxes = engine._sandboxes
    engine.forked()
    engine.close()
    assert len(engine.leftovers()) == 1
    engine._sandboxes = sandboxes
