"""The container of one sandbox: made under the name of its users, started, watched, and removed.

It is ready when its supervisor has said so, and used only if the engine enforces what was asked. What is then said to
the supervisor is `session`'s to know.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace

from sandbox import hardening, loss, users
from sandbox.deadline import Deadline
from sandbox.engines.engine import (
    KILLED,
    Channel,
    ContainerState,
    Engine,
    ImageInfo,
)
from sandbox.errors import (
    EngineRefused,
    NameTaken,
    ProtocolError,
    SandboxError,
    SandboxLost,
)
from sandbox.protocol import frames, messages
from sandbox.protocol.frames import Type
from sandbox.protocol.request_reply import Turns
from sandbox.types import Guarantees, SandboxSpec

READY_SECONDS = 60.0
# How long after its supervisor a container may be on its way out, before its state tells why.
END_SECONDS = 3.0


class Container:
    """One container with our supervisor in it. Not thread-safe, but for `kill`.

    Args:
        engine: Where it lives.
        spec: What it may do.
        image: What it is made from.

    Attributes:
        first_uid: The first of its users' numbers.
        guarantees: What its supervisor saw when it started.
        killed: Whether we have killed it.
    """

    def __init__(self, engine: Engine, spec: SandboxSpec, image: ImageInfo) -> None:
        self._engine = engine
        self._spec = spec
        self._image = image
        self._id: str | None = None
        self._channel: Channel | None = None
        self._turns: Turns | None = None
        self.first_uid = users.FIRST_UID
        self.guarantees = Guarantees()
        self.killed = False

    def open(self) -> None:
        """Make and start it.

        Raises:
            SandboxLost: If it did not start.
            SandboxError: If the engine fails, or does not enforce what was asked.
        """
        try:
            self._start()
        except (EngineRefused, SandboxLost) as error:
            # Either the engine could not execute the supervisor, or it ended before it spoke: is it whole?
            if self._id is None or not self._engine.repair(self._id, self._image):
                raise SandboxLost(f"The sandbox did not start: {error}") from error
            self.close()
            self._start()
        broken = hardening.broken_promises(self.guarantees, self._spec)
        if broken:
            raise SandboxError(
                f"The engine does not enforce what was asked. {' '.join(broken)}",
                remedy="`grade doctor` says what this engine enforces.",
            )

    def _start(self) -> None:
        self._id = self._created()
        self._channel = self._engine.attach(self._id)
        self._turns = Turns(self._channel, self._why_lost, self._spec.limits.slowness)
        self._engine.start(self._id)
        ready = self._turns.receive(Deadline.after(READY_SECONDS))
        if ready.type is not Type.READY:
            raise ProtocolError(f"The supervisor began with {ready.type.name} instead of READY.")
        self.guarantees = messages.guarantees(frames.parse_fields(ready.payload))

    def _created(self) -> str:
        for first_uid in users.ranges():
            self.first_uid = first_uid
            with contextlib.suppress(NameTaken):
                return self._engine.create(self._spec, self._image, users.container_name(first_uid))
        # More sandboxes at a time than ranges: this one shares its users with another one.
        return self._engine.create(self._spec, self._image)

    @property
    def turns(self) -> Turns:
        """The way to its supervisor.

        Raises:
            SandboxLost: If it is not open.
        """
        if self._turns is None:
            raise SandboxLost("The sandbox is closed.")
        return self._turns

    def close(self) -> None:
        """Remove it. Never raises.

        An engine that does not answer now leaves it to the reaper, which finds it by its labels.
        """
        channel, self._channel, self._turns = self._channel, None, None
        container, self._id = self._id, None
        if channel is not None:
            with contextlib.suppress(SandboxLost):
                channel.send(frames.encode(Type.BYE, 0), 1.0)
            channel.close()
        if container is not None:
            with contextlib.suppress(SandboxError):
                self._engine.remove(container)

    def kill(self) -> None:
        """End all that runs in it. May be called from another thread, and after it was closed."""
        self.killed = True
        # Read once: another thread may be closing it.
        container = self._id
        if container is not None:
            self._engine.kill(container)

    def disconnect(self) -> None:
        """Take it off every network but loopback.

        Raises:
            SandboxError: If the engine refuses.
            SandboxLost: If it is not open.
        """
        if self._id is None:
            raise SandboxLost("The sandbox is closed.")
        self._engine.disconnect(self._id)

    def state(self, *, patient: bool) -> ContainerState | None:
        """Return its state, once that is final; None if there is none, or the engine does not say.

        Args:
            patient: Whether to wait for its end for a moment.
        """
        deadline = Deadline.after(END_SECONDS if patient else 0.0)
        with contextlib.suppress(SandboxError):
            while self._id is not None:
                state = self._engine.state(self._id)
                if state is not None and self._was_starved(self._id, state):
                    return replace(state, oom_killed=True)
                if state is None or not state.running or deadline.remaining_seconds() <= 0:
                    return state
                time.sleep(0.05)
        return None

    def _was_starved(self, container: str, state: ContainerState) -> bool:
        # One with a kernel of its own needs no further proof (`loss`).
        known = self.killed or state.oom_killed or self.guarantees.own_kernel
        if known or state.exit_code != KILLED:
            return False
        return self._engine.ran_out_of_memory(container)

    def _why_lost(self) -> str:
        said = self._channel.stderr() if self._channel is not None else ""
        try:
            state = self._engine.state(self._id) if self._id is not None else None
        except SandboxError as error:
            return f"The connection to the sandbox ended. {error.message}"
        return loss.sentence(state, said)
