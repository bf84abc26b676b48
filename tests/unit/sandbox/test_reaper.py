"""What crashed runs left, and what must never be touched."""

from __future__ import annotations

import subprocess
import sys

import pytest
from fake_engine import FakeEngine

from gradebox.sandbox import owner
from gradebox.sandbox.engines.engine import Leftover
from gradebox.sandbox.errors import EngineRefused
from gradebox.sandbox.owner import LABEL, LABEL_OWNER, LABEL_UNTIL, Life
from gradebox.sandbox.reaper import (
    GRACE_SECONDS,
    PATIENCE_SECONDS,
    VOLUME_SECONDS,
    orphaned,
    outdated,
    reap,
    remove_everything,
)

NOW = 1_000_000.0


def leftover(*, kind: str = "container", running: bool = False, created: float = NOW, until: str = "9e9") -> Leftover:
    return Leftover(kind, "id", {LABEL_OWNER: "someone", LABEL_UNTIL: until}, created, running)


@pytest.mark.parametrize(
    ("life", "found", "gone"),
    [
        (Life.ALIVE, leftover(), False),
        (Life.ALIVE, leftover(until="0"), False),
        (Life.DEAD, leftover(), True),
        (Life.DEAD, leftover(running=True), True),
        (Life.DEAD, leftover(kind="volume"), False),
        (Life.ELSEWHERE, leftover(running=True), False),
        (Life.ELSEWHERE, leftover(), False),
        (Life.ELSEWHERE, leftover(created=NOW - PATIENCE_SECONDS - 1), True),
        (Life.ELSEWHERE, leftover(running=True, created=NOW - PATIENCE_SECONDS - 1), False),
        (Life.ELSEWHERE, leftover(running=True, until=str(NOW - GRACE_SECONDS - 1)), True),
        (Life.ELSEWHERE, leftover(running=True, until="not a number"), False),
        (Life.ELSEWHERE, leftover(kind="volume", until="0"), False),
    ],
)
def test_orphaned(life: Life, found: Leftover, *, gone: bool) -> None:
    assert orphaned(found, NOW, lambda _: life) is gone


def test_this_process_is_alive() -> None:
    assert owner.life(owner.me()) is Life.ALIVE


def test_a_process_that_ended_is_dead() -> None:
    code = "from gradebox.sandbox import owner; print(owner.me())"
    name = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    assert owner.life(name) is Life.DEAD


def test_a_reused_process_id_is_not_the_same_owner() -> None:
    host, pid, start = owner.me().split(":")
    assert owner.life(f"{host}:{pid}:{int(start) + 1}") is Life.DEAD


@pytest.mark.parametrize("name", ["", "x", "a:b:c", "elsewhere:1:1"])
def test_who_cannot_be_asked_is_elsewhere(name: str) -> None:
    assert owner.life(name) is Life.ELSEWHERE


OLD = NOW - VOLUME_SECONDS - 1


def volume(name: str, *, created: float = OLD, used: bool = False, kind: str = "supervisor") -> Leftover:
    return Leftover("volume", name, {LABEL: kind}, created, used)


@pytest.mark.parametrize(
    ("found", "gone"),
    [
        (volume("a"), True),
        (volume("a", created=NOW - VOLUME_SECONDS + 1), False),
        # An engine that does not say when it was made
        (volume("a", created=0.0), False),
        (volume("a", used=True), False),
        (volume("a", kind="other"), False),
        (Leftover("container", "a", {LABEL: "supervisor"}, OLD), False),
    ],
)
def test_outdated(found: Leftover, *, gone: bool) -> None:
    assert outdated([found], NOW, lambda _: Life.DEAD) == ([found] if gone else [])


@pytest.mark.parametrize(("life", "gone"), [(Life.ALIVE, False), (Life.ELSEWHERE, False), (Life.DEAD, True)])
def test_no_volume_goes_while_somebody_else_is_at_work(life: Life, *, gone: bool) -> None:
    old = volume("a")
    assert outdated([leftover(), old], NOW, lambda _: life) == ([old] if gone else [])
    mine = Leftover("container", "mine", {LABEL_OWNER: owner.me()}, NOW, running=True)
    assert outdated([mine, old], NOW, lambda _: life) == [old]


def test_the_volume_of_this_version_stays() -> None:
    engine = FakeEngine(volume="current", extra=[volume("current", created=1.0), volume("old", created=1.0)])
    assert [gone.id for gone in reap(engine)] == ["old"]
    assert [left.id for left in engine.extra] == ["current"]


def test_no_volume_goes_where_this_version_has_none() -> None:
    class WithoutSupervisor(FakeEngine):
        def is_current(self, leftover: Leftover) -> bool:
            raise EngineRefused("There is no supervisor for this architecture.")

    engine = WithoutSupervisor(extra=[volume("old", created=1.0)])
    assert reap(engine) == ()
    assert [left.id for left in engine.extra] == ["old"]


def test_one_that_cannot_be_removed_does_not_keep_the_others() -> None:
    host, pid, start = owner.me().split(":")
    dead = {LABEL_OWNER: f"{host}:{pid}:{int(start) + 1}"}

    class Stubborn(FakeEngine):
        def remove_leftover(self, leftover: Leftover) -> None:
            if leftover.id == "first":
                raise EngineRefused("It is stuck.")
            super().remove_leftover(leftover)

    engine = Stubborn(extra=[Leftover("container", "first", dead, 0), Leftover("container", "second", dead, 0)])
    assert [gone.id for gone in reap(engine)] == ["second"]
    assert engine.removed == ["second"]


def test_everything_is_removed_unless_a_run_uses_the_engine() -> None:
    engine = FakeEngine()
    volume = Leftover("volume", engine.volume, {LABEL: "supervisor"}, NOW)
    engine.extra = [volume, Leftover("container", "busy", {LABEL_OWNER: owner.me()}, NOW, running=True)]
    with pytest.raises(EngineRefused, match="A run has sandboxes on this engine"):
        remove_everything(engine)
    assert engine.removed == []
    engine.extra = [volume]
    assert remove_everything(engine) == (volume,)
    assert engine.removed == [engine.volume]
