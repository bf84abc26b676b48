"""Sends requests to a supervisor, one at a time, and receives its replies (``supervisor/protocol.h``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from threading import Lock

from gradebox.sandbox.deadline import Deadline
from gradebox.sandbox.engines.engine import Channel
from gradebox.sandbox.errors import ProtocolError, SandboxLost, SandboxSilent
from gradebox.sandbox.protocol import frames, payloads
from gradebox.sandbox.protocol.frames import Frame, Tag, Type

ANSWER_SECONDS = 60.0


class SupervisorClient:
    """The client of one supervisor. Not thread-safe, except for `send`.

    Args:
        channel: The channel to the supervisor.
        why_lost: Returns a sentence that says why the supervisor is gone.
        slowness: How many times longer than usual a reply may take.
    """

    def __init__(self, channel: Channel, why_lost: Callable[[], str], slowness: float = 1.0) -> None:
        self._channel = channel
        self._why_lost = why_lost
        self._answer_seconds = ANSWER_SECONDS * slowness
        self._decoder = frames.Decoder()
        self._inbox: Iterator[Frame] = iter(())
        self._next_id = 0
        # Needed because another thread may end a running command.
        self._sending = Lock()

    def send(self, type_: Type, payload: bytes) -> int:
        """Send one frame and return its number.

        Raises:
            SandboxLost: If the supervisor is gone or does not read.
        """
        with self._sending:
            number = self._next_id = (self._next_id + 1) & 0xFFFFFFFF
            self._channel.send(frames.encode(type_, number, payload), self._answer_seconds)
            return number

    def send_all(self, type_: Type, pieces: Iterable[bytes]) -> None:
        """Send pieces of bytes, combined to frames of DATA_CHUNK bytes."""
        buffer = bytearray()
        for piece in pieces:
            buffer += piece
            while len(buffer) >= frames.DATA_CHUNK:
                self.send(type_, bytes(buffer[: frames.DATA_CHUNK]))
                del buffer[: frames.DATA_CHUNK]
        if buffer:
            self.send(type_, bytes(buffer))

    def request(
        self,
        type_: Type,
        payload: bytes = b"",
        take: Callable[[Frame], None] | None = None,
        deadline: Deadline | None = None,
        latest: Deadline | None = None,
    ) -> list[tuple[Tag, bytes]]:
        """Send a request and return the fields of its reply; `take` receives the frames before the reply.

        The reply must arrive by `deadline`. With `latest`, every earlier frame extends the deadline, but not beyond it.

        Raises:
            WorkspaceRefused: If the supervisor refuses the request.
            ProtocolError: If a frame violates the protocol.
            SandboxLost: If the supervisor is gone; `SandboxSilent` if it does not reply in time.
        """
        wanted = self.send(type_, payload)
        deadline = deadline or Deadline.after(self._answer_seconds)
        while True:
            frame = self.receive(deadline)
            if frame.type is Type.ERR:
                raise payloads.refusal(frame)
            if frame.id != wanted:
                raise ProtocolError(f"The supervisor answered request {frame.id} instead of {wanted}.")
            if frame.type in (Type.OK, Type.DONE):
                return frames.parse_fields(frame.payload)
            if take is None:
                raise ProtocolError(f"The supervisor answered {type_.name} with {frame.type.name}.")
            take(frame)
            if latest is not None:
                more = deadline.clock() + self._answer_seconds
                deadline = replace(deadline, at=min(max(deadline.at, more), latest.at))

    def receive(self, deadline: Deadline) -> Frame:
        """Return the next frame. Raises as `request`, except `WorkspaceRefused`."""
        while True:
            for frame in self._inbox:
                return frame
            # Check even if data keeps arriving, so that constant sending gains no time.
            if deadline.passed:
                raise SandboxSilent("The supervisor did not come to an end in time.")
            try:
                data = self._channel.receive(deadline.remaining_seconds())
            except TimeoutError:
                raise SandboxSilent("The supervisor did not answer in time.") from None
            if not data:
                raise SandboxLost(self._why_lost())
            self._inbox = self._decoder.feed(data)
