"""One request, one reply: what else a supervisor sends or leaves out is an error."""

from __future__ import annotations

import pytest
from fake_engine import FakeChannel, FakeEnd

from gradebox.sandbox.deadline import Deadline
from gradebox.sandbox.errors import ProtocolError, SandboxLost, SandboxSilent, WorkspaceRefused
from gradebox.sandbox.limits import Limits
from gradebox.sandbox.protocol import frames
from gradebox.sandbox.protocol.frames import Frame, Tag, Type
from gradebox.sandbox.protocol.request_reply import ANSWER_SECONDS, SupervisorClient
from gradebox.sandbox.types import SandboxSpec

SPEC = SandboxSpec("image")


class Replying(FakeChannel):
    """A channel that returns these bytes, one piece a call, and records what was sent."""

    def __init__(self, *pieces: bytes) -> None:
        super().__init__(lambda run: FakeEnd(), SPEC)
        self.pieces = list(pieces)
        self.sent: list[Frame] = []

    def send(self, data: bytes, timeout_seconds: float) -> None:
        self.sent += frames.Decoder().feed(data)

    def receive(self, timeout_seconds: float) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""


def client(*pieces: bytes) -> SupervisorClient:
    return SupervisorClient(Replying(*pieces), lambda: "It is gone.")


def test_a_reply_has_the_number_of_its_request() -> None:
    ok = frames.fields([(Tag.COUNT, 3)])
    found = client(frames.encode(Type.OK, 1, ok), frames.encode(Type.DONE, 2, b""))
    assert found.request(Type.STAT) == frames.parse_fields(ok)
    assert found.request(Type.RUN) == []
    with pytest.raises(ProtocolError, match="request 9 instead of 1"):
        client(frames.encode(Type.OK, 9)).request(Type.STAT)


def test_frames_before_the_reply_go_to_whoever_takes_them() -> None:
    stream = frames.encode(Type.DATA, 1, b"a") + frames.encode(Type.DATA, 1, b"b") + frames.encode(Type.OK, 1)
    taken: list[bytes] = []
    # However the bytes arrive
    client(stream[:5], stream[5:12], stream[12:]).request(Type.GET, take=lambda frame: taken.append(frame.payload))
    assert taken == [b"a", b"b"]
    with pytest.raises(ProtocolError, match="answered STAT with DATA"):
        client(stream).request(Type.STAT)


def test_every_frame_defers_the_deadline_until_the_latest() -> None:
    now, waits = 100.0, list[float]()

    class Slow(Replying):
        def receive(self, timeout_seconds: float) -> bytes:
            nonlocal now
            waits.append(timeout_seconds)
            now += 9.0
            return super().receive(timeout_seconds)

    sign = frames.encode(Type.OUT, 1)
    found = SupervisorClient(Slow(sign, sign, frames.encode(Type.DONE, 1)), lambda: "It is gone.")
    first, latest = (Deadline.after(seconds, lambda: now) for seconds in (10.0, 75.0))
    assert found.request(Type.RUN, take=lambda _: None, deadline=first, latest=latest) == []
    # 60 seconds from the first sign, and at the second one what is left until the latest.
    assert waits == [10.0, ANSWER_SECONDS, 75.0 - 18.0]


def test_a_refusal_is_an_error_and_ends_nothing() -> None:
    refusal = frames.encode(Type.ERR, 1, frames.fields([(Tag.MESSAGE, "no room"), (Tag.ERRNO, 28)]))
    found = client(refusal, frames.encode(Type.OK, 2))
    with pytest.raises(WorkspaceRefused, match=r"no room \(No space left on device\)") as caught:
        found.request(Type.RESET)
    assert caught.value.errno == 28
    assert found.request(Type.STAT) == []


def test_an_end_of_the_channel_says_why() -> None:
    with pytest.raises(SandboxLost, match=r"It is gone\."):
        client().request(Type.STAT)


def test_who_sends_without_end_gains_no_time() -> None:
    found = client(*[frames.encode(Type.OK, 1)[:1]] * 3)
    with pytest.raises(SandboxSilent):
        found.receive(Deadline.after(0.0))


def test_a_long_payload_is_sent_in_pieces() -> None:
    channel = Replying()
    data = b"x" * (2 * frames.DATA_CHUNK + 1)
    SupervisorClient(channel, lambda: "").send_all(Type.PUT_DATA, [data[:10], data[10:]])
    assert [len(frame.payload) for frame in channel.sent] == [frames.DATA_CHUNK, frames.DATA_CHUNK, 1]
    assert [frame.id for frame in channel.sent] == [1, 2, 3]


@pytest.mark.parametrize(("cpus", "times"), [(4.0, 1), (1.0, 1), (0.5, 2), (0.1, 10), (0.001, 10), (0.0, 10)])
def test_who_has_little_processor_time_is_waited_for_longer(cpus: float, times: float) -> None:
    waited: list[float] = []

    class Silent(FakeChannel):
        def receive(self, timeout_seconds: float) -> bytes:
            waited.append(timeout_seconds)
            raise TimeoutError

    limits = Limits(cpus=cpus)
    supervisor = SupervisorClient(Silent(lambda run: FakeEnd(), SPEC), lambda: "", limits.slowness)
    with pytest.raises(SandboxSilent):
        supervisor.request(Type.STAT)
    assert waited == [pytest.approx(ANSWER_SECONDS * times, abs=1.0)]
