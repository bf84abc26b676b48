"""The connection to a Docker Engine: the only module that imports docker-py.

Each thread has a client of its own. Errors of docker-py and requests leave this module as errors of `sandbox`. Only
a request that may be repeated is retried. The API version is negotiated.
"""

from __future__ import annotations

import json
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import docker
import docker.errors
import docker.utils
import requests

from sandbox.engines.docker.ssh_tunnel import Tunnel, is_behind_ssh
from sandbox.errors import EngineRefused, EngineUnavailable, ImageUnavailable, NameTaken

T = TypeVar("T")

NOT_FOUND = 404
CONFLICT = 409

# How far apart the events of a container's end and of its lack of memory may be.
_AROUND_SECONDS = 2.0
_EVENTS_SECONDS = 10.0

_REMEDY = "Start the Docker Engine, or set DOCKER_HOST to one that answers. `grade doctor` shows details."


@contextmanager
def translated() -> Iterator[None]:
    """Translate the exceptions of docker-py and requests into ours."""
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
    """Return the error message of the operating system if docker-py wraps one, otherwise docker-py's."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, OSError) and inner.strerror:
            return inner.strerror
        inner = inner.__context__
    return str(error).rstrip(".") or type(error).__name__


def _again(request: Callable[[], T], failure: EngineUnavailable, spent_seconds: float) -> T:
    """Repeat a request that has failed after some time, up to twice."""
    import tenacity  # noqa: PLC0415 - an engine that answers at once needs none of it

    failures = [failure]

    def attempt() -> T:
        if failures:
            raise failures.pop()
        return request()

    return tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(EngineUnavailable),
        # An engine that was silent for long gets no second request: every failure would take three times as long.
        stop=tenacity.stop_any(tenacity.stop_after_attempt(3), tenacity.stop_after_delay(30 - spent_seconds)),
        wait=tenacity.wait_random_exponential(multiplier=0.1, max=2.0),
        reraise=True,
    )(attempt)


class _Client(docker.APIClient):
    """docker-py's client, with a timeout for its one request without: the connection to a container's streams."""

    def request(self, *arguments: Any, **options: Any) -> requests.Response:
        options.setdefault("timeout", self.timeout)
        return super().request(*arguments, **options)


class Connection:
    """The API of an engine, for any thread.

    Args:
        host: Its address; None for the one in the environment.
        timeout_seconds: How long one answer may take.
    """

    def __init__(self, host: str | None, timeout_seconds: int) -> None:
        self._host = host
        self._timeout_seconds = timeout_seconds
        self._local = threading.local()
        # The clients of threads that have ended close by themselves.
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

    def retry(self, request: Callable[[], T]) -> T:
        """Send a request that may be repeated, and repeat it if the engine does not answer."""

        def once() -> T:
            with translated():
                return request()

        started = time.monotonic()
        try:
            return once()
        except EngineUnavailable as error:
            failure = error
        return _again(once, failure, time.monotonic() - started)

    def create(self, body: Mapping[str, Any], name: str | None) -> str:
        """Create a container and return its id.

        Raises:
            NameTaken: If another container has the name.
        """
        try:
            with translated():
                answer: Mapping[str, Any] = self.api.create_container_from_config(body, name)
        except EngineRefused as error:
            # Some engines answer with a general status.
            if name is not None and (error.status == CONFLICT or "already in use" in error.message):
                raise NameTaken(error.message, status=error.status) from error
            raise
        return str(answer["Id"])

    def ignore_missing(self, request: Callable[[], object]) -> None:
        """Send a request that may be repeated, about an object that may no longer exist."""
        try:
            self.retry(request)
        except EngineRefused as error:
            # 409 means "not running" for a kill and "removal in progress" for a removal.
            if error.status not in (NOT_FOUND, CONFLICT):
                raise

    def reports_oom(self, container: str, ended: float) -> bool:
        """Return whether the engine's events show a lack of memory in a container, about when it ended.

        The engine learns of a container's end and of its lack of memory by two messages. If the second one is late, the
        container's state never shows it, but the events have both. A submission that has the supervisor killed in this
        way must not turn its failure into an `error`, not even once in twenty times.

        Args:
            container: Its id.
            ended: When it ended, in seconds since the epoch by the engine's clock.

        Raises:
            SandboxError: If the engine does not say.
        """
        # docker-py's method for this waits for ever.
        url = f"{self.api.base_url}/v{self.api.api_version}/events"
        query = {
            "since": f"{ended - _AROUND_SECONDS:.9f}",
            "until": f"{ended + _AROUND_SECONDS:.9f}",
            "filters": json.dumps({"container": [container], "event": ["oom"]}),
        }
        with translated(), self.api.get(url, params=query, timeout=_EVENTS_SECONDS, stream=True) as answer:
            # The first event suffices; without one, the engine's answer ends when that time is over.
            return bool(answer.ok) and any(b'"oom"' in line for line in answer.iter_lines())

    def close(self) -> None:
        """Close the clients of all threads."""
        with self._lock:
            clients, self._clients = list(self._clients), weakref.WeakSet()
        for client in clients:
            client.close()
        self._local = threading.local()
        if self._tunnel is not None:
            self._tunnel.close()
