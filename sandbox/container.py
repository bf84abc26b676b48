"""The container of one sandbox: creates it under a name that reserves its users, starts, watches, and removes it.

The container is ready when its supervisor reports so, and is used only if the engine enforces what was requested.
`session` sends the supervisor its requests.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace

from gradebox.sandbox import ending, guarantees, users, walls
from gradebox.sandbox.deadline import Deadline
from gradebox.sandbox.engines.engine import KILLED, Channel, ContainerState, Engine, ImageInfo
from gradebox.sandbox.errors import EngineRefused, NameTaken, ProtocolError, SandboxError, SandboxLost
from gradebox.sandbox.guarantees import Guarantees
from gradebox.sandbox.protocol import frames, payloads
from gradebox.sandbox.protocol.frames import Type
from gradebox.sandbox.protocol.request_reply import SupervisorClient
from gradebox.sandbox.types import SandboxSpec

READY_SECONDS = 60.0
# How long a container may take to end after its supervisor, until its state shows the reason.
END_SECONDS = 15.0
# How long a supervisor may take to end after BYE. Removing an ended container costs the engine 15 ms less processor
# time than killing one.
BYE_SECONDS = 1.0


class Container:
    """One container with our supervisor in it. Not thread-safe, except for `kill`.

    Args:
        engine: The engine that runs it.
        spec: What it may do.
        image: Its image.

    Attributes:
        first_uid: The uid of its first user.
        guarantees: What its supervisor read about it at its start.
        killed: Whether `kill` was called.
    """

    def __init__(self, engine: Engine, spec: SandboxSpec, image: ImageInfo) -> None:
        self._engine = engine
        self._spec = spec
        self._image = image
        self._id: str | None = None
        self._channel: Channel | None = None
        self._supervisor: SupervisorClient | None = None
        self.first_uid = users.FIRST_UID
        self.guarantees = Guarantees()
        self.killed = False

    def open(self) -> None:
        """Create and start the container.

        Raises:
            SandboxLost: If the container did not start.
            SandboxError: If the engine fails, or does not enforce what was requested.
        """
        try:
            self._start()
        except (EngineRefused, SandboxLost) as error:
            # The supervisor could not be executed, or ended before its first frame: its file may be damaged.
            if self._id is None or not self._engine.repair(self._id, self._image):
                raise SandboxLost(f"The sandbox did not start: {error.message}", remedy=error.remedy) from error
            self.close()
            self._start()
        missing = guarantees.missing(self.guarantees, self._spec)
        if missing:
            raise SandboxError(
                f"Sandboxes lack protections here. {' '.join(walls.sentences(missing))}",
                remedy=f"Use a container engine, or accept this: --accept-weaker {','.join(missing)}.",
            )
        broken = guarantees.broken_promises(self.guarantees, self._spec)
        if broken:
            raise SandboxError(
                f"The engine does not enforce what was requested. {' '.join(broken)}",
                remedy="Run `grade doctor` to see what this engine enforces.",
            )

    def _start(self) -> None:
        self._id = self._created()
        self._channel = self._engine.attach(self._id)
        self._supervisor = SupervisorClient(self._channel, self._why_lost, self._spec.limits.slowness)
        self._engine.start(self._id)
        ready = self._supervisor.receive(Deadline.after(READY_SECONDS))
        if ready.type is not Type.READY:
            raise ProtocolError(f"The supervisor's first frame is {ready.type.name} instead of READY.")
        self.guarantees = payloads.guarantees(frames.parse_fields(ready.payload))

    def _created(self) -> str:
        for first_uid in users.ranges():
            self.first_uid = first_uid
            with contextlib.suppress(NameTaken):
                return self._engine.create(self._spec, self._image, users.container_name(first_uid))
        # All ranges are taken, so this sandbox shares its users with another one.
        return self._engine.create(self._spec, self._image)

    @property
    def id(self) -> str | None:
        """The engine's id of the container, None if it is not open."""
        return self._id

    @property
    def supervisor(self) -> SupervisorClient:
        """The client of the container's supervisor.

        Raises:
            SandboxLost: If the container is not open.
        """
        if self._supervisor is None:
            raise SandboxLost("The sandbox is closed.")
        return self._supervisor

    def close(self) -> None:
        """Remove the container. Never raises.

        If the engine does not answer, the reaper finds the container later by its labels.
        """
        channel, self._channel, self._supervisor = self._channel, None, None
        container, self._id = self._id, None
        if channel is not None:
            with contextlib.suppress(SandboxLost, TimeoutError):
                deadline = Deadline.after(0.0 if self.killed else BYE_SECONDS)
                channel.send(frames.encode(Type.BYE, 0), BYE_SECONDS)
                while not deadline.passed and channel.receive(deadline.remaining_seconds()):
                    pass
            channel.close()
        if container is not None:
            with contextlib.suppress(SandboxError):
                self._engine.remove(container)

    def kill(self) -> None:
        """Kill everything in the container. Any thread may call this, even after `close`."""
        self.killed = True
        # Read once: another thread may be closing the container.
        container = self._id
        if container is not None:
            self._engine.kill(container)

    def disconnect(self) -> None:
        """Disconnect the container from every network but loopback.

        Raises:
            SandboxError: If the engine refuses, or an interface remains.
            SandboxLost: If the container is not open, or ended.
        """
        if self._id is None:
            raise SandboxLost("The sandbox is closed.")
        self._engine.disconnect(self._id)
        left = payloads.interfaces(self.supervisor.request(Type.STAT))
        if left:
            raise SandboxError(
                f"The sandbox was disconnected from its network but still has {', '.join(left)}.",
                remedy="Use an engine and a runtime that can do this (gVisor cannot), or prepare an image instead.",
            )

    def state(self, *, patient: bool) -> ContainerState | None:
        """Return the container's final state; None if it is gone, or the engine does not report it.

        Args:
            patient: Whether to wait up to END_SECONDS for its end.
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
        # A sandbox with its own kernel needs no further proof (`ending`).
        known = self.killed or state.oom_killed or self.guarantees.own_kernel
        if known or state.exit_code != KILLED:
            return False
        return self._engine.ran_out_of_memory(container)

    def _why_lost(self) -> str:
        last_words = self._channel.stderr() if self._channel is not None else ""
        try:
            state = self._engine.state(self._id) if self._id is not None else None
        except SandboxError as error:
            return f"The connection to the sandbox ended. {error.message}"
        return ending.why_lost(state, last_words)
