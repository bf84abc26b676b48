"""A container is started under users of its own, refused where promises are broken, and removed whatever happens."""

from __future__ import annotations

import pytest
from fake_engine import FakeEngine

from gradebox.sandbox import guarantees, users
from gradebox.sandbox.container import Container
from gradebox.sandbox.engines.engine import Channel, ContainerState, ImageInfo
from gradebox.sandbox.errors import EngineRefused, EngineUnavailable, ProtocolError, SandboxError, SandboxLost
from gradebox.sandbox.protocol import frames
from gradebox.sandbox.protocol.frames import Tag, Type
from gradebox.sandbox.types import SandboxSpec
from gradebox.sandbox.walls import Wall

SPEC = SandboxSpec("image")


def container(engine: FakeEngine) -> Container:
    return Container(engine, SPEC, engine.image("image"))


def test_two_containers_have_different_users() -> None:
    engine = FakeEngine()
    one, other = container(engine), container(engine)
    one.open()
    other.open()
    assert one.first_uid != other.first_uid
    assert sorted(engine.names.values()) == sorted(users.container_name(c.first_uid) for c in (one, other))


def test_where_all_ranges_are_taken_users_are_shared() -> None:
    engine = FakeEngine(names={str(uid): users.container_name(uid) for uid in users.ranges()})
    one = container(engine)
    one.open()
    assert "container-1" not in engine.names
    assert one.guarantees.root_read_only


def test_a_broken_promise_prevents_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarantees, "broken_promises", lambda *_: ("It is open.",))
    with pytest.raises(SandboxError, match=r"does not enforce what was requested\. It is open\.") as caught:
        container(FakeEngine()).open()
    assert "grade doctor" in caught.value.remedy


def test_a_missing_wall_prevents_the_sandbox_unless_it_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarantees, "missing", lambda *_: (Wall.FILES, Wall.IPC))
    with pytest.raises(SandboxError, match="lack protections here") as caught:
        container(FakeEngine()).open()
    assert caught.value.remedy.endswith("--accept-weaker files,ipc.")


def test_before_it_is_open_and_after_it_is_closed_it_has_no_supervisor() -> None:
    engine = FakeEngine()
    one = container(engine)
    with pytest.raises(SandboxLost, match="closed"):
        _ = one.supervisor
    one.open()
    one.supervisor.request(Type.STAT)
    one.close()
    one.close()
    with pytest.raises(SandboxLost, match="closed"):
        one.disconnect()
    assert engine.open_containers == ()
    assert one.state(patient=True) is None


def test_a_damaged_supervisor_is_repaired_once() -> None:
    class Damaged(FakeEngine):
        def start(self, container: str) -> None:
            if not repaired or self.stubborn:
                raise EngineRefused("exec format error")
            super().start(container)

        def repair(self, container: str, image: ImageInfo) -> bool:
            repaired.append(container)
            return True

        stubborn = False

    class Stubborn(Damaged):
        stubborn = True

    repaired: list[str] = []
    engine = Damaged()
    container(engine).open()
    assert repaired == ["container-1"]
    assert engine.open_containers == ("container-2",)
    repaired.clear()
    with pytest.raises(EngineRefused):
        container(Stubborn()).open()
    assert repaired == ["container-1"]


def test_without_damage_the_reason_is_reported() -> None:
    class Refusing(FakeEngine):
        def start(self, container: str) -> None:
            raise EngineRefused("no such runtime")

    with pytest.raises(SandboxLost, match="did not start: no such runtime"):
        container(Refusing()).open()


def test_another_first_frame_breaks_the_protocol() -> None:
    class Hasty(FakeEngine):
        def attach(self, container: str) -> Channel:
            channel = super().attach(container)
            channel._out.append(frames.encode(Type.OK, 0, frames.fields([(Tag.VERSION, 1)])))
            return channel

    with pytest.raises(ProtocolError, match="first frame is OK instead of READY"):
        container(Hasty()).open()


def test_an_engine_that_does_not_answer_keeps_nothing_from_being_closed() -> None:
    class Away(FakeEngine):
        def remove(self, container: str) -> None:
            raise EngineUnavailable("Gone.")

    one = container(Away())
    one.open()
    one.close()


def test_lack_of_memory_is_looked_for_only_where_a_kill_is_unexplained() -> None:
    asked: list[str] = []

    class Ended(FakeEngine):
        exit_code = 137

        def state(self, container: str) -> ContainerState:
            return ContainerState(running=False, exit_code=self.exit_code)

        def ran_out_of_memory(self, container: str) -> bool:
            asked.append(container)
            return True

    engine = Ended()
    one = container(engine)
    one.open()
    found = one.state(patient=True)
    assert found is not None
    assert (found.oom_killed, asked) == (True, ["container-1"])
    engine.exit_code = 1
    found = one.state(patient=True)
    assert found is not None
    assert (found.oom_killed, asked) == (False, ["container-1"])
    engine.exit_code = 137
    one.kill()
    found = one.state(patient=True)
    assert found is not None
    assert (found.oom_killed, asked) == (False, ["container-1"])


def test_a_supervisor_ends_by_itself_before_its_container_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine spends less on a container that has ended than on one that it must kill."""

    class Watched(FakeEngine):
        def attach(self, container: str) -> Channel:
            channel = super().attach(container)
            receive = channel.receive

            def received(timeout_seconds: float) -> bytes:
                seen.append("received")
                if self.deaf and channel.closed:
                    raise TimeoutError
                return receive(timeout_seconds)

            monkeypatch.setattr(channel, "receive", received)
            return channel

        def remove(self, container: str) -> None:
            seen.append("removed")
            super().remove(container)

        deaf = False

    seen: list[str] = []
    engine = Watched()
    for engine.deaf in (False, True):
        one = container(engine)
        one.open()
        seen.clear()
        one.close()
        assert seen == ["received", "removed"]
    one = container(engine)
    one.open()
    one.kill()
    seen.clear()
    one.close()
    assert seen == ["removed"]
