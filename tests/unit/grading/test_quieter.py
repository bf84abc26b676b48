"""A machine that is too busy is waited for, but not for ever."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fake_engine import FakeEngine
from grading_bench import Patient

from gradebox.graders.grading.quieter import QUIET_SECONDS, becomes_quieter
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.events import EngineRetried, Event
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import SandboxSpec


@pytest.mark.parametrize(
    ("queues", "quieter", "waits"),
    [([0.5], True, 0), ([20.0, 9.0, 2.0], True, 2), ([20.0] * 99, False, QUIET_SECONDS), ([None] * 99, False, 60)],
)
def test_it_is_waited_until_few_processes_could_run(
    monkeypatch: pytest.MonkeyPatch, queues: list[float | None], waits: float, *, quieter: bool
) -> None:
    left: Iterator[float | None] = iter(queues)
    monkeypatch.setattr(Sandbox, "queue", lambda _: next(left))
    events: list[Event] = []
    settings = Settings(image_of=lambda _: "image", emit=events.append, stop=(stop := Patient()))
    with Sandbox(FakeEngine(), SandboxSpec("image")) as sandbox:
        assert becomes_quieter(sandbox, settings) is quieter
    assert len(stop.waits) == waits
    assert [type(event) for event in events] == [EngineRetried]


def test_a_stopped_run_waits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sandbox, "queue", lambda _: 20.0)
    settings = Settings(image_of=lambda _: "image", stop=(stop := Patient()))
    stop.set()
    with Sandbox(FakeEngine(), SandboxSpec("image")) as sandbox:
        assert not becomes_quieter(sandbox, settings)
    assert len(stop.waits) == 1
