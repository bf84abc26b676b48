"""The Docker Engine API: the only module that imports `docker`.

Clients are not shared between threads. Errors of docker-py and requests leave this module as errors of `sandbox`. Only
requests that may be sent twice are sent twice. The API version is negotiated; nothing here depends on the engine being
on this machine.
"""

from __future__ import annotations

import io
import secrets
import tarfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeVar

import docker
import docker.errors
import docker.utils
import requests
import tenacity

from sandbox import hardening, owner, supervisor_build, weakening
from sandbox.docker_channel import AttachedChannel
from sandbox.docker_images import DockerImages
from sandbox.engine import ContainerState, EngineInfo, ImageInfo, Leftover
from sandbox.errors import EngineRefused, EngineUnavailable, ImageUnavailable, SandboxError
from sandbox.types import SandboxSpec

T = TypeVar("T")

_NOT_FOUND = 404
_CONFLICT = 409
_FILL_SECONDS = 30.0
_ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64"}

_REMEDY = "Start the Docker Engine, or set DOCKER_HOST to one that answers; `grade doctor` tells more."


@contextmanager
def translated() -> Iterator[None]:
    """Turn the exceptions of docker-py and requests into ours."""
    try:
        yield
    except docker.errors.ImageNotFound as error:
        raise ImageUnavailable(_sentence(error)) from error
    except docker.errors.APIError as error:
        raise EngineRefused(f"The engine refused: {_sentence(error)}", status=error.status_code or 0) from error
    except (docker.errors.DockerException, requests.RequestException, OSError) as error:
        raise EngineUnavailable(f"The Docker Engine does not answer: {_reason(error)}.", remedy=_REMEDY) from error


def _sentence(error: docker.errors.APIError) -> str:
    text = str(error.explanation or error).strip()
    return text if text.endswith(".") else f"{text}."


