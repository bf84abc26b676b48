"""An engine in memory for tests: its containers have a supervisor in memory, too."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

from fake_images import FakeImages
from fake_supervisor import FakeChannel, FakeEnd, FakeRun, Script

from gradebox.sandbox import owner
from gradebox.sandbox.engines.engine import ContainerState, EngineInfo, ImageInfo, Images, Leftover
from gradebox.sandbox.errors import ImageUnavailable, NameTaken
from gradebox.sandbox.types import SandboxSpec

__all__ = ["FakeChannel", "FakeEnd", "FakeEngine", "FakeRun", "Script"]


@dataclass(slots=True)
class _Container:
    spec: SandboxSpec
    channel: FakeChannel
    running: bool = False


@dataclass(slots=True)
class FakeEngine:
    """An engine whose containers run `script`.

    Attributes:
        script: What commands do.
        references: Images that exist.
        images: For building, listing and removing them.
        refuse: Raised by the next calls of `create`, one each, instead of creating.
        extra: Leftovers of others, for the reaper.
        volume: Name of the supervisor's.
        removed: Ids of what was removed.
        created: Specs of all containers that were created.
        disconnected: Ids of what was taken off its networks.
        names: Of containers that have one, by id.
        starved: Whether containers that ended did so for lack of memory, as the engine learnt afterwards.
    """

    script: Script = lambda _: FakeEnd()
    references: tuple[str, ...] = ("image",)
    images: Images = field(default_factory=FakeImages)
    refuse: list[Exception] = field(default_factory=list)
    extra: list[Leftover] = field(default_factory=list)
    volume: str = "gradebox-supervisor-current"
    removed: list[str] = field(default_factory=list)
    created: list[SandboxSpec] = field(default_factory=list)
    disconnected: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    starved: bool = False
    _containers: dict[str, _Container] = field(default_factory=dict)

    def info(self) -> EngineInfo:
        return EngineInfo("Fake Engine", "1", "1.41", "x86_64", joins_networks=True, removes_images=True)

    def image(self, reference: str) -> ImageInfo:
        if reference not in self.references:
            raise ImageUnavailable(f"There is no image {reference}.", remedy="Run `grade images build base`.")
        return ImageInfo(f"sha256:{sha256(reference.encode()).hexdigest()}", reference, {"FROM_IMAGE": "1"})

    def create(self, spec: SandboxSpec, image: ImageInfo, name: str | None = None) -> str:
        if self.refuse:
            raise self.refuse.pop(0)
        if name in self.names.values():
            raise NameTaken(f"There is a container {name}.", status=409)
        self.created.append(spec)
        container = f"container-{len(self.created)}"
        self._containers[container] = _Container(spec, FakeChannel(self.script, spec))
        if name is not None:
            self.names[container] = name
        return container

    def attach(self, container: str) -> FakeChannel:
        return self._containers[container].channel

    def start(self, container: str) -> None:
        self._containers[container].running = True
        self._containers[container].channel.greet()

    def state(self, container: str) -> ContainerState | None:
        found = self._containers.get(container)
        return ContainerState(running=False, exit_code=137) if found else None

    def ran_out_of_memory(self, container: str) -> bool:
        return self.starved

    def repair(self, container: str, image: ImageInfo) -> bool:
        return False

    def disconnect(self, container: str) -> None:
        self.disconnected.append(container)

    def kill(self, container: str) -> None:
        if container in self._containers:
            self._containers[container].channel.close()

    def remove(self, container: str) -> None:
        self.names.pop(container, None)
        if self._containers.pop(container, None) is not None:
            self.removed.append(container)

    def leftovers(self) -> tuple[Leftover, ...]:
        own = (Leftover("container", name, {owner.LABEL: "sandbox"}, 0.0, running=True) for name in self._containers)
        return (*own, *self.extra)

    def is_current(self, leftover: Leftover) -> bool:
        return leftover.id == self.volume

    def remove_leftover(self, leftover: Leftover) -> None:
        self.extra = [other for other in self.extra if other.id != leftover.id]
        self.removed.append(leftover.id)

    def close(self) -> None:
        pass

    @property
    def open_containers(self) -> tuple[str, ...]:
        """The containers that were not removed: none, after orderly use."""
        return tuple(self._containers)
