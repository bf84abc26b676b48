"""The Docker Engine API as an `Engine`. The engine may be on another machine."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gradebox.sandbox import forks, owner
from gradebox.sandbox.engines.docker import container_request
from gradebox.sandbox.engines.docker.channel import AttachedChannel
from gradebox.sandbox.engines.docker.connection import NOT_FOUND, Connection
from gradebox.sandbox.engines.docker.volume import SupervisorVolume
from gradebox.sandbox.engines.engine import ContainerState, EngineInfo, ImageInfo, Leftover
from gradebox.sandbox.errors import EngineRefused, ImageUnavailable, SandboxError
from gradebox.sandbox.types import SandboxSpec

if TYPE_CHECKING:
    from gradebox.sandbox.engines.docker.docker_images import DockerImages

_PODMAN = "Podman Engine"
# How long a looked-up image is cached: each case looks up its image several times, and thousands may use the same one.
_IMAGE_SECONDS = 10.0
_ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64"}


class DockerEngine:
    """A Docker Engine, or another engine with its API.

    A forked process may use its parent's object, which then opens a new connection.

    Args:
        host: Its address, such as ``unix:///run/docker.sock`` or ``tcp://build:2376``; None for the address in the
            environment (DOCKER_HOST, DOCKER_TLS_VERIFY, DOCKER_CERT_PATH), otherwise the default socket.
        timeout_seconds: How long one answer may take.

    Raises:
        EngineUnavailable: On first use, if no engine answers.
    """

    def __init__(self, host: str | None = None, *, timeout_seconds: int = 120) -> None:
        self._host = host
        self._timeout_seconds = timeout_seconds
        # Whether to limit the number of files; False once the engine has refused such a limit.
        self._limits_files = True
        self._looked_up: dict[str, tuple[float, ImageInfo]] = {}
        self._begin()
        forks.register(self)

    def _begin(self) -> None:
        self.session = secrets.token_hex(8)
        # Whether the engine may have containers of this session.
        self._has_created = False
        self._connection = Connection(self._host, self._timeout_seconds)
        self._images: DockerImages | None = None
        self._ask = self._connection.json
        self._retry = self._connection.retry
        self._ignore_missing = self._connection.ignore_missing
        self._supervisor = SupervisorVolume(self._connection, lambda: self._first_info.architecture, self.session)

    def forked(self) -> None:
        # A forked process gets a new session, so that it does not remove its parent's containers.
        self._begin()

    @property
    def images(self) -> DockerImages:
        from gradebox.sandbox.engines.docker.docker_images import DockerImages  # noqa: PLC0415 - it takes long to import

        self._images = self._images or DockerImages(self._connection.address, self._timeout_seconds)
        return self._images

    @property
    def volume(self) -> str:
        """The name of the volume from which sandboxes get the supervisor."""
        return self._supervisor.name

    def info(self) -> EngineInfo:
        answer = self._retry(lambda: self._ask("GET", "/info"))
        version = self._connection.engine_version
        default = str(answer.get("DefaultRuntime") or "")
        architecture = str(answer.get("Architecture", ""))
        is_podman = _component(version) == _PODMAN
        # Podman lists the runtimes that it knows, but always uses its default.
        runtimes = {default} if is_podman else answer.get("Runtimes") or {}
        found = EngineInfo(
            name=_name(version),
            version=str(version.get("Version", "")),
            api_version=self._connection.api_version,
            architecture=_ARCHITECTURES.get(architecture, architecture),
            cgroup_version=str(answer.get("CgroupVersion") or ""),
            default_runtime=default,
            runtimes=tuple(sorted(runtimes)),
            security=tuple(_security(option) for option in answer.get("SecurityOptions") or ()),
            processors=int(answer.get("NCPU") or 0),
            memory_bytes=int(answer.get("MemTotal") or 0),
            time=_seconds(answer.get("SystemTime")),
            root_directory=str(answer.get("DockerRootDir") or ""),
            warnings=tuple(answer.get("Warnings") or ()),
            pins_processors=bool(answer.get("CPUSet")),
            machine=str(answer.get("Name") or ""),
            joins_networks=not is_podman,
            removes_images=True,
            runc=next((str(part.get("Version")) for part in _components(version) if part.get("Name") == "runc"), ""),
        )
        self.__dict__.setdefault("_first_info", found)
        return found

    def image(self, reference: str) -> ImageInfo:
        until, known = self._looked_up.get(reference, (0.0, None))
        if known is not None and time.monotonic() < until:
            return known
        found = self._look_up(reference)
        self._looked_up[reference] = (time.monotonic() + _IMAGE_SECONDS, found)
        return found

    def _look_up(self, reference: str) -> ImageInfo:
        try:
            answer = self._retry(lambda: self._ask("GET", f"/images/{reference}/json"))
        except ImageUnavailable as error:
            raise ImageUnavailable.missing(reference) from error
        config = answer.get("Config") or {}
        pairs = (entry.partition("=") for entry in config.get("Env") or ())
        return ImageInfo(
            id=answer["Id"],
            reference=reference,
            env={name: value for name, _, value in pairs},
            volumes=tuple(config.get("Volumes") or ()),
            labels=config.get("Labels") or {},
        )

    def create(self, spec: SandboxSpec, image: ImageInfo, name: str | None = None) -> str:
        labels = {
            owner.LABEL: "sandbox",
            owner.LABEL_OWNER: owner.me(),
            owner.LABEL_UNTIL: str(int(time.time() + spec.lifetime_seconds)),
            owner.LABEL_SESSION: self.session,
        }
        self._has_created = True
        mount = self._supervisor.mount(image)
        engine = self._first_info
        body = container_request.create_body(spec, image, mount=mount, labels=labels, processors=engine.processors)
        if spec.masked and engine.name == _PODMAN:
            body = container_request.masked_by_option(body)
        try:
            return self._create(body, name)
        except ImageUnavailable:
            # The image was removed after the lookup; the next sandbox looks up its name again.
            self._looked_up.pop(image.reference, None)
            raise

    @cached_property
    def _first_info(self) -> EngineInfo:
        """The engine's description, which does not change while the engine is used."""
        return self.info()

    def _create(self, body: Mapping[str, Any], name: str | None) -> str:
        if self._limits_files:
            try:
                return self._connection.create(body, name)
            except EngineRefused as error:
                if "nr_inodes" not in error.message:
                    raise
                self._limits_files = False
        return self._connection.create(container_request.without_file_limits(body), name)

    def attach(self, container: str) -> AttachedChannel:
        parameters = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        return AttachedChannel(*self._connection.hijack(f"/containers/{container}/attach", parameters))

    def start(self, container: str) -> None:
        self._ask("POST", f"/containers/{container}/start")

    def state(self, container: str) -> ContainerState | None:
        try:
            answer = self._retry(lambda: self._ask("GET", f"/containers/{container}/json"))
        except EngineRefused as error:
            if error.status == NOT_FOUND:
                return None
            raise
        state = answer["State"]
        running = bool(state.get("Running"))
        return ContainerState(
            running=running,
            exit_code=None if running else int(state.get("ExitCode", 0)),
            oom_killed=bool(state.get("OOMKilled")),
            error=str(state.get("Error") or ""),
        )

    def ran_out_of_memory(self, container: str) -> bool:
        with suppress(SandboxError):
            answer = self._retry(lambda: self._ask("GET", f"/containers/{container}/json"))
            ended = _seconds(answer["State"].get("FinishedAt"))
            if ended is not None:
                return self._connection.reports_oom(container, ended)
        return False

    def repair(self, container: str, image: ImageInfo) -> bool:
        if self._supervisor.is_whole(container):
            return False
        self._supervisor.fill(image)
        return True

    def disconnect(self, container: str) -> None:
        answer = self._retry(lambda: self._ask("GET", f"/containers/{container}/json"))
        for name in (answer.get("NetworkSettings") or {}).get("Networks") or {}:
            self._ask("POST", f"/networks/{name}/disconnect", body={"Container": container, "Force": True})

    def kill(self, container: str) -> None:
        self._ignore_missing(lambda: self._ask("POST", f"/containers/{container}/kill", {"signal": "SIGKILL"}))

    def remove(self, container: str) -> None:
        self._connection.remove_container(container)

    def leftovers(self) -> tuple[Leftover, ...]:
        label = {"label": [owner.LABEL]}
        containers = self._retry(lambda: self._ask("GET", "/containers/json", {"all": 1, "filters": label}))
        volumes = self._volumes(label)
        free = {volume["Name"] for volume in self._volumes({**label, "dangling": ["true"]})}
        return (
            *(
                Leftover("container", c["Id"], c.get("Labels") or {}, float(c["Created"]), c.get("State") == "running")
                for c in containers
            ),
            *(
                Leftover(
                    "volume",
                    v["Name"],
                    v.get("Labels") or {},
                    _seconds(v.get("CreatedAt")) or 0.0,
                    running=v["Name"] not in free,
                )
                for v in volumes
            ),
        )

    def _volumes(self, filters: Mapping[str, list[str]]) -> list[dict[str, Any]]:
        answer = self._retry(lambda: self._ask("GET", "/volumes", {"filters": filters}))
        return answer.get("Volumes") or []

    def remove_leftover(self, leftover: Leftover) -> None:
        if leftover.kind == "container":
            self.remove(leftover.id)
        else:
            self._ignore_missing(lambda: self._ask("DELETE", f"/volumes/{leftover.id}"))

    def is_current(self, leftover: Leftover) -> bool:
        return leftover.id == self.volume

    def close(self) -> None:
        try:
            if self._has_created:
                self._remove_own()
        finally:
            if self._images is not None:
                self._images.client.close()
            self._connection.close()

    def _remove_own(self) -> None:
        # An interrupt may have come after the engine created a container and before we learned its name.
        with suppress(SandboxError):
            for leftover in self.leftovers():
                if leftover.labels.get(owner.LABEL_SESSION) == self.session:
                    self.remove(leftover.id)


def _name(version: Mapping[str, Any]) -> str:
    platform = str((version.get("Platform") or {}).get("Name") or "")
    # Podman reports the operating system as this name.
    return ("" if "/" in platform else platform) or _component(version) or "Docker Engine"


def _component(version: Mapping[str, Any]) -> str:
    name = str(next(iter(_components(version)), {}).get("Name", ""))
    return "Docker Engine" if name == "Engine" else name


def _components(version: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return version.get("Components") or []


def _security(option: str) -> str:
    """Return the name in an option such as ``name=seccomp,profile=default``."""
    return dict(part.partition("=")[::2] for part in option.split(",")).get("name", option)


def _seconds(stamp: object) -> float | None:
    """Return an RFC 3339 time, which may have nanoseconds, as seconds since the epoch."""
    if not isinstance(stamp, str):
        return None
    with suppress(ValueError):
        return datetime.fromisoformat(stamp).timestamp()
    return None
