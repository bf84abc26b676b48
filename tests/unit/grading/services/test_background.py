"""A command runs in the background of its sandbox until it is ended, however it takes that."""

from __future__ import annotations

import pytest
from fake_engine import FakeEnd, FakeEngine, FakeRun

from gradebox.graders.grading.services import background
from gradebox.graders.grading.services.background import Background
from gradebox.sandbox.protocol.frames import Cause
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Ending, SandboxSpec

SPEC, SERVER = SandboxSpec("image"), Command(("server",), wall_seconds=100)


def _until_ended(run: FakeRun) -> FakeEnd:
    assert run.ended.wait(30), "nobody ended it"
    return FakeEnd(cause=Cause.KILLED, stderr=b"listening\ngoing down\n")


def test_a_command_runs_until_it_is_ended_and_what_it_printed_is_known() -> None:
    with Sandbox(FakeEngine(_until_ended), SPEC) as sandbox:
        server = Background(sandbox, SERVER)
        assert server.outcome is None
        ended = server.end()
    assert ended is not None
    assert ended.stderr.text() == "listening\ngoing down\n"
    assert ended is server.outcome


def test_a_command_that_has_ended_by_itself_is_not_ended_again() -> None:
    with Sandbox(FakeEngine(lambda _: FakeEnd(exit_code=3)), SPEC) as sandbox:
        server = Background(sandbox, SERVER)
        server._thread.join(30)
        found, again = server.outcome, server.end()
    assert found is not None
    assert (found.ending, found.exit_code) == (Ending.EXITED, 3)
    assert again is found


def test_a_command_that_ignores_its_end_loses_its_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "END_SECONDS", 0.05)
    monkeypatch.setattr(Sandbox, "end_command", lambda _: None)
    engine = FakeEngine(_until_ended)
    with Sandbox(engine, SPEC) as sandbox:
        server = Background(sandbox, SERVER)
        server.end()
        server._thread.join(30)
    assert server.outcome is not None
    assert engine.open_containers == ()


def test_a_sandbox_that_is_gone_is_no_obstacle() -> None:
    with Sandbox(FakeEngine(_until_ended), SPEC) as sandbox:
        server = Background(sandbox, SERVER)
        sandbox.kill()
        assert server.end() is not None
    assert server.end() is server.outcome
