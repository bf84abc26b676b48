"""What a target is, as `reading` delivers it. Data only; all defaults are filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from graders.model.case import CommandSpec, Place
from sandbox.types import Network

DEFAULT_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Room:
    """What a target's sandbox may use where that is not what the case's may.

    Attributes:
        memory_bytes, cpus, pids, disk_bytes: None for the case's own.
    """

    memory_bytes: int | None = None
    cpus: float | None = None
    pids: int | None = None
    disk_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CliTarget:
    """A command in a sandbox of its own, which gets the prompt and changes the workspace or says its answer.

    Attributes:
        name: By which cases name it.
        place: Where it is written.
        command: What runs; ``{prompt_file}`` in its words is the path of a file with the prompt.
        image: Reference of its image, None for that of the case.
        network: What it can reach.
        env: Added to its environment. Not shown: it may hold keys.
        env_allow: Names of variables that it gets from the host's environment.
        timeout_seconds: Its deadline.
        output_file: A file of the workspace that holds its answer, None where that is what it prints.
        transcript_file: A file of the workspace that says how the answer came about.
        room: What its sandbox may use.
    """

    provider: ClassVar[str] = "cli"

    name: str
    place: Place
    command: CommandSpec
    image: str | None = None
    network: Network = Network.NONE
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    env_allow: tuple[str, ...] = ()
    timeout_seconds: float = DEFAULT_SECONDS
    output_file: str | None = None
    transcript_file: str | None = None
    room: Room = Room()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayTarget:
    """Work that was recorded before.

    Attributes:
        path: Where it is, relative to `directory`; ``{case_id}`` and ``{target}`` are filled in.
        directory: Where the file lies that defines the target.
    """

    provider: ClassVar[str] = "replay"

    name: str
    place: Place
    path: str
    directory: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class MockTarget:
    """The same answer to every case."""

    provider: ClassVar[str] = "mock"

    name: str
    place: Place
    output: str


Definition = CliTarget | ReplayTarget | MockTarget
