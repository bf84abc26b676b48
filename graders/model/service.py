"""A service that a case starts beside its sandbox, such as a database. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from gradebox.graders.model.own_image import OwnImage
from gradebox.sandbox.limits import Limits
from gradebox.sandbox.records import dataclass

DEFAULT_READY_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Ready:
    """How a service shows that it is ready: a command that succeeds, or a port; what is not asked for is empty."""

    command: tuple[str, ...] = ()
    port: int = 0  # Connections are accepted there.
    http: str = ""  # A path, at the port: the status of the reply is 2xx or 3xx.
    timeout_seconds: float = DEFAULT_READY_SECONDS  # How long it may take, of wall time.


@dataclass(frozen=True, slots=True)
class Service:
    """A program of the case's author that runs in a container of its own, in the network of the sandbox.

    Attributes:
        name: By which the sandbox reaches it.
        image: What its container is made from.
        command, env: What it runs, and what is added to its environment.
        ready: How it shows that it is ready.
        reset: The command that brings it into the state in which a submission finds it; empty for none.
        limits: What its container may use.
        lasts: Whether it serves one submission after the other, with a reset before each.
    """

    name: str
    image: str | OwnImage
    command: tuple[str, ...]
    ready: Ready
    env: Mapping[str, str] = field(default_factory=dict)
    reset: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    lasts: bool = False
