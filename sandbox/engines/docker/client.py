"""The connection to a Docker Engine: the only module that imports `docker`.

Clients are not shared between threads. Errors of docker-py and requests leave this module as errors of `sandbox`. Only
requests that may be sent twice are sent twice. The API version is negotiated.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import docker
import docker.errors
import docker.utils
import requests
import tenacity

from sandbox.engines.docker.ssh_tunnel import Tunnel, is_behind_ssh
from sandbox.errors import (
    EngineRefused,
    EngineUnavailable,
    ImageUnavailable,
    NameTaken,
)

T = TypeVar("T")

NOT_FOUND = 404
CONFLICT = 409

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
    # Who was silent for long is not asked again: everything would take three times as long to fail.
    stop=tenacity.stop_any(tenacity.stop_after_attempt(3), tenacity.stop_after_delay(30)),
    wait=tenacity.wait_random_exponential(multiplier=0.1, max=2.0),
    reraise=True,
)


class _Client(docker.APIClient):
    """docker-py's client, with a timeout for what it asks without one: a connection to a container's streams."""

    def request(self, *arguments: Any, **options: Any) -> requests.Response:
        options.setdefault("timeout", self.timeout)
        return super().request(*arguments, **options)


class Connection:
    """An engine's API, whichever thread asks.

    Args:
        host: Its address; None for what the environment says.
        timeout_seconds: How long one answer may take.
    """

    def __init__(self, host: str | None, timeout_seconds: int) -> None:
        self._host = host
        self._timeout_seconds = timeout_seconds
        self._local = threading.local()
        # Those of threads that have ended close by themselves.
        self._clients: weakref.WeakSet[docker.APIClient] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._tunnel: Tunnel | None = None

    def _way_to(self, address: str) -> str:
        with self._lock:
            self._tunnel = self._tunnel or Tunnel(address)
        return self._tunnel.url()

    @property
    def api(self) -> docker.APIClient:
        """The calling thread's client."""
        client: docker.APIClient | None = getattr(self._local, "client", None)
        if client is None:
            arguments = docker.utils.kwargs_from_env()
            if self._host:
                arguments["base_url"] = self._host
            if is_behind_ssh(arguments.get("base_url") or ""):
                arguments = {"base_url": self._way_to(arguments["base_url"])}
            try:
                client = _Client(version="auto", timeout=self._timeout_seconds, **arguments)
            except (docker.errors.DockerException, requests.RequestException, OSError) as error:
                where = arguments.get("base_url") or docker.utils.parse_host(None)
                raise EngineUnavailable(
                    f"No Docker Engine answers at {where}: {_reason(error)}.", remedy=_REMEDY
                ) from error
            self._local.client = client
            with self._lock:
                self._clients.add(client)
        return client

    def again(self, request: Callable[[], T]) -> T:
        """Send a request that may be sent twice."""

        def once() -> T:
            with translated():
                return request()

        return _twice(once)

    def create(self, body: Mapping[str, Any], name: str | None) -> str:
        """Create a container and return its id.

        Raises:
            NameTaken: If another one has the name.
        """
        try:
            with translated():
                answer: Mapping[str, Any] = self.api.create_container_from_config(body, name)
        except EngineRefused as error:
            # Not every engine has a status of its own for this.
            if name is not None and (error.status == CONFLICT or "already in use" in error.message):
                raise NameTaken(error.message, status=error.status) from error
            raise
        return str(answer["Id"])

    def gone_is_fine(self, request: Callable[[], object]) -> None:
        """Send a request that may be sent twice, and about something that need not exist any more."""
        try:
            self.again(request)
        except EngineRefused as error:
            # 409 is "not running" for a kill and "removal in progress" for a removal: done, or about to be.
            if error.status not in (NOT_FOUND, CONFLICT):
                raise

    def close(self) -> None:
        """Let go of the clients of all threads."""
        with self._lock:
            clients, self._clients = list(self._clients), weakref.WeakSet()
        for client in clients:
            client.close()
        self._local = threading.local()
        if self._tunnel is not None:
            self._tunnel.close()
