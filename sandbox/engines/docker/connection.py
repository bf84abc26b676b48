"""The connection to a Docker Engine: its address, its API version, and the repetition of failed requests.

Only requests that may safely be repeated are retried. The engine chooses the API version.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from http.client import HTTPResponse
from socket import socket
from typing import Any, TypeVar

from gradebox.sandbox.engines.docker.http_client import DEFAULT_ADDRESS, HttpClient
from gradebox.sandbox.engines.docker.ssh_tunnel import Tunnel, is_behind_ssh
from gradebox.sandbox.engines.docker.unreachable import unreachable
from gradebox.sandbox.errors import EngineRefused, EngineUnavailable, NameTaken

T = TypeVar("T")

NOT_FOUND = 404
CONFLICT = 409

# How long before and after a container's end its out-of-memory event may come. A container that has to release much
# memory ends late.
_BEFORE_SECONDS, _AFTER_SECONDS = 10.0, 2.0
_EVENTS_SECONDS = 10.0

# How long to repeat the removal of a container that the engine refuses to remove.
_REMOVAL_SECONDS = 15.0


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
        # If the engine was silent for long, do not ask again: every failure would take three times as long.
        stop=tenacity.stop_any(tenacity.stop_after_attempt(3), tenacity.stop_after_delay(30 - spent_seconds)),
        wait=tenacity.wait_random_exponential(multiplier=0.1, max=2.0),
        reraise=True,
    )(attempt)


class Connection:
    """The API of an engine, for any thread.

    Args:
        host: Its address; None for the one in the environment.
        timeout_seconds: How long one answer may take.
    """

    def __init__(self, host: str | None, timeout_seconds: int) -> None:
        self._host = host or os.environ.get("DOCKER_HOST") or DEFAULT_ADDRESS
        self._timeout_seconds = timeout_seconds
        self._lock = threading.RLock()
        self._tunnel: Tunnel | None = None
        self._http: HttpClient | None = None
        self._version = ""
        self._engine_version: Mapping[str, Any] = {}

    @property
    def address(self) -> str:
        """Where requests are sent: the end of a tunnel, if there is one."""
        if not is_behind_ssh(self._host):
            return self._host.strip()
        with self._lock:
            self._tunnel = self._tunnel or Tunnel(self._host)
            return self._tunnel.url()

    @property
    def api_version(self) -> str:
        return self._connected()[1]

    @property
    def engine_version(self) -> Mapping[str, Any]:
        """The versions of the engine and its components, as it reports them."""
        self._connected()
        return self._engine_version

    def _connected(self) -> tuple[HttpClient, str]:
        """Return the client and the engine's API version, which is requested only once."""
        with self._lock:
            if self._http is None:
                client = HttpClient(self.address, self._timeout_seconds)
                try:
                    self._engine_version = client.json("GET", "/version")
                    self._version = str(self._engine_version["ApiVersion"])
                except (EngineUnavailable, KeyError, TypeError) as error:
                    raise unreachable(error.__cause__ or error, self._host) from error
                self._http = client
            return self._http, self._version

    def json(self, method: str, path: str, query: Mapping[str, object] | None = None, **more: Any) -> Any:
        """Send a request and return the answer as a value, as `HttpClient.json` does."""
        client, version = self._connected()
        return client.json(method, f"/v{version}{path}", query, **more)

    def content(self, method: str, path: str, query: Mapping[str, object] | None = None, **more: Any) -> bytes:
        """Send a request and return the content of the answer, as `HttpClient.content` does."""
        client, version = self._connected()
        return client.content(method, f"/v{version}{path}", query, **more)

    def retry(self, request: Callable[[], T]) -> T:
        """Send a request that is safe to repeat, and repeat it if the engine does not answer."""
        started = time.monotonic()
        try:
            return request()
        except EngineUnavailable as error:
            failure = error
        return _again(request, failure, time.monotonic() - started)

    def create(self, body: Mapping[str, Any], name: str | None) -> str:
        """Create a container and return its id.

        Raises:
            NameTaken: If another container has the name.
        """
        try:
            answer = self.json("POST", "/containers/create", {} if name is None else {"name": name}, body=body)
        except EngineRefused as error:
            # Some engines use a general status here instead of 409.
            if name is not None and (error.status == CONFLICT or "already in use" in error.message):
                raise NameTaken(error.message, status=error.status) from error
            raise
        return str(answer["Id"])

    def remove_container(self, container: str) -> None:
        """Remove a container with its volumes, and try again while the engine refuses.

        An engine refuses to remove a container that is just ending, or that it cannot kill in time.

        Raises:
            EngineRefused: If the engine still refuses after 15 seconds.
        """
        latest = time.monotonic() + _REMOVAL_SECONDS
        pause_seconds = 0.05
        while True:
            try:
                self.retry(lambda: self.json("DELETE", f"/containers/{container}", {"v": 1, "force": 1}))
            except EngineRefused as error:
                if error.status == NOT_FOUND:
                    return
                if time.monotonic() > latest:
                    raise
            else:
                return
            time.sleep(pause_seconds)
            pause_seconds = min(2 * pause_seconds, 1.0)

    def ignore_missing(self, request: Callable[[], object]) -> None:
        """Send a request, safe to repeat, about an object that may no longer exist."""
        try:
            self.retry(request)
        except EngineRefused as error:
            # 409 means "not running" for a kill and "in use" or "removal in progress" for a removal.
            if error.status not in (NOT_FOUND, CONFLICT):
                raise

    def reports_oom(self, container: str, ended: float) -> bool:
        """Return whether the engine's events show that a container ran out of memory around the time it ended.

        Two separate messages tell the engine that a container ended and that it ran out of memory. If the second one is
        late, the container's state never shows it, but the events contain both. Without this check, a submission could
        get the supervisor killed by lack of memory and sometimes turn its failure into an `error`.

        Args:
            container: Its id.
            ended: When it ended, in seconds since the epoch by the engine's clock.

        Raises:
            SandboxError: If the engine does not report its events.
        """
        client, version = self._connected()
        query = {
            "since": f"{ended - _BEFORE_SECONDS:.9f}",
            "until": f"{ended + _AFTER_SECONDS:.9f}",
            "filters": {"container": [container], "event": ["oom"]},
        }
        # The first event suffices; without any, the engine's answer ends after `until`.
        with closing(client.lines(f"/v{version}/events", query, _EVENTS_SECONDS)) as lines:
            return any(b'"oom"' in line for line in lines)

    def hijack(self, path: str, query: Mapping[str, object]) -> tuple[socket, HTTPResponse]:
        """Send a request after which the connection belongs to the caller, as `HttpClient.hijack` does."""
        client, version = self._connected()
        return client.hijack(f"/v{version}{path}", query)

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            client, self._http = self._http, None
            tunnel, self._tunnel = self._tunnel, None
        if client is not None:
            client.close()
        if tunnel is not None:
            tunnel.close()
