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
    """How a service shows that it is ready: a command that succeeds, or a port. Unused fields are empty."""

    command: tuple[str, ...] = ()
    port: int = 0  # It is ready when it accepts connections here.
    http: str = ""  # A path at the port that must be answered with a status 2xx or 3xx.
    timeout_seconds: float = DEFAULT_READY_SECONDS  # Limit of wall time until it is ready.


@dataclass(frozen=True, slots=True)
class Service:
    """A program of the case's author that runs in its own container, in the network of the sandbox.

    Attributes:
        name: Its host name in the sandbox.
        image: The image of its container.
        command, env: The command that it runs, and variables added to its environment.
        ready: How it shows that it is ready.
        reset: The command that brings it into the state that each submission must find; empty for none.
        limits: The limits of its container.
        lasts: Whether it serves several submissions in turn, with a reset before each.
    """

    name: str
    image: str | OwnImage
    command: tuple[str, ...]
    ready: Ready
    env: Mapping[str, str] = field(default_factory=dict)
    reset: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    lasts: bool = False