def _reason(error: BaseException) -> str:
    """Return the system's own words where there are some below docker-py's layers, else the layer's."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, OSError) and inner.strerror:
            return inner.strerror
        inner = inner.__context__
    return str(error).rstrip(".") or type(error).__name__


_twice = tenacity.Retrying(
    retry=tenacity.retry_if_exception_type(EngineUnavailable),
    stop=tenacity.stop_after_attempt(3),
    wait=tenacity.wait_random_exponential(multiplier=0.1, max=2.0),
    reraise=True,
)


class DockerEngine:
    """A Docker Engine, or what speaks its API.

    Args:
        host: Its address, such as ``unix:///run/docker.sock`` or ``tcp://build:2376``; None for what the environment
            says (DOCKER_HOST, DOCKER_TLS_VERIFY, DOCKER_CERT_PATH), else the default socket.
        timeout_seconds: How long one answer may take.

    Raises:
        EngineUnavailable: On first use, if none answers.
    """

    def __init__(self, host: str | None = None, *, timeout_seconds: int = 120) -> None:
        self._host = host
        self._timeout_seconds = timeout_seconds
        self._local = threading.local()
        self._clients: list[docker.APIClient] = []
        self.session = secrets.token_hex(8)
        self._lock = threading.Lock()

    @property
    def api(self) -> docker.APIClient:
        """The calling thread's client."""
        client: docker.APIClient | None = getattr(self._local, "client", None)
        if client is None:
            arguments = docker.utils.kwargs_from_env()
            if self._host:
                arguments["base_url"] = self._host
            try:
                client = docker.APIClient(version="auto", timeout=self._timeout_seconds, **arguments)
            except (docker.errors.DockerException, requests.RequestException, OSError) as error:
                where = arguments.get("base_url") or docker.utils.parse_host(None)
                raise EngineUnavailable(
                    f"No Docker Engine answers at {where}: {_reason(error)}.", remedy=_REMEDY
                ) from error
            self._local.client = client
            with self._lock:
                self._clients.append(client)
        return client

    def info(self) -> EngineInfo:
        answer, version = self._again(lambda: (self.api.info(), self.api.version()))
        runtimes = answer.get("Runtimes") or {}
        return EngineInfo(
            name=(version.get("Platform") or {}).get("Name") or _component(version) or "Docker Engine",
            version=str(version.get("Version", "")),
            api_version=str(self.api.api_version),
            architecture=_architecture(str(answer.get("Architecture", ""))),
            cgroup_version=str(answer.get("CgroupVersion") or ""),
            default_runtime=str(answer.get("DefaultRuntime") or ""),
            runtimes=tuple(sorted(runtimes)),
            security=tuple(_security(option) for option in answer.get("SecurityOptions") or ()),
            processors=int(answer.get("NCPU") or 0),
            memory_bytes=int(answer.get("MemTotal") or 0),
            time=_seconds(answer.get("SystemTime")),
            root_directory=str(answer.get("DockerRootDir") or ""),
            warnings=tuple(answer.get("Warnings") or ()),
        )

    def image(self, reference: str) -> ImageInfo:
        try:
            answer = self._again(lambda: self.api.inspect_image(reference))
        except ImageUnavailable as error:
            name = reference.removeprefix("gradebox/").partition(":")[0]
            ours = reference.startswith("gradebox/")
            remedy = f"Run `grade images build {name}`." if ours else f"Run `docker pull {reference}`, or build it."
            raise ImageUnavailable(f"The engine has no image {reference}.", remedy=remedy) from error
        config = answer.get("Config") or {}
        pairs = (entry.partition("=") for entry in config.get("Env") or ())
        return ImageInfo(
            id=answer["Id"],
            reference=reference,
            env={name: value for name, _, value in pairs},
            volumes=tuple(config.get("Volumes") or ()),
            labels=config.get("Labels") or {},
        )

    def create(self, spec: SandboxSpec, image: ImageInfo) -> str:
        if not self._volume_exists:
            self._fill(image)
        labels = {
            hardening.LABEL: "sandbox",
            hardening.LABEL_OWNER: owner.me(),
            hardening.LABEL_UNTIL: str(int(time.time() + spec.lifetime_seconds)),
            hardening.LABEL_SESSION: self.session,
        }
        mount = hardening.volume_mount(self.volume, {hardening.LABEL: "supervisor"}, read_only=True)
        body = weakening.container(hardening.create_body(spec, image, mount=mount, labels=labels))
        return self._create(body, None)

    def attach(self, container: str) -> AttachedChannel:
        parameters = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        with translated():
            attached = self.api.attach_socket(container, params=parameters)
        return AttachedChannel(attached)

    def start(self, container: str) -> None:
        with translated():
            self.api.start(container)

    def state(self, container: str) -> ContainerState | None:
        try:
            answer = self._again(lambda: self.api.inspect_container(container))
        except EngineRefused as error:
            if error.status == _NOT_FOUND:
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

    def repair(self, container: str, image: ImageInfo) -> bool:
        try:
            with translated():
                stream, _ = self.api.get_archive(container, hardening.SUPERVISOR)
                archive = b"".join(stream)
            with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
                member = tar.extractfile(tar.getmembers()[0])
                found = member.read() if member else b""
        except (EngineRefused, tarfile.TarError, IndexError):
            found = b""
        if found == self._binary:
            return False
        self._fill(image)
        return True

    def disconnect(self, container: str) -> None:
        answer = self._again(lambda: self.api.inspect_container(container))
        for name in (answer.get("NetworkSettings") or {}).get("Networks") or {}:
            with translated():
                self.api.disconnect_container_from_network(container, name, force=True)

    def kill(self, container: str) -> None:
        self._gone_is_fine(lambda: self.api.kill(container, "SIGKILL"))

    def remove(self, container: str) -> None:
        self._gone_is_fine(lambda: self.api.remove_container(container, v=True, force=True))

    def leftovers(self) -> tuple[Leftover, ...]:
        label = {"label": hardening.LABEL}
        containers = self._again(lambda: self.api.containers(all=True, filters=label))
        volumes = self._again(lambda: self.api.volumes(filters=label)).get("Volumes") or []
        unused = self._again(lambda: self.api.volumes(filters={**label, "dangling": ["true"]})).get("Volumes") or []
        free = {volume["Name"] for volume in unused}
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

    def remove_leftover(self, leftover: Leftover) -> None:
        if leftover.kind == "container":
            self.remove(leftover.id)
        else:
            self._gone_is_fine(lambda: self.api.remove_volume(leftover.id))

    def images(self) -> DockerImages:
        """Return the engine's images, for building them, with the calling thread's client."""
        return DockerImages(self.api, translated)

    def close(self) -> None:
        # An interrupt may have fallen between the engine's creating a container and our learning its name.
        with suppress(SandboxError):
            for leftover in self.leftovers():
                if leftover.labels.get(hardening.LABEL_SESSION) == self.session:
                    self.remove(leftover.id)
        with self._lock:
            clients, self._clients = self._clients, []
        for client in clients:
            client.close()
        self._local = threading.local()

    # The supervisor's volume: named by the hash of the binary, filled once per engine.

    @cached_property
    def _binary(self) -> bytes:
        return supervisor_build.binary(self.info().architecture)

    @cached_property
    def volume(self) -> str:
        return f"gradebox-supervisor-{sha256(self._binary).hexdigest()[:16]}"

    @cached_property
    def _volume_exists(self) -> bool:
        # Cached on purpose, as is a False that `_fill` makes true: it is asked before every sandbox.
        try:
            self._again(lambda: self.api.inspect_volume(self.volume))
        except EngineRefused as error:
            if error.status != _NOT_FOUND:
                raise
            return False
        return True

    def _fill(self, image: ImageInfo) -> None:
        """Put the supervisor into its volume.

        A container that is never started carries the file to the engine. Its name is the lock between processes that
        find the volume empty at the same time.
        """
        deadline = time.monotonic() + _FILL_SECONDS
        name = f"{self.volume}-fill"
        labels = {hardening.LABEL: "fill", hardening.LABEL_OWNER: owner.me(), hardening.LABEL_SESSION: self.session}
        body = {
            "Image": image.id,
            "Cmd": ["/never-started"],
            "NetworkDisabled": True,
            "Labels": labels,
            "HostConfig": {
                "NetworkMode": "none",
                "Mounts": [hardening.volume_mount(self.volume, {hardening.LABEL: "supervisor"}, read_only=False)],
            },
        }
        while True:
            try:
                container = self._create(body, name)
                break
            except EngineRefused as error:
                if error.status != _CONFLICT:
                    raise
            if time.monotonic() > deadline:
                # Whoever held the lock this long is gone.
                self.remove(name)
                deadline = time.monotonic() + _FILL_SECONDS
            time.sleep(0.05)
        try:
            with translated():
                self.api.put_archive(container, hardening.SUPERVISOR_DIRECTORY, _one_file("supervisor", self._binary))
        finally:
            self.remove(container)
        self.__dict__["_volume_exists"] = True

    def _create(self, body: dict[str, Any], name: str | None) -> str:
        with translated():
            answer: Mapping[str, Any] = self.api.create_container_from_config(body, name)
        return str(answer["Id"])

    def _again(self, request: Callable[[], T]) -> T:
        """Send a request that may be sent twice."""

        def once() -> T:
            with translated():
                return request()

        return _twice(once)

    def _gone_is_fine(self, request: Callable[[], object]) -> None:
        try:
            self._again(request)
        except EngineRefused as error:
            # 409 is "not running" for a kill and "removal in progress" for a removal: done, or about to be.
            if error.status not in (_NOT_FOUND, _CONFLICT):
                raise


def _one_file(name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        member.mode = 0o555
        tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def _architecture(reported: str) -> str:
    return _ARCHITECTURES.get(reported, reported)


def _component(version: Mapping[str, Any]) -> str:
    components = version.get("Components") or [{}]
    name = str(components[0].get("Name", ""))
    return "Docker Engine" if name == "Engine" else name


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
